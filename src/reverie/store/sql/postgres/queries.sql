-- What only PostgreSQL says in its own way.

-- part: here
{alias}tenant = :tenant AND {alias}namespace = :namespace
-- part: key
tenant, namespace
-- part: value
:tenant, :namespace
-- part: in
= ANY(:{name})
-- part: each
json_array_elements(CAST(:{name} AS json)) AS j (value)
-- part: unhex
decode({name}, 'hex')
-- part: bytes
vector_send({name})
-- part: then
JOIN
-- part: greatest
greatest
-- part: least
least

-- name: enter
SELECT set_config('search_path', :path, true), set_config('lock_timeout', :lock_ms, true), set_config('jit', 'off', true),
  set_config('idle_in_transaction_session_timeout', :hanging_ms, true), set_config('synchronous_commit', :synchronous, true),
  set_config('reverie.tenant', :tenant, true), set_config('reverie.namespace', :namespace, true)
-- name: enter_all
SELECT set_config('search_path', :path, true), set_config('reverie.every_scope', 'yes', true)
-- name: search_path
SELECT 'reverie,' || current_setting('search_path')
-- name: only_one_migrates
SELECT pg_advisory_xact_lock(7164129384)
-- name: create_schema
CREATE SCHEMA IF NOT EXISTS reverie
-- name: has_schema
SELECT to_regnamespace('reverie') IS NOT NULL
-- name: pgvector_version
SELECT extversion FROM pg_extension WHERE extname = 'vector'
-- name: create_extension
CREATE EXTENSION IF NOT EXISTS vector
-- name: has_meta
SELECT to_regclass('reverie.meta') IS NOT NULL
-- name: schema_version
SELECT value FROM meta WHERE name = 'schema'
-- name: set_schema_version
INSERT INTO meta (name, value) VALUES ('schema', :version) ON CONFLICT (name) DO UPDATE SET value = excluded.value
-- name: facts
SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
  current_setting('fsync'), current_setting('full_page_writes'), current_database(), current_user,
  (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),
  (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relnamespace = to_regnamespace('reverie') AND c.relkind = 'r')
-- name: has_queue
SELECT pg_advisory_xact_lock(7164129385), to_regclass('reverie.procrastinate_jobs') IS NOT NULL
-- name: broken_indexes
SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = to_regnamespace('reverie') AND NOT i.indisvalid AND NOT EXISTS (
  SELECT 1 FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid)
-- name: texts_without_words
SELECT count(*) FROM memory m WHERE m.state <> 'erased' AND NOT EXISTS (
  SELECT 1 FROM memory_text t WHERE t.tenant = m.tenant AND t.namespace = m.namespace AND t.memory = m.seq)
-- name: rows_of_nobody
SELECT 'sighting', count(*) FROM sighting s WHERE NOT EXISTS (
  SELECT 1 FROM memory m WHERE m.tenant = s.tenant AND m.namespace = s.namespace AND m.seq = s.memory)
UNION ALL SELECT 'clause', count(*) FROM clause c WHERE NOT EXISTS (
  SELECT 1 FROM memory m WHERE m.tenant = c.tenant AND m.namespace = c.namespace AND m.seq = c.memory)
UNION ALL SELECT 'memory_text', count(*) FROM memory_text t WHERE NOT EXISTS (
  SELECT 1 FROM memory m WHERE m.tenant = t.tenant AND m.namespace = t.namespace AND m.seq = t.memory)
-- name: scope_number
SELECT number FROM scope WHERE {here}
-- name: lock_scope
SELECT number, mod, epoch FROM scope WHERE {here} FOR UPDATE
-- name: add_scope
INSERT INTO scope (tenant, namespace, grammar) VALUES (:tenant, :namespace, :grammar) ON CONFLICT DO NOTHING
-- name: scopes
SELECT s.tenant, s.namespace FROM scope s
WHERE s.tenant = coalesce(CAST(:whose AS text), s.tenant) AND (
  EXISTS (SELECT 1 FROM memory m WHERE m.tenant = s.tenant AND m.namespace = s.namespace)
  OR EXISTS (SELECT 1 FROM setting t WHERE t.tenant = s.tenant AND t.namespace = s.namespace)
  OR EXISTS (SELECT 1 FROM erasure e WHERE e.tenant = s.tenant AND e.namespace = s.namespace))
ORDER BY 1, 2
-- name: standing_uncurated
SELECT tenant, namespace, count(*) FROM memory WHERE uncurated = 1 AND state = 'live' GROUP BY tenant, namespace
-- name: standing_slots
SELECT DISTINCT ON (tenant, namespace, cycle) tenant, namespace, cycle, key, started_at, finished_at, with_model
FROM slot ORDER BY tenant, namespace, cycle, started_at DESC
-- name: standing_models
SELECT tenant, namespace, max(started_at) FROM slot WHERE with_model = 1 AND cycle = 'tidy' GROUP BY tenant, namespace
-- name: standing_settings
SELECT tenant, namespace, name, value FROM setting
-- name: version
SELECT mod FROM scope WHERE {here}
-- name: set_mod
UPDATE scope SET mod = :mod WHERE {here}
-- name: set_tick
UPDATE scope SET epoch = :epoch, used_at = greatest(coalesce(used_at, 0), :at) WHERE {here}
-- name: insert_memory
WITH new AS (
  INSERT INTO memory (tenant, namespace, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal,
    channel, client, session, trust, occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at,
    last_recalled_at, recall_count, access_count, epoch, importance, utility, strength, strength_at, half_life_days,
    confidence, pinned, durable, state, merged_into, superseded_by, revision, uncurated, mod)
  VALUES (:tenant, :namespace, :id, :kind, :text, :text_hash, :norm_hash, :gist, :derived, :metadata, :key, :principal,
    :channel, :client, :session, :trust, :occurred_at, :written_at, :stated_at, :valid_from, :valid_to, :curated_at,
    :archived_at, :last_recalled_at, :recall_count, :access_count, :epoch, :importance, :utility, :strength, :strength_at,
    :half_life_days, :confidence, :pinned, :durable, :state, :merged_into, :superseded_by, :revision, :uncurated, :mod)
  ON CONFLICT DO NOTHING RETURNING seq
), signed AS (
  INSERT INTO clause (tenant, namespace, signature, memory)
  SELECT :tenant, :namespace, s, new.seq FROM new CROSS JOIN unnest(CAST(:signatures AS bytea[])) AS s
), worded AS (
  INSERT INTO memory_text (tenant, namespace, memory, part, words)
  SELECT :tenant, :namespace, new.seq, w.part, CAST(w.words AS tsvector)
  FROM new CROSS JOIN unnest(CAST(:words AS text[])) WITH ORDINALITY AS w (words, part)
)
SELECT seq FROM new
-- name: next_seqs
SELECT nextval(pg_get_serial_sequence('memory', 'seq')) FROM generate_series(1, :n) ORDER BY 1
-- name: bulk_memory
CREATE TEMPORARY TABLE IF NOT EXISTS bulk_memory (LIKE memory) ON COMMIT DELETE ROWS
-- name: copy_memory
COPY bulk_memory (tenant, namespace,
  seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust,
  occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count,
  access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state,
  merged_into, superseded_by, revision, uncurated, mod)
FROM STDIN
-- name: take_memory
WITH given AS (DELETE FROM bulk_memory RETURNING *)
INSERT INTO memory (tenant, namespace,
  seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust,
  occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count,
  access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state,
  merged_into, superseded_by, revision, uncurated, mod)
OVERRIDING SYSTEM VALUE SELECT tenant, namespace,
  seq, id, kind, text, text_hash, norm_hash, gist, derived, metadata, key, principal, channel, client, session, trust,
  occurred_at, written_at, stated_at, valid_from, valid_to, curated_at, archived_at, last_recalled_at, recall_count,
  access_count, epoch, importance, utility, strength, strength_at, half_life_days, confidence, pinned, durable, state,
  merged_into, superseded_by, revision, uncurated, mod
FROM given
-- name: bulk_clause
CREATE TEMPORARY TABLE IF NOT EXISTS bulk_clause (LIKE clause) ON COMMIT DELETE ROWS
-- name: copy_clause
COPY bulk_clause (tenant, namespace, signature, memory) FROM STDIN
-- name: take_clause
WITH given AS (DELETE FROM bulk_clause RETURNING *)
INSERT INTO clause (tenant, namespace, signature, memory) SELECT tenant, namespace, signature, memory FROM given
-- name: copy_words
COPY memory_text (tenant, namespace, memory, part, words) FROM STDIN
-- name: bulk_vectors
CREATE TEMPORARY TABLE IF NOT EXISTS bulk_vector (text_hash bytea, model int, data vector) ON COMMIT DELETE ROWS
-- name: copy_vectors
COPY bulk_vector (text_hash, model, data) FROM STDIN
-- name: take_vectors
WITH given AS (DELETE FROM bulk_vector RETURNING text_hash, model, data)
INSERT INTO embedding (tenant, namespace, text_hash, model, data)
SELECT DISTINCT ON (text_hash, model) :tenant, :namespace, text_hash, model, data FROM given
ON CONFLICT DO NOTHING
-- name: clashes
SELECT 1 FROM memory
WHERE {here} AND id <> :id AND state = 'live' AND :state = 'live' AND (key = :key OR (norm_hash = :norm_hash AND kind = :kind))
LIMIT 1
-- name: insert_vector
INSERT INTO embedding (tenant, namespace, text_hash, model, data) VALUES (:tenant, :namespace, :text_hash, :model, :data)
ON CONFLICT DO NOTHING
-- name: insert_entry_rows
INSERT INTO entry_row (tenant, namespace, memory, entry, role)
SELECT :tenant, :namespace, m, :entry, r FROM unnest(CAST(:memories AS text[]), CAST(:roles AS smallint[])) AS e (m, r)
ON CONFLICT DO NOTHING
-- name: add_hit
INSERT INTO recall_hit (tenant, namespace, query, rank, memory)
SELECT :tenant, :namespace, :query, :rank, seq FROM memory WHERE {here} AND id = :id
-- name: stamp_before
INSERT INTO stamp (tenant, namespace, run, memory, before, after)
SELECT :tenant, :namespace, :run, m.seq, m.curated_at, :at FROM memory m
JOIN unnest(CAST(:ids AS text[]), CAST(:revisions AS bigint[])) AS r (id, revision) ON r.id = m.id AND r.revision = m.revision
WHERE {here m} AND m.id = ANY(:ids) AND m.uncurated = 1
ON CONFLICT DO NOTHING
-- name: stamp
UPDATE memory m SET curated_at = :at, uncurated = 0
FROM unnest(CAST(:ids AS text[]), CAST(:revisions AS bigint[])) AS r (id, revision)
WHERE {here m} AND m.id = ANY(:ids) AND m.id = r.id AND m.revision = r.revision AND m.uncurated = 1
-- name: postings
SELECT DISTINCT memory FROM memory_text
WHERE words @@ CAST(:words AS tsquery) AND {here} AND memory > :after ORDER BY memory
-- name: scan_widely
SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', :width, true),
  set_config('plan_cache_mode', 'force_custom_plan', true)
-- name: nearest
SELECT m.seq, 1 - (CAST(v.data AS vector(<dim>)) <=> CAST(:query AS vector(<dim>))) FROM embedding v
JOIN memory m ON {here m} AND m.text_hash = v.text_hash AND m.state = 'live'
WHERE {here v} AND v.model = :model AND m.kind = ANY(:kinds) AND m.trust = ANY(:trusts)
ORDER BY CAST(v.data AS vector(<dim>)) <=> CAST(:query AS vector(<dim>)) LIMIT :limit
-- name: vectors_by_seq
SELECT m.seq, vector_send(v.data) FROM memory m
JOIN embedding v ON {here v} AND v.text_hash = m.text_hash AND v.model = (SELECT d.model FROM model d WHERE d.name = :model)
WHERE {here m} AND m.seq = ANY(:seqs)
-- name: vector_indexes
SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = to_regnamespace('reverie') AND c.relname LIKE 'vector_near_%'
-- name: build_vector_index
CREATE INDEX CONCURRENTLY <name> ON reverie.embedding USING hnsw ((CAST(data AS vector(<dim>))) vector_cosine_ops)
WITH (m = 24, ef_construction = 128)
WHERE tenant = <tenant> AND namespace = <namespace> AND model = <model>
-- name: room_to_build
SELECT set_config('maintenance_work_mem', '512MB', false)
-- name: drop_vector_index
DROP INDEX CONCURRENTLY IF EXISTS reverie.<name>

-- name: drop_words
DELETE FROM memory_text WHERE {here} AND memory = (SELECT m.seq FROM memory m WHERE {here m} AND m.id = :id)
-- name: clear_memory_text
DELETE FROM memory_text WHERE {here}
-- name: wait_no_longer
SELECT set_config('lock_timeout', :lock_ms, false)
-- name: tables_to_wipe
SELECT c.relname FROM pg_class c WHERE c.relnamespace = to_regnamespace('reverie') AND c.relkind = 'r'
  AND c.relname NOT LIKE 'procrastinate%' ORDER BY 1
-- name: wipe_table
VACUUM (FULL, VERBOSE, ANALYZE) reverie.<name>
-- name: wipe_statistics
VACUUM (FULL, VERBOSE) pg_catalog.pg_statistic

-- name: waiting_jobs
SELECT tenant, namespace, id FROM (
  SELECT tenant, namespace, id, asked_at,
    row_number() OVER (PARTITION BY tenant, namespace ORDER BY asked_at, id) AS turn
  FROM job WHERE status = 'waiting') w
ORDER BY turn, asked_at, id LIMIT :limit
-- name: steps_failing
SELECT tenant, namespace, count(*) FROM step WHERE failing = 1 GROUP BY 1, 2 ORDER BY 1, 2
