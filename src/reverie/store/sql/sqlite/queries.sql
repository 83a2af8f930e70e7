-- What only the embedded store says in its own way. ":scope" stands for (tenant, namespace).

-- part: here
{alias}scope = :scope
-- part: key
scope
-- part: value
:scope
-- part: in
IN (SELECT value FROM json_each(:{name}))
-- part: each
json_each(:{name}) j
-- part: unhex
unhex({name})
-- part: bytes
{name}
-- part: then
CROSS JOIN
-- part: greatest
max
-- part: least
min

-- name: scope_id
SELECT scope FROM scope WHERE tenant = :tenant AND namespace = :namespace
-- name: add_scope
INSERT INTO scope (tenant, namespace, grammar) VALUES (:tenant, :namespace, :grammar) ON CONFLICT DO NOTHING
-- name: scopes
SELECT s.tenant, s.namespace FROM scope s
WHERE s.tenant = coalesce(:whose, s.tenant) AND (
  EXISTS (SELECT 1 FROM memory m WHERE m.scope = s.scope) OR EXISTS (SELECT 1 FROM setting t WHERE t.scope = s.scope)
  OR EXISTS (SELECT 1 FROM erasure e WHERE e.scope = s.scope))
ORDER BY 1, 2
-- name: standing_uncurated
SELECT s.tenant, s.namespace, count(*) FROM memory m JOIN scope s ON s.scope = m.scope
WHERE m.uncurated = 1 AND m.state = 'live' GROUP BY m.scope
-- name: standing_slots
SELECT s.tenant, s.namespace, t.cycle, t.key, max(t.started_at), t.finished_at, t.with_model
FROM slot t JOIN scope s ON s.scope = t.scope GROUP BY t.scope, t.cycle
-- name: standing_models
SELECT s.tenant, s.namespace, max(t.started_at) FROM slot t JOIN scope s ON s.scope = t.scope
WHERE t.with_model = 1 AND t.cycle = 'tidy' GROUP BY t.scope
-- name: standing_settings
SELECT s.tenant, s.namespace, t.name, t.value FROM setting t JOIN scope s ON s.scope = t.scope
-- name: version
SELECT value FROM meta WHERE name = 'mod'
-- name: next_mod
UPDATE meta SET value = value + 1 WHERE name = 'mod' RETURNING value
-- name: tick
UPDATE scope SET epoch = epoch + :n, used_at = max(coalesce(used_at, 0), :at) WHERE scope = :scope RETURNING epoch
-- name: row_by_seq
SELECT {columns} FROM memory WHERE seq = :seq AND scope = :scope
-- name: insert_memory
INSERT INTO memory (scope, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel,
  client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at,
  last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days,
  confidence, pinned, durable, state, merged_into, superseded_by, revision, uncurated, mod)
VALUES (:scope, :id, :kind, :text, :text_hash, :norm_hash, :gist, :derived, :metadata, :key, :principal, :channel,
  :client, :session, :trust, :occurred_at, :written_at, :stated_at, :valid_from, :valid_to, :curated_at, :archived_at,
  :last_recalled_at, :recall_count, :access_count, :epoch, :importance, :utility, :strength, :strength_at, :half_life_days,
  :confidence, :pinned, :durable, :state, :merged_into, :superseded_by, :revision, :uncurated, :mod)
-- name: insert_text
INSERT INTO memory_text (rowid, body, place) VALUES (:seq, :body, :place)
-- name: insert_clause
INSERT INTO clause (scope, signature, memory) VALUES (:scope, :signature, :memory) ON CONFLICT DO NOTHING
-- name: insert_vector
INSERT INTO embedding (scope, text_hash, model, data) VALUES (:scope, :text_hash, :model, :data) ON CONFLICT DO NOTHING
-- name: insert_entry_row
INSERT INTO entry_row (scope, memory, entry, role) VALUES (:scope, :memory, :entry, :role) ON CONFLICT DO NOTHING
-- name: add_hit
INSERT INTO recall_hit (scope, query, rank, memory)
SELECT :scope, :query, :rank, seq FROM memory WHERE scope = :scope AND id = :id
-- name: stamp_before
INSERT INTO stamp (scope, run, memory, before, after)
SELECT :scope, :run, m.seq, m.curated_at, :at FROM json_each(:rows) j
CROSS JOIN memory m ON m.scope = :scope AND m.id = j.value ->> 0 AND m.revision = CAST(j.value ->> 1 AS bigint) AND m.uncurated = 1
WHERE true ON CONFLICT DO NOTHING
-- name: stamp
UPDATE memory SET curated_at = :at, uncurated = 0 WHERE scope = :scope AND seq IN (
  SELECT m.seq FROM json_each(:rows) j
  CROSS JOIN memory m ON m.scope = :scope AND m.id = j.value ->> 0 AND m.revision = CAST(j.value ->> 1 AS bigint) AND m.uncurated = 1)
-- name: postings
SELECT rowid FROM memory_text WHERE memory_text MATCH :words AND rowid > :after ORDER BY rowid

-- name: drop_words
DELETE FROM memory_text WHERE rowid = (SELECT seq FROM memory WHERE scope = :scope AND id = :id)
-- name: clear_memory_text
DELETE FROM memory_text WHERE rowid IN (SELECT seq FROM memory WHERE scope = :scope)
-- name: merge_words
INSERT INTO memory_text (memory_text) VALUES ('optimize')

-- name: waiting_jobs
SELECT tenant, namespace, id FROM (
  SELECT s.tenant, s.namespace, j.id, j.asked_at,
    row_number() OVER (PARTITION BY j.scope ORDER BY j.asked_at, j.id) AS turn
  FROM job j JOIN scope s ON s.scope = j.scope WHERE j.status = 'waiting')
ORDER BY turn, asked_at, id LIMIT :limit
-- name: steps_failing
SELECT s.tenant, s.namespace, count(*) FROM step t JOIN scope s ON s.scope = t.scope WHERE t.failing = 1 GROUP BY 1, 2 ORDER BY 1, 2
-- name: wipe_file
VACUUM
-- name: leap
UPDATE meta SET value = value + :by WHERE name = 'mod'
