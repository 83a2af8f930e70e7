-- Statements that every store runs as they stand, once their parts in braces are filled in (reverie.store.queries).
-- {here m}: rows of this scope, by table alias. {key}, {value}: the columns that lead every key, and this scope's.
-- {in ids}: one of a list. {then}: a join in the order written. {each x}: the rows of a JSON array, as j.value.

-- part: columns
seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust,
  occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count,
  access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state,
  merged_into, superseded_by, revision
-- part: entry
e.n, e.run, e.idx, e.step, e.move, e.reason, e.status, e.at, e.body, e.model, e.tokens, e.undoes, e.undone_by,
  e.previous, e.hash, e.counted

-- name: grammar
SELECT grammar FROM scope WHERE {here}
-- name: set_grammar
UPDATE scope SET grammar = :grammar WHERE {here}
-- name: epoch
SELECT epoch, used_at FROM scope WHERE {here}
-- name: set_epoch
UPDATE scope SET epoch = {greatest}(epoch, :epoch), used_at = coalesce(CAST(:used_at AS bigint), used_at) WHERE {here}
-- name: caught_up
UPDATE scope SET waiting_since = CASE WHEN EXISTS (
    SELECT 1 FROM memory m WHERE {here m} AND m.uncurated = 1 AND m.state = 'live')
  THEN {greatest}(coalesce(waiting_since, 0), :at) END
WHERE {here}
-- name: waiting_since
SELECT waiting_since FROM scope WHERE {here}

-- name: rows
SELECT {columns} FROM memory WHERE {here} AND id {in ids} ORDER BY id
-- name: row
SELECT {columns} FROM memory WHERE {here} AND id = :id
-- name: rows_by_seq
SELECT {columns} FROM memory WHERE {here} AND seq {in seqs} ORDER BY seq
-- name: page
SELECT {columns} FROM memory WHERE {here} AND seq > :after AND state {in states} ORDER BY seq LIMIT :limit
-- name: browse
SELECT {columns} FROM memory
WHERE {here} AND seq < :before AND state {in states} AND kind {in kinds} AND trust {in trusts} ORDER BY seq DESC LIMIT :limit
-- name: find_live
SELECT {columns} FROM memory WHERE {here} AND norm_hash = :norm_hash AND state = 'live'
-- name: find_key
SELECT {columns} FROM memory WHERE {here} AND key = :key AND state = 'live'
-- name: find_external
SELECT s.external_id, m.id FROM sighting s {then} memory m ON {here m} AND m.seq = s.memory
WHERE {here s} AND s.external_id {in ids}

-- name: remove_clauses
DELETE FROM clause WHERE {here} AND memory = (SELECT m.seq FROM memory m WHERE {here m} AND m.id = :id)
-- name: add_clause
INSERT INTO clause ({key}, signature, memory) SELECT {value}, :signature, m.seq FROM memory m WHERE {here m} AND m.id = :id
ON CONFLICT DO NOTHING
-- name: look_again
UPDATE memory SET uncurated = 1 WHERE {here} AND id = :id
-- name: uncurated_ids
SELECT id, revision FROM memory WHERE {here} AND uncurated = 1 AND state = 'live' ORDER BY seq
-- name: uncurated_seqs
SELECT seq FROM memory WHERE {here} AND uncurated = 1 AND state = 'live' ORDER BY seq
-- name: shared_clauses
SELECT c.signature, c.memory, count(*) OVER (PARTITION BY c.signature) AS n
FROM (SELECT DISTINCT k.signature FROM memory u {then} clause k ON {here k} AND k.memory = u.seq
      WHERE {here u} AND u.uncurated = 1 AND u.state = 'live') s
{then} clause c ON {here c} AND c.signature = s.signature
{then} memory m ON {here m} AND m.seq = c.memory AND m.state = 'live'
-- name: demotable
SELECT {columns} FROM memory
WHERE {here} AND state = 'live' AND access_count = 0 AND recall_count = 0 AND pinned = 0 AND confidence <> 'verified'
  AND stated_at < :before AND importance < :importance ORDER BY stated_at, id LIMIT :limit
-- name: demotable_count
SELECT count(*) FROM memory
WHERE {here} AND state = 'live' AND access_count = 0 AND recall_count = 0 AND pinned = 0 AND confidence <> 'verified'
  AND stated_at < :before AND importance < :importance
-- name: fading
SELECT {columns} FROM memory
WHERE {here} AND state = 'live' AND confidence = 'default' AND coalesce(last_recalled_at, written_at) < :before
ORDER BY coalesce(last_recalled_at, written_at), id LIMIT :limit
-- name: fading_count
SELECT count(*) FROM memory
WHERE {here} AND state = 'live' AND confidence = 'default' AND coalesce(last_recalled_at, written_at) < :before
-- name: lagging
SELECT {columns} FROM memory
WHERE {here} AND state = 'live' AND recall_count = 0 AND epoch < :before AND NOT EXISTS (
  SELECT 1 FROM signal s WHERE {here s} AND s.memory = memory.id AND s.type = :type AND s.source = :source)
ORDER BY epoch, id LIMIT :limit
-- name: lagging_count
SELECT count(*) FROM memory
WHERE {here} AND state = 'live' AND recall_count = 0 AND epoch < :before AND NOT EXISTS (
  SELECT 1 FROM signal s WHERE {here s} AND s.memory = memory.id AND s.type = :type AND s.source = :source)
-- name: without_vector
SELECT m.id, m.text_hash, m.text FROM memory m
WHERE {here m} AND m.state = 'live' AND NOT EXISTS (
  SELECT 1 FROM embedding v
  WHERE {here v} AND v.text_hash = m.text_hash AND v.model = (SELECT d.model FROM model d WHERE d.name = :model))
ORDER BY m.seq LIMIT :limit
-- name: without_vector_count
SELECT count(*) FROM memory m
WHERE {here m} AND m.state = 'live' AND NOT EXISTS (
  SELECT 1 FROM embedding v
  WHERE {here v} AND v.text_hash = m.text_hash AND v.model = (SELECT d.model FROM model d WHERE d.name = :model))
-- name: vectors
SELECT v.text_hash, {bytes v.data} FROM {each hashes}
{then} embedding v ON {here v} AND v.text_hash = {unhex j.value ->> 0}
JOIN model d ON d.model = v.model AND d.name = :model
-- name: changes
SELECT m.seq, m.id, m.state, m.kind, m.trust, m.confidence, m.importance, m.utility, m.stated_at, {bytes v.data}, length(m.text)
FROM memory m LEFT JOIN embedding v ON {here v} AND v.text_hash = m.text_hash
  AND v.model = (SELECT d.model FROM model d WHERE d.name = :model)
WHERE {here m} AND m.mod > :since ORDER BY m.seq
-- name: live_index
SELECT m.seq, m.id, m.state, m.kind, m.trust, m.confidence, m.importance, m.utility, m.stated_at, {bytes v.data}, length(m.text)
FROM memory m LEFT JOIN embedding v ON {here v} AND v.text_hash = m.text_hash
  AND v.model = (SELECT d.model FROM model d WHERE d.name = :model)
WHERE {here m} AND m.state = 'live' ORDER BY m.seq
-- name: history_rows
SELECT m.seq, m.id, m.state, m.kind, m.trust, m.confidence, m.importance, m.utility, m.stated_at, {bytes v.data}, length(m.text),
  m.written_at, m.valid_from, m.valid_to
FROM memory m LEFT JOIN embedding v ON {here v} AND v.text_hash = m.text_hash
  AND v.model = (SELECT d.model FROM model d WHERE d.name = :model)
WHERE {here m} AND m.state <> 'erased' ORDER BY m.seq
-- name: count
SELECT state, count(*) FROM memory WHERE {here} GROUP BY state
-- name: count_uncurated
SELECT count(*) FROM memory WHERE {here} AND uncurated = 1 AND state = 'live'
-- name: sightings
SELECT m.id, s.principal, s.channel, s.client, s.session, s.at, s.occurred_at, s.wording, s.external_id
FROM memory m {then} sighting s ON {here s} AND s.memory = m.seq
WHERE {here m} AND m.id {in ids} ORDER BY s.at, s.n
-- name: links
SELECT source, relation, target, at, evidence FROM (
  SELECT source, relation, target, at, evidence FROM link WHERE {here} AND source = :id
  UNION ALL SELECT source, relation, target, at, evidence FROM link WHERE {here} AND target = :id AND source <> :id) k
ORDER BY at, source, relation, target
-- name: merged_directly
SELECT id FROM memory WHERE {here} AND merged_into = :id
-- name: superseded_directly
SELECT id FROM memory WHERE {here} AND superseded_by = :id
-- name: merged_only
WITH RECURSIVE gone (id) AS (
  SELECT id FROM memory WHERE {here} AND merged_into = :id
  UNION SELECT m.id FROM gone g {then} memory m ON {here m} AND m.merged_into = g.id)
SELECT id FROM gone ORDER BY id

-- name: insert_sighting
INSERT INTO sighting ({key}, memory, principal, channel, client, session, at, occurred_at, wording, external_id)
VALUES ({value}, (SELECT m.seq FROM memory m WHERE {here m} AND m.id = :memory), :principal, :channel, :client, :session,
  :at, :occurred_at, :wording, :external_id)
ON CONFLICT DO NOTHING
-- name: move_sighting
UPDATE sighting SET wording = :becomes, memory = (SELECT m.seq FROM memory m WHERE {here m} AND m.id = :to)
WHERE {here} AND n = (SELECT min(s.n) FROM sighting s WHERE {here s} AND s.wording IS NOT DISTINCT FROM :wording
  AND s.memory = (SELECT m.seq FROM memory m WHERE {here m} AND m.id = :source))
-- name: change
UPDATE memory SET kind = :kind, gist = :gist, key = :key, trust = :trust, stated_at = :stated_at, valid_from = :valid_from,
  valid_to = :valid_to, archived_at = :archived_at, last_recalled_at = :last_recalled_at, recall_count = :recall_count,
  access_count = :access_count, epoch = :epoch, importance = :importance, utility = :utility, strength = :strength,
  strength_at = :strength_at, half_life_days = :half_life_days, confidence = :confidence, pinned = :pinned,
  durable = :durable, state = :state, merged_into = :merged_into, superseded_by = :superseded_by,
  revision = revision + 1, uncurated = {greatest}(uncurated, :recheck), mod = :mod
WHERE {here} AND id = :id AND revision = :revision
-- name: waits
UPDATE scope SET waiting_since = coalesce(waiting_since, :at) WHERE {here}
-- name: access
UPDATE memory SET access_count = access_count + :n, last_recalled_at = {greatest}(coalesce(last_recalled_at, 0), :at),
  recall_count = recall_count + :n,
  mod = CASE confidence WHEN 'stale' THEN :mod ELSE mod END,
  confidence = CASE confidence WHEN 'stale' THEN 'default' ELSE confidence END,
  strength = strength * pow(0.5, {least}(1000, {greatest}(0, :at - coalesce(strength_at, written_at)) / (half_life_days * 86400e6)))
    + :n, -- a thousand halvings leave nothing, and more would underflow
  strength_at = {greatest}(:at, coalesce(strength_at, 0)),
  epoch = coalesce((SELECT s.epoch FROM scope s WHERE {here s}), epoch)
WHERE {here} AND id = :id
-- name: restate
UPDATE memory SET access_count = access_count + 1, stated_at = {greatest}(stated_at, :at), mod = :mod,
  confidence = CASE confidence WHEN 'stale' THEN 'default' ELSE confidence END,
  epoch = coalesce((SELECT s.epoch FROM scope s WHERE {here s}), epoch)
WHERE {here} AND id = :id
-- name: add_link
INSERT INTO link ({key}, source, relation, target, at, evidence) VALUES ({value}, :source, :relation, :target, :at, :evidence)
ON CONFLICT DO NOTHING
-- name: remove_link
DELETE FROM link WHERE {here} AND source = :source AND relation = :relation AND target = :target
-- name: model_id
SELECT model, dim FROM model WHERE name = :model
-- name: add_model
INSERT INTO model (name, dim) VALUES (:model, :dim) ON CONFLICT DO NOTHING
-- name: models
SELECT name, dim FROM model d WHERE EXISTS (SELECT 1 FROM embedding v WHERE {here v} AND v.model = d.model) ORDER BY name
-- name: vector_page
SELECT v.text_hash, {bytes v.data} FROM embedding v JOIN model d ON d.model = v.model AND d.name = :model
WHERE {here v} AND v.text_hash > :after ORDER BY v.text_hash LIMIT :limit
-- name: touch
UPDATE memory SET mod = :mod WHERE {here} AND id {in ids}

-- name: start_run
INSERT INTO run ({key}, id, cycle, actor, started_at, finished_at, status, counts, errors, steps)
VALUES ({value}, :id, :cycle, :actor, :started_at, :finished_at, :status, :counts, :errors, :steps)
-- name: finish_run
UPDATE run SET finished_at = :finished_at, status = :status, counts = :counts, errors = :errors, steps = :steps
WHERE {here} AND id = :id
-- name: cut_off_runs
UPDATE run SET finished_at = :at, status = 'cut off' WHERE {here} AND finished_at IS NULL
-- name: runs
SELECT id, cycle, actor, started_at, finished_at, status, counts, errors, steps FROM run WHERE {here} ORDER BY n DESC LIMIT :limit
-- name: runs_by_id
SELECT id, cycle, actor, started_at, finished_at, status, counts, errors, steps FROM run WHERE {here} AND id {in ids}
ORDER BY n DESC
-- name: runs_between
SELECT id, cycle, actor, started_at, finished_at, status, counts, errors, steps FROM run
WHERE {here} AND started_at >= :since AND started_at < :until ORDER BY n DESC
-- name: entries_between
SELECT {entry} FROM entry e WHERE {here e} AND e.at >= :since AND e.at < :until ORDER BY e.n DESC
-- name: last_entry
SELECT n, hash FROM entry WHERE {here} ORDER BY n DESC LIMIT 1
-- name: insert_entry
INSERT INTO entry ({key}, n, run, idx, step, move, reason, status, at, body, model, tokens, undoes, counted, previous, hash)
VALUES ({value}, :n, :run, :idx, :step, :move, :reason, :status, :at, :body, :model, :tokens, :undoes, :counted, :previous,
  :hash)
-- name: mark_undone
UPDATE entry SET undone_by = :by WHERE {here} AND n = :n
-- name: entry
SELECT {entry} FROM entry e WHERE {here e} AND e.n = :n
-- name: entries
SELECT {entry} FROM entry e WHERE {here e} AND e.n > :after AND e.at >= :since ORDER BY e.n LIMIT :limit
-- name: entries_newest
SELECT {entry} FROM entry e WHERE {here e} AND e.n > :after AND e.at >= :since ORDER BY e.n DESC LIMIT :limit
-- name: entries_of_run
SELECT {entry} FROM entry e WHERE {here e} AND e.run = :run AND e.n > :after ORDER BY e.idx LIMIT :limit
-- name: entries_of_memory
SELECT {entry} FROM entry_row r {then} entry e ON {here e} AND e.n = r.entry
WHERE {here r} AND r.memory = :memory AND e.n > :after ORDER BY e.n LIMIT :limit
-- name: later_settings
SELECT r.memory, max(e.n) FROM entry_row r
{then} entry e ON {here e} AND e.n = r.entry AND e.status = 'applied' AND e.undone_by IS NULL AND e.undoes IS NULL
WHERE {here r} AND r.memory {in ids} AND r.role = 0 AND r.entry > :after GROUP BY r.memory
-- name: departed
SELECT count(*) FROM entry WHERE {here} AND counted = 1 AND at >= :since AND undone_by IS NULL
-- name: undone
SELECT DISTINCT r.memory FROM entry_row r
{then} entry e ON {here e} AND e.n = r.entry AND e.step = :step AND e.undone_by IS NOT NULL
WHERE {here r} AND r.memory {in ids} AND r.role = 0
-- name: unstamp
UPDATE memory SET curated_at = (SELECT s.before FROM stamp s WHERE {here s} AND s.run = :run AND s.memory = memory.seq)
WHERE {here} AND seq IN (
  SELECT s.memory FROM stamp s {then} memory m ON {here m} AND m.seq = s.memory AND m.curated_at = s.after
  WHERE {here s} AND s.run = :run)
-- name: insert_stamp
INSERT INTO stamp ({key}, run, memory, before, after)
SELECT {value}, :run, m.seq, CAST(:before AS bigint), :after FROM memory m WHERE {here m} AND m.id = :memory
-- name: apart
SELECT a.low, a.high FROM {each pairs}
{then} apart a ON {here a} AND a.low = {unhex j.value ->> 0} AND a.high = {unhex j.value ->> 1}
-- name: keep_apart
INSERT INTO apart ({key}, low, high, reason, at) VALUES ({value}, :low, :high, :reason, :at) ON CONFLICT DO NOTHING
-- name: forget_apart
DELETE FROM apart WHERE {here} AND low = :low AND high = :high
-- name: same_parked
SELECT id FROM parked WHERE {here} AND digest = :digest AND status = 'waiting'
-- name: park
INSERT INTO parked ({key}, id, run, step, digest, reason, at, status, body)
VALUES ({value}, :id, :run, :step, :digest, :reason, :at, :status, :body)
-- name: parked
SELECT id, run, step, reason, at, status, body FROM parked WHERE {here} AND (status = :status OR :status = 'any') ORDER BY at, id
-- name: settle_parked
UPDATE parked SET status = :status WHERE {here} AND id = :id AND status = 'waiting'
-- name: add_activity
INSERT INTO activity ({key}, at, action, run, detail) VALUES ({value}, :at, :action, :run, :detail)
-- name: activity
SELECT at, action, run, detail FROM activity WHERE {here} AND at >= :since AND at < :until ORDER BY n DESC LIMIT :limit
-- name: insert_signal
INSERT INTO signal ({key}, memory, type, source, at, pending, predicted, corrected, strength)
VALUES ({value}, :memory, :type, :source, :at, :pending, :predicted, :corrected, :strength)
ON CONFLICT DO NOTHING
-- name: last_signal
SELECT max(at) FROM signal WHERE {here} AND type = :type AND source = :source
-- name: settle_signal
UPDATE signal SET pending = :pending WHERE {here} AND n = (
  SELECT max(s.n) FROM signal s WHERE {here s} AND s.memory = :memory AND s.type = :type AND s.source = :source
    AND s.pending <> :pending AND s.predicted IS NOT DISTINCT FROM :predicted
    AND s.corrected IS NOT DISTINCT FROM :corrected AND s.strength = :strength)
  AND (:pending = 0 OR NOT EXISTS (
    SELECT 1 FROM signal w WHERE {here w} AND w.memory = :memory AND w.type = :type AND w.source = :source AND w.pending = 1))
-- name: add_query
INSERT INTO recall_query ({key}, text, at) VALUES ({value}, :text, :at) RETURNING n
-- name: old_hits
DELETE FROM recall_hit WHERE {here} AND query IN (
  SELECT n FROM recall_query WHERE {here} ORDER BY n DESC LIMIT 1000000000 OFFSET :keep)
-- name: old_queries
DELETE FROM recall_query WHERE {here} AND n IN (
  SELECT n FROM recall_query WHERE {here} ORDER BY n DESC LIMIT 1000000000 OFFSET :keep)
-- name: settings
SELECT name, value FROM setting WHERE {here} ORDER BY name
-- name: set_setting
INSERT INTO setting ({key}, name, value) VALUES ({value}, :name, :setting)
ON CONFLICT ({key}, name) DO UPDATE SET value = excluded.value
-- name: unset_setting
DELETE FROM setting WHERE {here} AND name = :name

-- name: lease
SELECT lease_holder, fence, lease_until FROM scope WHERE {here}
-- name: take_lease
UPDATE scope SET lease_holder = :holder, lease_until = :until, fence = fence + 1
WHERE {here} AND (lease_holder IS NULL OR lease_until <= :now OR fence = :gone) RETURNING fence
-- name: renew_lease
UPDATE scope SET lease_until = :until WHERE {here} AND lease_holder = :holder AND fence = :fence AND lease_until > :now
-- name: end_lease
UPDATE scope SET lease_holder = NULL, lease_until = NULL WHERE {here} AND lease_holder = :holder AND fence = :fence
-- name: slot
SELECT finished_at FROM slot WHERE {here} AND cycle = :cycle AND key = :key
-- name: claim_slot
INSERT INTO slot ({key}, cycle, key, started_at, finished_at, with_model)
VALUES ({value}, :cycle, :key, :at, NULL, :with_model)
ON CONFLICT ({key}, cycle, key) DO UPDATE SET started_at = excluded.started_at
-- name: finish_slot
UPDATE slot SET finished_at = :at WHERE {here} AND cycle = :cycle AND key = :key
-- name: old_slots
DELETE FROM slot WHERE {here} AND started_at < :before
-- name: step_passed
INSERT INTO step ({key}, cycle, name, succeeded_at, failing) VALUES ({value}, :cycle, :name, :at, 0)
ON CONFLICT ({key}, cycle, name) DO UPDATE SET succeeded_at = excluded.succeeded_at, failing = 0
-- name: step_failed
INSERT INTO step ({key}, cycle, name, failed_at, reason, failing) VALUES ({value}, :cycle, :name, :at, :reason, 1)
ON CONFLICT ({key}, cycle, name) DO UPDATE SET failed_at = excluded.failed_at, reason = excluded.reason, failing = 1
-- name: last_slot
SELECT max(started_at) FROM slot WHERE {here}
-- name: steps
SELECT cycle, name, succeeded_at, failed_at, reason, failing FROM step WHERE {here} ORDER BY cycle, name

-- name: dump_memory
SELECT {columns} FROM memory WHERE {here} ORDER BY id
-- name: dump_sighting
SELECT m.id, s.principal, s.channel, s.client, s.session, s.at, s.occurred_at, s.wording, s.external_id
FROM sighting s JOIN memory m ON {here m} AND m.seq = s.memory WHERE {here s} ORDER BY m.id, s.n
-- name: dump_link
SELECT source, relation, target, at, evidence FROM link WHERE {here} ORDER BY 1, 2, 3
-- name: dump_run
SELECT id, cycle, actor, started_at, finished_at, status, counts, errors, steps FROM run WHERE {here} ORDER BY n
-- name: dump_entry
SELECT {entry} FROM entry e WHERE {here e} ORDER BY e.n
-- name: dump_apart
SELECT low, high, reason, at FROM apart WHERE {here} ORDER BY low, high
-- name: dump_stamp
SELECT s.run, m.id, s.before, s.after FROM stamp s JOIN memory m ON {here m} AND m.seq = s.memory WHERE {here s} ORDER BY 1, 2
-- name: dump_parked
SELECT id, run, step, reason, at, status, body, digest FROM parked WHERE {here} ORDER BY at, id
-- name: dump_activity
SELECT at, action, run, detail FROM activity WHERE {here} ORDER BY n
-- name: dump_signal
SELECT memory, type, source, at, pending, predicted, corrected, strength FROM signal WHERE {here} ORDER BY n
-- name: dump_pair
SELECT p.low, p.high, p.similarity, p.step, p.reason, p.status, p.verdict, p.model, p.asked, p.at FROM pair p
WHERE {here p} ORDER BY p.low, p.high
-- name: dump_verdict
SELECT key, texts, answer, model, at FROM verdict WHERE {here} ORDER BY key
-- name: dump_call
SELECT at, run, model, purpose, questions, outcome, tokens_in, tokens_out, cost, seconds FROM spend WHERE {here} ORDER BY n
-- name: dump_query
SELECT q.n, q.text, q.at FROM recall_query q WHERE {here q} ORDER BY q.n
-- name: dump_hit
SELECT m.id FROM recall_hit h JOIN memory m ON {here m} AND m.seq = h.memory WHERE {here h} AND h.query = :n ORDER BY h.rank
-- name: dump_slot
SELECT cycle, key, started_at, finished_at, with_model FROM slot WHERE {here} ORDER BY cycle, key

-- name: note_attribute
INSERT INTO attribute ({key}, key, memory) SELECT {value}, :attribute, m.seq FROM memory m WHERE {here m} AND m.id = :id
ON CONFLICT DO NOTHING
-- name: sharing_attributes
SELECT a.key, a.memory FROM {each keys}
{then} attribute a ON {here a} AND a.key = {unhex j.value ->> 0}
{then} memory m ON {here m} AND m.seq = a.memory AND m.state = 'live'
ORDER BY 1, 2
-- name: note_pairs
INSERT INTO pair ({key}, low, high, similarity, step, reason, status, verdict, model, asked, at)
SELECT {value}, j.value ->> 0, j.value ->> 1, CAST(j.value ->> 2 AS double precision), j.value ->> 3, j.value ->> 4, j.value ->> 5,
  j.value ->> 6, j.value ->> 7, CAST(j.value ->> 8 AS bigint), CAST(j.value ->> 9 AS bigint) FROM {each pairs}
WHERE true
ON CONFLICT ({key}, low, high) DO UPDATE SET similarity = excluded.similarity, step = excluded.step, reason = excluded.reason,
  status = excluded.status, verdict = excluded.verdict, model = excluded.model, asked = excluded.asked
WHERE pair.status <> 'review' OR excluded.status = 'review'
-- name: drop_pair
DELETE FROM pair WHERE {here} AND low = :low AND high = :high
-- name: drop_pairs_of
DELETE FROM pair WHERE {here} AND (low {in ids} OR high {in ids})
-- name: pairs
SELECT p.low, p.high, p.similarity, p.step, p.reason, p.status, p.verdict, p.model, p.asked, p.at FROM pair p
{then} memory a ON {here a} AND a.id = p.low AND a.state = 'live'
{then} memory b ON {here b} AND b.id = p.high AND b.state = 'live'
WHERE {here p} AND p.status = :status AND p.step = :step
ORDER BY p.asked, p.similarity DESC, p.low, p.high LIMIT :limit
-- name: pairs_for_review
SELECT p.low, p.high, p.similarity, p.step, p.reason, p.status, p.verdict, p.model, p.asked, p.at FROM pair p
WHERE {here p} AND p.status = 'review' ORDER BY p.at, p.low, p.high LIMIT :limit
-- name: pair
SELECT p.low, p.high, p.similarity, p.step, p.reason, p.status, p.verdict, p.model, p.asked, p.at FROM pair p
WHERE {here p} AND p.low = :low AND p.high = :high
-- name: pair_counts
SELECT p.step, p.status, count(*), min(p.at) FROM pair p
{then} memory a ON {here a} AND a.id = p.low AND a.state = 'live'
{then} memory b ON {here b} AND b.id = p.high AND b.state = 'live'
WHERE {here p} GROUP BY p.step, p.status ORDER BY 1, 2
-- name: verdicts
SELECT v.key, v.answer, v.model FROM {each keys} {then} verdict v ON {here v} AND v.key = {unhex j.value ->> 0}
-- name: keep_verdict
INSERT INTO verdict ({key}, key, texts, answer, model, at) VALUES ({value}, :question, :texts, :answer, :model, :at)
ON CONFLICT ({key}, key) DO UPDATE SET answer = excluded.answer, at = excluded.at
-- name: begin_call
INSERT INTO spend ({key}, at, run, model, purpose, questions, outcome, tokens_in, tokens_out, cost, seconds)
VALUES ({value}, :at, :run, :model, :purpose, :questions, 'open', :tokens, 0, :cost, 0) RETURNING n
-- name: end_call
UPDATE spend SET outcome = :outcome, tokens_in = :tokens_in, tokens_out = :tokens_out, cost = :cost, seconds = :seconds
WHERE {here} AND n = :n
-- name: old_calls
DELETE FROM spend WHERE {here} AND at < :before
-- name: spent
SELECT count(*), coalesce(sum(CASE outcome WHEN 'ok' THEN 0 ELSE 1 END), 0), coalesce(sum(tokens_in), 0),
  coalesce(sum(tokens_out), 0), coalesce(sum(cost), 0) FROM spend WHERE {here} AND at >= :since
-- name: spent_everywhere
SELECT coalesce(sum(cost), 0) FROM spend WHERE at >= :since
-- name: calls
SELECT at, run, model, purpose, questions, outcome, tokens_in, tokens_out, cost, seconds FROM spend WHERE {here}
ORDER BY n DESC LIMIT :limit
-- name: verbose
SELECT {columns} FROM memory
WHERE {here} AND state = 'live' AND gist IS NULL AND length(text) > 500 AND length(text) > :chars
  AND (recall_count < :recalls OR text LIKE '%[merged:%') AND NOT EXISTS (SELECT 1 FROM entry_row r {then} entry e ON {here e} AND e.n = r.entry AND e.step = 'condense' AND e.undone_by IS NOT NULL
    WHERE {here r} AND r.memory = memory.id AND r.role = 0) ORDER BY seq LIMIT :limit
-- name: verbose_count
SELECT count(*) FROM memory
WHERE {here} AND state = 'live' AND gist IS NULL AND length(text) > 500 AND length(text) > :chars
  AND (recall_count < :recalls OR text LIKE '%[merged:%') AND NOT EXISTS (SELECT 1 FROM entry_row r {then} entry e ON {here e} AND e.n = r.entry AND e.step = 'condense' AND e.undone_by IS NOT NULL
    WHERE {here r} AND r.memory = memory.id AND r.role = 0)
-- name: unsynced
SELECT {columns}, mod FROM memory
WHERE {here} AND mod >= coalesce((SELECT max(v.mod) FROM vertex v WHERE {here v}), 0) AND NOT EXISTS (
  SELECT 1 FROM vertex w WHERE {here w} AND w.memory = memory.id AND w.mod = memory.mod)
ORDER BY mod, seq LIMIT :limit
-- name: unsynced_count
SELECT count(*) FROM memory
WHERE {here} AND mod >= coalesce((SELECT max(v.mod) FROM vertex v WHERE {here v}), 0) AND NOT EXISTS (
  SELECT 1 FROM vertex w WHERE {here w} AND w.memory = memory.id AND w.mod = memory.mod)
-- name: put_vertex
INSERT INTO vertex ({key}, memory, kind, label, heat, pinned, state, mod, at)
VALUES ({value}, :memory, :kind, :label, :heat, :pinned, :state, :mod, :at)
ON CONFLICT ({key}, memory) DO UPDATE SET kind = excluded.kind, label = excluded.label, heat = excluded.heat,
  pinned = excluded.pinned, state = excluded.state, mod = excluded.mod, at = excluded.at
-- name: vertices
SELECT memory, kind, label, heat, pinned, state, at FROM vertex WHERE {here} AND memory {in ids} ORDER BY memory
-- name: links_of_many
SELECT DISTINCT source, relation, target, at, evidence FROM (
  SELECT source, relation, target, at, evidence FROM link WHERE {here} AND source {in ids}
  UNION ALL SELECT source, relation, target, at, evidence FROM link WHERE {here} AND target {in ids}) k
ORDER BY source, relation, target
-- name: signals
SELECT memory, type, source, at, pending, predicted, corrected, strength FROM signal
WHERE {here} AND at >= :since AND pending >= :pending ORDER BY n DESC LIMIT :limit
-- name: signals_of
SELECT memory, type, source, at, pending, predicted, corrected, strength FROM signal
WHERE {here} AND memory = :memory ORDER BY n

-- name: calibration
SELECT value FROM meta WHERE name = 'calibration:' || :model
-- name: keep_calibration
INSERT INTO meta (name, value) VALUES ('calibration:' || :model, :record)
ON CONFLICT (name) DO UPDATE SET value = excluded.value
-- name: standings
SELECT s.tenant, s.namespace, s.used_at, s.waiting_since, s.lease_holder, s.fence, s.lease_until FROM scope s
ORDER BY s.tenant, s.namespace

-- serving
-- name: add_api_key
INSERT INTO api_key (id, name, hash, tenant, namespaces, verbs, principal, channel, limits, created_at, expires_at)
VALUES (:id, :name, :hash, :owner, :namespaces, :verbs, :principal, :channel, :limits, :created_at, :expires_at)
-- name: api_key
SELECT id, name, hash, tenant, namespaces, verbs, principal, channel, limits, created_at, expires_at, revoked_at, used_at
FROM api_key WHERE id = :id
-- name: api_keys
SELECT id, name, hash, tenant, namespaces, verbs, principal, channel, limits, created_at, expires_at, revoked_at, used_at
FROM api_key WHERE tenant = :owner ORDER BY created_at, id
-- name: api_key_count
SELECT count(*) FROM api_key WHERE revoked_at IS NULL AND coalesce(expires_at, :now) >= :now
-- name: revoke_api_key
UPDATE api_key SET revoked_at = :at WHERE id = :id AND tenant = :owner AND revoked_at IS NULL
-- name: use_api_key
UPDATE api_key SET used_at = {greatest}(coalesce(used_at, 0), :at) WHERE id = :id
-- name: count_key_use
INSERT INTO key_use (key, day, requests, writes, bytes) VALUES (:id, :day, :requests, :writes, :bytes)
ON CONFLICT (key, day) DO UPDATE SET requests = key_use.requests + excluded.requests,
  writes = key_use.writes + excluded.writes, bytes = key_use.bytes + excluded.bytes
-- name: key_use
SELECT requests, writes, bytes FROM key_use WHERE key = :id AND day = :day
-- name: forget_key_use
DELETE FROM key_use WHERE day < :before
-- name: forget_every_answer
DELETE FROM answer WHERE at < :before
-- name: add_job
INSERT INTO job ({key}, id, verb, status, request, progress, principal, asked_at, beat_at)
VALUES ({value}, :id, :verb, :status, :request, :progress, :principal, :asked_at, :beat_at)
-- name: claim_job
UPDATE job SET status = 'running', beat_at = :at WHERE {here} AND id = :id AND status = 'waiting'
-- name: tell_job
UPDATE job SET status = :status, progress = :progress, run = :run, error = :error, beat_at = :beat_at, finished_at = :finished_at
WHERE {here} AND id = :id AND finished_at IS NULL
-- name: stop_job
UPDATE job SET stop = 1 WHERE {here} AND id = :id AND finished_at IS NULL
-- name: job
SELECT id, verb, status, principal, asked_at, beat_at, progress, stop, run, error, finished_at, request FROM job
WHERE {here} AND id = :id
-- name: jobs
SELECT id, verb, status, principal, asked_at, beat_at, progress, stop, run, error, finished_at, request FROM job
WHERE {here} ORDER BY asked_at DESC, id DESC LIMIT :limit
-- name: forget_jobs
DELETE FROM job WHERE {here} AND asked_at < :before AND finished_at IS NOT NULL
-- name: begin_answer
INSERT INTO answer ({key}, token, request, at) VALUES ({value}, :token, :request, :at) ON CONFLICT ({key}, token) DO NOTHING
-- name: renew_answer
UPDATE answer SET at = :at WHERE {here} AND token = :token AND status IS NULL AND at < :before
-- name: finish_answer
UPDATE answer SET status = :status, body = :body WHERE {here} AND token = :token AND at = :at
-- name: drop_answer
DELETE FROM answer WHERE {here} AND token = :token AND at = :at AND status IS NULL
-- name: answer
SELECT request, status, body, at FROM answer WHERE {here} AND token = :token
-- name: forget_answers
DELETE FROM answer WHERE {here} AND at < :before

-- erasing
-- name: sightings_of_row
SELECT s.n, s.principal, s.channel, s.client, s.session, s.at, s.occurred_at, s.wording, s.external_id
FROM memory m {then} sighting s ON {here s} AND s.memory = m.seq WHERE {here m} AND m.id = :id ORDER BY s.at, s.n
-- name: wordings
SELECT s.n, m.id, s.wording, s.principal FROM sighting s JOIN memory m ON {here m} AND m.seq = s.memory
WHERE {here s} AND s.n > :after AND s.wording IS NOT NULL ORDER BY s.n LIMIT :limit
-- name: rows_of_principal
SELECT id FROM memory WHERE {here} AND principal = :principal AND state <> 'erased'
UNION SELECT m.id FROM sighting s JOIN memory m ON {here m} AND m.seq = s.memory AND m.state <> 'erased'
WHERE {here s} AND s.principal = :principal ORDER BY 1
-- name: derived_directly
SELECT source FROM link WHERE {here} AND target = :id AND relation = 'derived_from' ORDER BY 1
-- name: was_revised
SELECT 1 FROM entry_row r {then} entry e ON {here e} AND e.n = r.entry
WHERE {here r} AND r.memory = :id AND r.role = 0 AND e.move = 'Supersede' AND e.step = 'revise' AND e.status = 'applied'
  AND e.undone_by IS NULL LIMIT 1
-- name: queries_kept
SELECT n, text FROM recall_query WHERE {here} ORDER BY n
-- name: found_by_queries
SELECT h.query, m.id FROM recall_hit h JOIN memory m ON {here m} AND m.seq = h.memory WHERE {here h} ORDER BY 1, 2
-- name: kept_among
SELECT id FROM memory WHERE {here} AND id {in ids} AND state <> 'erased'
-- name: verdict_page
SELECT key, texts, answer FROM verdict WHERE {here} AND key > :after ORDER BY key LIMIT :limit
-- name: runs_with_errors
SELECT id, errors FROM run WHERE {here} AND errors <> '{}' ORDER BY n
-- name: runs_of_actor
SELECT count(*) FROM run WHERE {here} AND actor = :actor
-- name: activity_kept
SELECT n, detail FROM activity WHERE {here} ORDER BY n
-- name: jobs_kept
SELECT id, progress, error, request FROM job WHERE {here} ORDER BY id
-- name: everything_there
SELECT (SELECT count(*) FROM memory WHERE {here}), (SELECT count(*) FROM sighting WHERE {here}),
  (SELECT count(*) FROM link WHERE {here}), (SELECT count(*) FROM embedding WHERE {here}),
  (SELECT count(*) FROM entry WHERE {here} AND move <> 'Erase'), (SELECT count(*) FROM verdict WHERE {here}),
  (SELECT count(*) FROM parked WHERE {here}), (SELECT count(*) FROM recall_query WHERE {here}),
  (SELECT count(*) FROM setting WHERE {here}), (SELECT count(*) FROM signal WHERE {here}),
  (SELECT count(*) FROM job WHERE {here}), (SELECT count(*) FROM answer WHERE {here}),
  (SELECT count(*) FROM run WHERE {here} AND cycle <> 'erase'), (SELECT count(*) FROM activity WHERE {here})
-- name: erasures
SELECT id, at, actor, body, wiped_at FROM erasure WHERE {here} ORDER BY at DESC, id DESC LIMIT :limit
-- name: unwiped
SELECT id FROM erasure WHERE {here} AND wiped_at IS NULL ORDER BY at, id
-- name: dump_erasure
SELECT id, at, actor, body, wiped_at FROM erasure WHERE {here} ORDER BY at, id

-- name: erase_memory
UPDATE memory SET text = '', text_hash = :hash, norm_hash = :hash, gist = NULL, metadata = NULL, key = NULL,
  principal = 'erased', client = NULL, session = NULL, occurred_at = NULL, valid_from = NULL, valid_to = NULL, pinned = 0,
  confidence = 'default', uncurated = 0, state = 'erased', revision = revision + 1, mod = :mod
WHERE {here} AND id = :id
-- name: drop_gist
UPDATE memory SET gist = NULL, revision = revision + 1, mod = :mod WHERE {here} AND id = :id
-- name: give_origin
UPDATE memory SET principal = :principal, channel = :channel, client = :client, session = :session, trust = :trust,
  gist = NULL, metadata = NULL, key = NULL, revision = revision + 1, mod = :mod
WHERE {here} AND id = :id
-- name: drop_attributes
DELETE FROM attribute WHERE {here} AND memory = (SELECT m.seq FROM memory m WHERE {here m} AND m.id = :id)
-- name: drop_sightings
DELETE FROM sighting WHERE {here} AND memory = (SELECT m.seq FROM memory m WHERE {here m} AND m.id = :id)
-- name: drop_sighting
DELETE FROM sighting WHERE {here} AND n = :n
-- name: drop_links
DELETE FROM link WHERE {here} AND (source {in ids} OR target {in ids})
-- name: drop_signals
DELETE FROM signal WHERE {here} AND memory = :id
-- name: drop_vertices
DELETE FROM vertex WHERE {here} AND memory {in ids}
-- name: drop_stamps
DELETE FROM stamp WHERE {here} AND memory = (SELECT m.seq FROM memory m WHERE {here m} AND m.id = :id)
-- name: drop_hits
DELETE FROM recall_hit WHERE {here} AND query = :n
-- name: drop_query
DELETE FROM recall_query WHERE {here} AND n = :n
-- name: drop_embedding
DELETE FROM embedding WHERE {here} AND text_hash = :hash
-- name: drop_verdict
DELETE FROM verdict WHERE {here} AND key = :question
-- name: drop_apart
DELETE FROM apart WHERE {here} AND (low = :hash OR high = :hash)
-- name: empty_entry
UPDATE entry SET body = :body, reason = :reason WHERE {here} AND n = :n
-- name: empty_parked
UPDATE parked SET body = :body, digest = :digest, reason = :reason, status = CASE status WHEN 'waiting' THEN 'stale' ELSE status END
WHERE {here} AND id = :id
-- name: empty_run
UPDATE run SET errors = :errors WHERE {here} AND id = :id
-- name: rename_actor
UPDATE run SET actor = :becomes WHERE {here} AND actor = :actor
-- name: empty_activity
UPDATE activity SET detail = '{}' WHERE {here} AND n = :n
-- name: empty_step
UPDATE step SET reason = :reason WHERE {here} AND cycle = :cycle AND name = :name
-- name: empty_job
UPDATE job SET request = '{}', progress = '{}', status = CASE status WHEN 'waiting' THEN 'failed' ELSE status END,
  error = CASE WHEN error IS NULL THEN NULL ELSE :reason END WHERE {here} AND id = :id
-- name: rename_job
UPDATE job SET principal = :becomes WHERE {here} AND principal = :actor
-- name: every_principal
SELECT principal FROM memory WHERE {here} AND state <> 'erased' UNION SELECT principal FROM sighting WHERE {here} ORDER BY 1
-- name: drop_open_answers
DELETE FROM answer WHERE {here} AND status IS NULL
-- name: empty_answers
UPDATE answer SET body = NULL WHERE {here} AND body IS NOT NULL
-- name: restore_entry
INSERT INTO entry ({key}, n, run, idx, step, move, reason, status, at, body, model, tokens, undoes, counted, previous, hash)
VALUES ({value}, :n, :run, :idx, :step, :move, :reason, :status, :at, :body, :model, :tokens, :undoes, :counted, :previous,
  :hash)
-- name: add_erasure
INSERT INTO erasure ({key}, id, at, actor, body, wiped_at) VALUES ({value}, :id, :at, :actor, :body, :wiped_at)
ON CONFLICT DO NOTHING
-- name: wiped
UPDATE erasure SET wiped_at = :at WHERE {here} AND id = :id AND wiped_at IS NULL

-- name: clear_clause
DELETE FROM clause WHERE {here}
-- name: clear_attribute
DELETE FROM attribute WHERE {here}
-- name: clear_sighting
DELETE FROM sighting WHERE {here}
-- name: clear_link
DELETE FROM link WHERE {here}
-- name: clear_embedding
DELETE FROM embedding WHERE {here}
-- name: clear_run
DELETE FROM run WHERE {here}
-- name: clear_entry
DELETE FROM entry WHERE {here}
-- name: clear_entry_row
DELETE FROM entry_row WHERE {here}
-- name: clear_stamp
DELETE FROM stamp WHERE {here}
-- name: clear_apart
DELETE FROM apart WHERE {here}
-- name: clear_parked
DELETE FROM parked WHERE {here}
-- name: clear_activity
DELETE FROM activity WHERE {here}
-- name: clear_signal
DELETE FROM signal WHERE {here}
-- name: clear_recall_hit
DELETE FROM recall_hit WHERE {here}
-- name: clear_recall_query
DELETE FROM recall_query WHERE {here}
-- name: clear_setting
DELETE FROM setting WHERE {here}
-- name: clear_slot
DELETE FROM slot WHERE {here}
-- name: clear_step
DELETE FROM step WHERE {here}
-- name: clear_pair
DELETE FROM pair WHERE {here}
-- name: clear_verdict
DELETE FROM verdict WHERE {here}
-- name: clear_spend
DELETE FROM spend WHERE {here}
-- name: clear_vertex
DELETE FROM vertex WHERE {here}
-- name: clear_job
DELETE FROM job WHERE {here}
-- name: clear_answer
DELETE FROM answer WHERE {here}
-- name: clear_memory
DELETE FROM memory WHERE {here}
