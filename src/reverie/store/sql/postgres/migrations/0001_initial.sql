-- The first schema on PostgreSQL. It is the embedded store's, column for column, so that what is read is read by the same
-- code; every key leads with tenant and namespace written out, so that the tables can be partitioned or distributed by them.
-- Times are microseconds since 1970, UTC; hashes are 16 bytes; flags are 0 and 1; JSON is text that nobody queries.

CREATE TABLE meta (
  name text COLLATE "C" PRIMARY KEY,
  value text
);

CREATE TABLE scope (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE, -- leads every word of the full-text index
  epoch bigint NOT NULL DEFAULT 0,
  used_at bigint,
  grammar int NOT NULL,
  mod bigint NOT NULL DEFAULT 0, -- grows with every transaction that changes what recall can see
  waiting_since bigint,
  fence bigint NOT NULL DEFAULT 0,
  lease_holder text,
  lease_until bigint,
  PRIMARY KEY (tenant, namespace)
) WITH (fillfactor = 50); -- updated by every write, in place

CREATE TABLE memory (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  text text NOT NULL,
  text_hash bytea NOT NULL,
  norm_hash bytea NOT NULL,
  gist text,
  derived smallint NOT NULL DEFAULT 0,
  metadata text,
  key text COLLATE "C",
  principal text NOT NULL,
  channel text NOT NULL,
  client text,
  session text,
  trust text NOT NULL,
  occurred_at bigint,
  written_at bigint NOT NULL,
  stated_at bigint NOT NULL,
  valid_from bigint,
  valid_to bigint,
  curated_at bigint,
  archived_at bigint,
  last_recalled_at bigint,
  recall_count bigint NOT NULL DEFAULT 0,
  access_count bigint NOT NULL DEFAULT 0,
  epoch bigint NOT NULL DEFAULT 0,
  importance double precision NOT NULL,
  utility double precision NOT NULL,
  strength double precision NOT NULL,
  strength_at bigint,
  half_life_days double precision NOT NULL,
  confidence text NOT NULL,
  pinned smallint NOT NULL DEFAULT 0,
  durable smallint NOT NULL DEFAULT 1,
  state text COLLATE "C" NOT NULL,
  merged_into text COLLATE "C",
  superseded_by text COLLATE "C",
  revision bigint NOT NULL DEFAULT 1,
  uncurated smallint NOT NULL DEFAULT 1,
  mod bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, id),
  UNIQUE (tenant, namespace, seq)
);

-- Closes the check-then-insert race: one live row a text and kind.
CREATE UNIQUE INDEX memory_live_text ON memory (tenant, namespace, norm_hash, kind) WHERE state = 'live';
CREATE UNIQUE INDEX memory_live_key ON memory (tenant, namespace, key) WHERE key IS NOT NULL AND state = 'live';
CREATE INDEX memory_text_hash ON memory (tenant, namespace, text_hash) WHERE state = 'live';
CREATE INDEX memory_mod ON memory (tenant, namespace, mod);
CREATE INDEX memory_uncurated ON memory (tenant, namespace, seq) WHERE uncurated = 1 AND state = 'live';
CREATE INDEX memory_merged ON memory (tenant, namespace, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX memory_superseded ON memory (tenant, namespace, superseded_by) WHERE superseded_by IS NOT NULL;

-- The guard's signatures of a text and of its clauses: equal ones are candidates for a merge, with no vector needed.
CREATE TABLE clause (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  signature bytea NOT NULL,
  memory bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, signature, memory)
);
CREATE INDEX clause_memory ON clause (tenant, namespace, memory);

-- Words as the embedded store's tokenizer makes them, each led by the scope's number: 12:garden. Long texts in parts.
CREATE TABLE memory_text (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  memory bigint NOT NULL,
  part int NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (tenant, namespace, memory, part)
);
CREATE INDEX memory_text_words ON memory_text USING gin (words) WITH (fastupdate = off); -- no write pays for others

CREATE TABLE sighting (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  n bigint GENERATED ALWAYS AS IDENTITY,
  memory bigint NOT NULL,
  principal text NOT NULL,
  channel text NOT NULL,
  client text,
  session text,
  at bigint NOT NULL,
  occurred_at bigint,
  wording text,
  external_id text COLLATE "C",
  PRIMARY KEY (tenant, namespace, n)
);
CREATE INDEX sighting_memory ON sighting (tenant, namespace, memory);
CREATE UNIQUE INDEX sighting_external ON sighting (tenant, namespace, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE link (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  relation text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  evidence text,
  PRIMARY KEY (tenant, namespace, source, relation, target)
);
CREATE INDEX link_target ON link (tenant, namespace, target, relation);

CREATE TABLE model (
  model int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  dim int NOT NULL
);

-- Keyed by the text's hash and the model, so that a vector can never be out of date. Of any dimension: a large namespace
-- has an HNSW index of its own, over one model's vectors (reverie.store.postgres.vectors).
CREATE TABLE embedding ( -- not called vector, which is pgvector's type
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  text_hash bytea NOT NULL,
  model int NOT NULL REFERENCES model,
  data vector NOT NULL,
  PRIMARY KEY (tenant, namespace, text_hash, model)
);

CREATE TABLE run (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  n bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  cycle text NOT NULL,
  actor text NOT NULL,
  started_at bigint NOT NULL,
  finished_at bigint,
  status text NOT NULL,
  counts text NOT NULL,
  errors text NOT NULL,
  steps text NOT NULL DEFAULT '[]',
  PRIMARY KEY (tenant, namespace, id)
);
CREATE INDEX run_order ON run (tenant, namespace, n);

CREATE TABLE entry (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  n bigint NOT NULL, -- 1, 2, 3 … in each scope: an export keeps it
  run text COLLATE "C" NOT NULL,
  idx bigint NOT NULL,
  step text NOT NULL,
  move text NOT NULL,
  reason text NOT NULL,
  status text NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL,
  model text,
  tokens bigint NOT NULL DEFAULT 0,
  undoes bigint,
  undone_by bigint,
  counted smallint NOT NULL DEFAULT 0,
  previous bytea NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (tenant, namespace, n),
  UNIQUE (tenant, namespace, run, idx)
);
CREATE INDEX entry_time ON entry (tenant, namespace, at);
CREATE INDEX entry_counted ON entry (tenant, namespace, at) WHERE counted = 1;

-- Which rows an entry set (role 0) or let gather (role 1): what history and undo look up.
CREATE TABLE entry_row (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  memory text COLLATE "C" NOT NULL,
  entry bigint NOT NULL,
  role smallint NOT NULL,
  PRIMARY KEY (tenant, namespace, memory, entry)
);

-- What `curated_at` was before a run stamped it, and what the run made it, so that undo restores it too.
CREATE TABLE stamp (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  run text COLLATE "C" NOT NULL,
  memory bigint NOT NULL,
  before bigint,
  after bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, run, memory)
);

-- Pairs that somebody has ruled not to be the same: never proposed again.
CREATE TABLE apart (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  low bytea NOT NULL,
  high bytea NOT NULL,
  reason text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, low, high)
);

CREATE TABLE parked (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  run text NOT NULL,
  step text NOT NULL,
  digest bytea NOT NULL,
  reason text NOT NULL,
  at bigint NOT NULL,
  status text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (tenant, namespace, id)
);

CREATE TABLE activity (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  n bigint GENERATED ALWAYS AS IDENTITY,
  at bigint NOT NULL,
  action text NOT NULL,
  run text,
  detail text NOT NULL,
  PRIMARY KEY (tenant, namespace, n)
);

CREATE TABLE signal (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  n bigint GENERATED ALWAYS AS IDENTITY,
  memory text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  pending smallint NOT NULL DEFAULT 1,
  PRIMARY KEY (tenant, namespace, n)
);
CREATE UNIQUE INDEX signal_once ON signal (tenant, namespace, memory, type, source) WHERE pending = 1;

CREATE TABLE recall_query (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  n bigint GENERATED ALWAYS AS IDENTITY,
  text text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, n)
);

CREATE TABLE recall_hit (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  query bigint NOT NULL,
  rank int NOT NULL,
  memory bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, query, rank)
);

CREATE TABLE setting (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (tenant, namespace, name)
);

CREATE TABLE slot (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  cycle text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  finished_at bigint,
  with_model smallint NOT NULL,
  PRIMARY KEY (tenant, namespace, cycle, key)
);

CREATE TABLE step (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  cycle text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  succeeded_at bigint,
  failed_at bigint,
  reason text,
  failing smallint NOT NULL,
  PRIMARY KEY (tenant, namespace, cycle, name)
);

-- The second wall: a query that forgets its scope still sees one only. It holds for every role but superusers and those with
-- BYPASSRLS. memory_text has none, as full-text search cannot use an index behind one; its words carry the scope themselves.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['memory', 'clause', 'sighting', 'link', 'embedding', 'run', 'entry', 'entry_row', 'stamp', 'apart',
    'parked', 'activity', 'signal', 'recall_query', 'recall_hit', 'setting', 'slot', 'step']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    -- Not (SELECT current_setting(…)): a planner that cannot see the value thinks every namespace small, and uses no HNSW index.
    EXECUTE format('CREATE POLICY one_scope ON %I USING (
      (tenant = current_setting(''reverie.tenant'', true) AND namespace = current_setting(''reverie.namespace'', true))
      OR current_setting(''reverie.every_scope'', true) = ''yes'')', name);
  END LOOP;
END $$;
