-- Every statement of the embedded store. ":scope" stands for (tenant, namespace).

-- name: scope_id
SELECT scope FROM scope WHERE tenant = ? AND namespace = ?
-- name: add_scope
INSERT INTO scope (tenant, namespace, grammar) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
-- name: grammar
SELECT grammar FROM scope WHERE scope = ?
-- name: set_grammar
UPDATE scope SET grammar = ? WHERE scope = ?
-- name: remove_clauses
DELETE FROM clause WHERE scope = ? AND memory = (SELECT seq FROM memory WHERE scope = ? AND id = ?)
-- name: add_clause
INSERT INTO clause (scope, signature, memory) SELECT ?, ?, seq FROM memory WHERE scope = ? AND id = ?
ON CONFLICT DO NOTHING
-- name: look_again
UPDATE memory SET uncurated = 1 WHERE scope = ? AND id = ?
-- name: scopes
SELECT s.tenant, s.namespace FROM scope s
WHERE EXISTS (SELECT 1 FROM memory m WHERE m.scope = s.scope) OR EXISTS (SELECT 1 FROM setting t WHERE t.scope = s.scope)
ORDER BY 1, 2
-- name: mod
SELECT value FROM meta WHERE name = 'mod'
-- name: calibration
SELECT value FROM meta WHERE name = 'calibration:' || ?
-- name: keep_calibration
INSERT INTO meta (name, value) VALUES ('calibration:' || ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value
-- name: next_mod
UPDATE meta SET value = value + 1 WHERE name = 'mod' RETURNING value
-- name: tick
UPDATE scope SET epoch = epoch + ?, used_at = max(coalesce(used_at, 0), ?) WHERE scope = ? RETURNING epoch

-- name: rows
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory WHERE scope = ? AND id IN (SELECT value FROM json_each(?))
-- name: row
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory WHERE scope = ? AND id = ?
-- name: row_by_seq
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory WHERE seq = ? AND scope = ?
-- name: rows_by_seq
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory WHERE scope = ? AND seq IN (SELECT value FROM json_each(?))
-- name: page
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory WHERE scope = ? AND seq > ? AND state IN (SELECT value FROM json_each(?))
ORDER BY seq LIMIT ?
-- name: find_live
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory WHERE scope = ? AND norm_hash = ? AND state = 'live'
-- name: find_key
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory WHERE scope = ? AND key = ? AND state = 'live'
-- name: find_external
SELECT s.external_id, m.id FROM sighting s JOIN memory m ON m.seq = s.memory
WHERE s.scope = ? AND s.external_id IN (SELECT value FROM json_each(?))

-- name: uncurated_ids
SELECT id, revision FROM memory WHERE scope = ? AND uncurated = 1 AND state = 'live' ORDER BY seq
-- name: uncurated_seqs
SELECT seq FROM memory WHERE scope = ? AND uncurated = 1 AND state = 'live' ORDER BY seq
-- name: shared_clauses
SELECT c.signature, c.memory, count(*) OVER (PARTITION BY c.signature) AS n
FROM (SELECT DISTINCT k.signature FROM memory u CROSS JOIN clause k ON k.scope = u.scope AND k.memory = u.seq
      WHERE u.scope = :scope AND u.uncurated = 1 AND u.state = 'live') s
CROSS JOIN clause c ON c.scope = :scope AND c.signature = s.signature
CROSS JOIN memory m ON m.seq = c.memory AND m.state = 'live'
-- name: demotable
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory
WHERE scope = ? AND state = 'live' AND access_count = 0 AND recall_count = 0 AND pinned = 0 AND confidence <> 'verified'
  AND stated_at < ? AND importance < ? ORDER BY stated_at, id LIMIT ?
-- name: demotable_count
SELECT count(*) FROM memory
WHERE scope = ? AND state = 'live' AND access_count = 0 AND recall_count = 0 AND pinned = 0 AND confidence <> 'verified'
  AND stated_at < ? AND importance < ?
-- name: fading
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory
WHERE scope = ? AND state = 'live' AND confidence = 'default' AND coalesce(last_recalled_at, written_at) < ?
ORDER BY coalesce(last_recalled_at, written_at), id LIMIT ?
-- name: fading_count
SELECT count(*) FROM memory
WHERE scope = ? AND state = 'live' AND confidence = 'default' AND coalesce(last_recalled_at, written_at) < ?
-- name: without_vector
SELECT m.id, m.text_hash, m.text FROM memory m
WHERE m.scope = ? AND m.state = 'live' AND NOT EXISTS (
  SELECT 1 FROM vector v JOIN model d ON d.model = v.model
  WHERE v.scope = m.scope AND v.text_hash = m.text_hash AND d.name = ?)
ORDER BY m.seq LIMIT ?
-- name: without_vector_count
SELECT count(*) FROM memory m
WHERE m.scope = ? AND m.state = 'live' AND NOT EXISTS (
  SELECT 1 FROM vector v JOIN model d ON d.model = v.model
  WHERE v.scope = m.scope AND v.text_hash = m.text_hash AND d.name = ?)
-- name: vectors
SELECT v.text_hash, v.data FROM json_each(?) j
CROSS JOIN vector v ON v.scope = ? AND v.text_hash = unhex(j.value)
JOIN model d ON d.model = v.model AND d.name = ?
-- name: changes
SELECT m.seq, m.id, m.state, m.kind, m.trust, m.confidence, m.importance, m.utility, m.stated_at, v.data, length(m.text)
FROM memory m LEFT JOIN vector v ON v.scope = m.scope AND v.text_hash = m.text_hash
  AND v.model = (SELECT model FROM model WHERE name = ?)
WHERE m.scope = ? AND m.mod > ?
-- name: live_index
SELECT m.seq, m.id, m.state, m.kind, m.trust, m.confidence, m.importance, m.utility, m.stated_at, v.data, length(m.text)
FROM memory m LEFT JOIN vector v ON v.scope = m.scope AND v.text_hash = m.text_hash
  AND v.model = (SELECT model FROM model WHERE name = ?)
WHERE m.scope = ? AND m.state = 'live' ORDER BY m.seq
-- name: history_rows
SELECT m.seq, m.id, m.state, m.kind, m.trust, m.confidence, m.importance, m.utility, m.stated_at, v.data, length(m.text),
  m.written_at, m.valid_from, m.valid_to
FROM memory m LEFT JOIN vector v ON v.scope = m.scope AND v.text_hash = m.text_hash
  AND v.model = (SELECT model FROM model WHERE name = ?)
WHERE m.scope = ? AND m.state <> 'erased' ORDER BY m.seq
-- name: postings
SELECT rowid FROM memory_text WHERE memory_text MATCH ? AND rowid > ? ORDER BY rowid
-- name: count
SELECT state, count(*) FROM memory WHERE scope = ? GROUP BY state
-- name: count_uncurated
SELECT count(*) FROM memory WHERE scope = ? AND uncurated = 1 AND state = 'live'
-- name: sightings
SELECT m.id, s.principal, s.channel, s.client, s.session, s.at, s.occurred_at, s.wording, s.external_id
FROM sighting s JOIN memory m ON m.seq = s.memory
WHERE s.scope = ? AND m.id IN (SELECT value FROM json_each(?)) ORDER BY s.at, s.n
-- name: links
SELECT source, relation, target, at, evidence FROM link WHERE scope = :scope AND source = :id
UNION SELECT source, relation, target, at, evidence FROM link WHERE scope = :scope AND target = :id
ORDER BY 4, 1, 2, 3
-- name: merged_ids
WITH RECURSIVE gone (id) AS (
  SELECT id FROM memory WHERE scope = :scope AND merged_into = :id
  UNION SELECT id FROM memory WHERE scope = :scope AND superseded_by = :id
  UNION SELECT m.id FROM gone g CROSS JOIN memory m ON m.scope = :scope AND m.merged_into = g.id
  UNION SELECT m.id FROM gone g CROSS JOIN memory m ON m.scope = :scope AND m.superseded_by = g.id)
SELECT id FROM gone ORDER BY id
-- name: merged_only
WITH RECURSIVE gone (id) AS (
  SELECT id FROM memory WHERE scope = :scope AND merged_into = :id
  UNION SELECT m.id FROM gone g CROSS JOIN memory m ON m.scope = :scope AND m.merged_into = g.id)
SELECT id FROM gone ORDER BY id

-- name: insert_memory
INSERT INTO memory (scope, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel,
  client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at,
  last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days,
  confidence, pinned, durable, state, merged_into, superseded_by, revision, uncurated, mod)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
  ?, ?)
-- name: insert_text
INSERT INTO memory_text (rowid, body, place) VALUES (?, ?, ?)
-- name: insert_clause
INSERT INTO clause (scope, signature, memory) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
-- name: insert_sighting
INSERT INTO sighting (scope, memory, principal, channel, client, session, at, occurred_at, wording, external_id)
VALUES (:scope, (SELECT seq FROM memory WHERE scope = :scope AND id = :memory), :principal, :channel, :client, :session,
  :at, :occurred_at, :wording, :external_id)
-- name: move_sighting
UPDATE sighting SET wording = :becomes, memory = (SELECT seq FROM memory WHERE scope = :scope AND id = :to)
WHERE n = (SELECT min(s.n) FROM sighting s WHERE s.scope = :scope AND s.wording IS :wording
  AND s.memory = (SELECT seq FROM memory WHERE scope = :scope AND id = :from))
-- name: change
UPDATE memory SET kind = ?, gist = ?, key = ?, trust = ?, stated_at = ?, valid_from = ?, valid_to = ?, archived_at = ?,
  last_recalled_at = ?, recall_count = ?, access_count = ?, epoch = ?, importance = ?, utility = ?, strength = ?,
  strength_at = ?, half_life_days = ?, confidence = ?, pinned = ?, durable = ?, state = ?, merged_into = ?,
  superseded_by = ?, revision = revision + 1, uncurated = max(uncurated, ?), mod = ?
WHERE scope = ? AND id = ? AND revision = ?
-- name: access
UPDATE memory SET access_count = access_count + :n, last_recalled_at = max(coalesce(last_recalled_at, 0), :at),
  recall_count = recall_count + :n,
  mod = CASE confidence WHEN 'stale' THEN :mod ELSE mod END,
  confidence = CASE confidence WHEN 'stale' THEN 'default' ELSE confidence END,
  strength = strength * pow(0.5, max(0, :at - coalesce(strength_at, written_at)) / (half_life_days * 86400e6)) + :n,
  strength_at = max(:at, coalesce(strength_at, 0)),
  epoch = coalesce((SELECT s.epoch FROM scope s WHERE s.scope = memory.scope), epoch)
WHERE scope = :scope AND id = :id
-- name: restate
UPDATE memory SET access_count = access_count + ?, stated_at = max(stated_at, ?), mod = ?,
  confidence = CASE confidence WHEN 'stale' THEN 'default' ELSE confidence END,
  epoch = coalesce((SELECT s.epoch FROM scope s WHERE s.scope = memory.scope), epoch)
WHERE scope = ? AND id = ?
-- name: add_link
INSERT INTO link (scope, source, relation, target, at, evidence) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
-- name: remove_link
DELETE FROM link WHERE scope = ? AND source = ? AND relation = ? AND target = ?
-- name: model_id
SELECT model, dim FROM model WHERE name = ?
-- name: add_model
INSERT INTO model (name, dim) VALUES (?, ?) ON CONFLICT DO NOTHING
-- name: insert_vector
INSERT INTO vector (scope, text_hash, model, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
-- name: touch
UPDATE memory SET mod = ? WHERE scope = ? AND id IN (SELECT value FROM json_each(?))

-- name: start_run
INSERT INTO run (scope, id, cycle, actor, started_at, finished_at, status, counts, errors) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: finish_run
UPDATE run SET finished_at = ?, status = ?, counts = ?, errors = ? WHERE scope = ? AND id = ?
-- name: runs
SELECT id, cycle, actor, started_at, finished_at, status, counts, errors FROM run WHERE scope = ? ORDER BY n DESC LIMIT ?
-- name: runs_by_id
SELECT id, cycle, actor, started_at, finished_at, status, counts, errors FROM run
WHERE scope = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY n DESC
-- name: last_entry
SELECT n, hash FROM entry WHERE scope = ? ORDER BY n DESC LIMIT 1
-- name: insert_entry
INSERT INTO entry (scope, n, run, idx, step, move, reason, status, at, body, model, tokens, undoes, counted, previous, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: insert_entry_row
INSERT INTO entry_row (scope, memory, entry, role) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
-- name: mark_undone
UPDATE entry SET undone_by = ? WHERE scope = ? AND n = ?
-- name: entry
SELECT n, run, idx, step, move, reason, status, at, body, model, tokens, undoes, undone_by, previous, hash, counted FROM entry
WHERE scope = ? AND n = ?
-- name: entries
SELECT n, run, idx, step, move, reason, status, at, body, model, tokens, undoes, undone_by, previous, hash, counted FROM entry
WHERE scope = :scope AND n > :after AND (:since IS NULL OR at >= :since) ORDER BY n LIMIT :limit
-- name: entries_newest
SELECT n, run, idx, step, move, reason, status, at, body, model, tokens, undoes, undone_by, previous, hash, counted FROM entry
WHERE scope = :scope AND n > :after AND (:since IS NULL OR at >= :since) ORDER BY n DESC LIMIT :limit
-- name: entries_of_run
SELECT n, run, idx, step, move, reason, status, at, body, model, tokens, undoes, undone_by, previous, hash, counted FROM entry
WHERE scope = :scope AND run = :run AND n > :after ORDER BY idx LIMIT :limit
-- name: entries_of_memory
SELECT e.n, e.run, e.idx, e.step, e.move, e.reason, e.status, e.at, e.body, e.model, e.tokens, e.undoes, e.undone_by,
  e.previous, e.hash, e.counted
FROM entry_row r CROSS JOIN entry e ON e.scope = r.scope AND e.n = r.entry
WHERE r.scope = :scope AND r.memory = :memory AND e.n > :after ORDER BY e.n LIMIT :limit
-- name: later_settings
SELECT r.memory, e.n FROM json_each(:ids) j
CROSS JOIN entry_row r ON r.scope = :scope AND r.memory = j.value AND r.role = 0 AND r.entry > :after
CROSS JOIN entry e ON e.scope = r.scope AND e.n = r.entry AND e.status = 'applied' AND e.undone_by IS NULL AND e.undoes IS NULL
-- name: departed
SELECT count(*) FROM entry WHERE scope = ? AND counted = 1 AND at >= ? AND undone_by IS NULL
-- name: stamp_before
INSERT INTO stamp (scope, run, memory, before, after)
SELECT m.scope, ?, m.seq, m.curated_at, ? FROM json_each(?) j
CROSS JOIN memory m ON m.scope = ? AND m.id = j.value ->> 0 AND m.revision = j.value ->> 1 AND m.uncurated = 1
WHERE true ON CONFLICT DO NOTHING
-- name: stamp
UPDATE memory SET curated_at = ?, uncurated = 0 WHERE seq IN (
  SELECT m.seq FROM json_each(?) j
  CROSS JOIN memory m ON m.scope = ? AND m.id = j.value ->> 0 AND m.revision = j.value ->> 1 AND m.uncurated = 1)
-- name: unstamp
UPDATE memory SET curated_at = (SELECT s.before FROM stamp s WHERE s.scope = :scope AND s.run = :run AND s.memory = seq)
WHERE seq IN (SELECT s.memory FROM stamp s CROSS JOIN memory m ON m.seq = s.memory AND m.curated_at = s.after
  WHERE s.scope = :scope AND s.run = :run)
-- name: apart
SELECT a.low, a.high FROM json_each(?) j
CROSS JOIN apart a ON a.scope = ? AND a.low = unhex(j.value ->> 0) AND a.high = unhex(j.value ->> 1)
-- name: keep_apart
INSERT INTO apart (scope, low, high, reason, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
-- name: same_parked
SELECT id FROM parked WHERE scope = ? AND digest = ? AND status = 'waiting'
-- name: park
INSERT INTO parked (scope, id, run, step, digest, reason, at, status, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: parked
SELECT id, run, step, reason, at, status, body FROM parked WHERE scope = :scope AND (:status IS NULL OR status = :status)
ORDER BY at, id
-- name: settle_parked
UPDATE parked SET status = ? WHERE scope = ? AND id = ? AND status = 'waiting'
-- name: add_activity
INSERT INTO activity (scope, at, action, run, detail) VALUES (?, ?, ?, ?, ?)
-- name: activity
SELECT at, action, run, detail FROM activity WHERE scope = ? ORDER BY n DESC LIMIT ?
-- name: add_signal
INSERT INTO signal (scope, memory, type, source, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
-- name: add_query
INSERT INTO recall_query (scope, text, at) VALUES (?, ?, ?) RETURNING n
-- name: add_hit
INSERT INTO recall_hit (query, rank, memory) SELECT ?, ?, seq FROM memory WHERE scope = ? AND id = ?
-- name: old_hits
DELETE FROM recall_hit WHERE query IN (
  SELECT n FROM recall_query WHERE scope = ? ORDER BY n DESC LIMIT -1 OFFSET ?)
-- name: old_queries
DELETE FROM recall_query WHERE n IN (SELECT n FROM recall_query WHERE scope = ? ORDER BY n DESC LIMIT -1 OFFSET ?)
-- name: settings
SELECT name, value FROM setting WHERE scope = ? ORDER BY name
-- name: set_setting
INSERT INTO setting (scope, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value
-- name: unset_setting
DELETE FROM setting WHERE scope = ? AND name = ?

-- name: dump_memory
SELECT seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state, merged_into, superseded_by, revision FROM memory WHERE scope = ? ORDER BY id
-- name: dump_sighting
SELECT m.id, s.principal, s.channel, s.client, s.session, s.at, s.occurred_at, s.wording, s.external_id
FROM sighting s JOIN memory m ON m.seq = s.memory WHERE s.scope = ? ORDER BY m.id, s.n
-- name: dump_link
SELECT source, relation, target, at, evidence FROM link WHERE scope = ? ORDER BY 1, 2, 3
-- name: dump_run
SELECT id, cycle, actor, started_at, finished_at, status, counts, errors FROM run WHERE scope = ? ORDER BY n
-- name: dump_apart
SELECT low, high, reason, at FROM apart WHERE scope = ? ORDER BY low, high
-- name: dump_stamp
SELECT s.run, m.id, s.before, s.after FROM stamp s JOIN memory m ON m.seq = s.memory WHERE s.scope = ? ORDER BY 1, 2
-- name: dump_parked
SELECT id, run, step, reason, at, status, body, digest FROM parked WHERE scope = ? ORDER BY at, id
-- name: dump_activity
SELECT at, action, run, detail FROM activity WHERE scope = ? ORDER BY n
-- name: dump_signal
SELECT memory, type, source, at, pending FROM signal WHERE scope = ? ORDER BY n
-- name: epoch
SELECT epoch, used_at FROM scope WHERE scope = ?
-- name: set_epoch
UPDATE scope SET epoch = max(epoch, ?), used_at = coalesce(?, used_at) WHERE scope = ?
-- name: insert_stamp
INSERT INTO stamp (scope, run, memory, before, after) SELECT ?, ?, seq, ?, ? FROM memory WHERE scope = ? AND id = ?
-- name: insert_signal
INSERT INTO signal (scope, memory, type, source, at, pending) VALUES (?, ?, ?, ?, ?, ?)
-- name: undone
SELECT DISTINCT r.memory FROM json_each(?) j
CROSS JOIN entry_row r ON r.scope = ? AND r.memory = j.value AND r.role = 0
CROSS JOIN entry e ON e.scope = r.scope AND e.n = r.entry AND e.step = ? AND e.undone_by IS NOT NULL
