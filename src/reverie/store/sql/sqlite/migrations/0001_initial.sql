-- The first schema. Every table but meta and model leads with the scope, which stands for (tenant, namespace).
-- Times are microseconds since 1970, UTC; hashes are 16 bytes; JSON is text.

CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

-- One counter for the whole file: grows with every transaction that changes what recall can see.
INSERT INTO meta (name, value) VALUES ('mod', 0);

CREATE TABLE scope (
  scope INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  namespace TEXT NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,
  used_at INTEGER,
  grammar INTEGER NOT NULL, -- of the guard that made the signatures in clause
  UNIQUE (tenant, namespace)
) STRICT;

CREATE TABLE memory (
  seq INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scope,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  text_hash BLOB NOT NULL,
  norm_hash BLOB NOT NULL,
  gist TEXT,
  derived INTEGER NOT NULL DEFAULT 0,
  metadata TEXT,
  key TEXT,
  principal TEXT NOT NULL,
  channel TEXT NOT NULL,
  client TEXT,
  session TEXT,
  trust TEXT NOT NULL,
  occurred_at INTEGER,
  written_at INTEGER NOT NULL,
  stated_at INTEGER NOT NULL,
  valid_from INTEGER,
  valid_to INTEGER,
  curated_at INTEGER,
  archived_at INTEGER,
  last_recalled_at INTEGER,
  recall_count INTEGER NOT NULL DEFAULT 0,
  access_count INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER NOT NULL DEFAULT 0,
  importance REAL NOT NULL,
  utility REAL NOT NULL,
  strength REAL NOT NULL,
  strength_at INTEGER,
  half_life_days REAL NOT NULL,
  confidence TEXT NOT NULL,
  pinned INTEGER NOT NULL DEFAULT 0,
  durable INTEGER NOT NULL DEFAULT 1,
  state TEXT NOT NULL,
  merged_into TEXT,
  superseded_by TEXT,
  revision INTEGER NOT NULL DEFAULT 1,
  uncurated INTEGER NOT NULL DEFAULT 1,
  mod INTEGER NOT NULL,
  UNIQUE (scope, id)
) STRICT;

-- Closes the check-then-insert race: one live row a text and kind.
CREATE UNIQUE INDEX memory_live_text ON memory (scope, norm_hash, kind) WHERE state = 'live';
CREATE UNIQUE INDEX memory_live_key ON memory (scope, key) WHERE key IS NOT NULL AND state = 'live';
CREATE INDEX memory_mod ON memory (scope, mod);
CREATE INDEX memory_uncurated ON memory (scope, seq) WHERE uncurated = 1 AND state = 'live';
CREATE INDEX memory_merged ON memory (scope, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX memory_superseded ON memory (scope, superseded_by) WHERE superseded_by IS NOT NULL;

-- The guard's signatures of a text and of its clauses: equal ones are candidates for a merge, with no vector needed.
CREATE TABLE clause (
  scope INTEGER NOT NULL,
  signature BLOB NOT NULL,
  memory INTEGER NOT NULL,
  PRIMARY KEY (scope, signature, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX clause_memory ON clause (scope, memory);

CREATE TABLE sighting (
  n INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  memory INTEGER NOT NULL REFERENCES memory,
  principal TEXT NOT NULL,
  channel TEXT NOT NULL,
  client TEXT,
  session TEXT,
  at INTEGER NOT NULL,
  occurred_at INTEGER,
  wording TEXT,
  external_id TEXT
) STRICT;
CREATE INDEX sighting_memory ON sighting (scope, memory);
CREATE UNIQUE INDEX sighting_external ON sighting (scope, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE link (
  scope INTEGER NOT NULL,
  source TEXT NOT NULL,
  relation TEXT NOT NULL,
  target TEXT NOT NULL,
  at INTEGER NOT NULL,
  evidence TEXT,
  PRIMARY KEY (scope, source, relation, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_target ON link (scope, target, relation);

CREATE TABLE model (
  model INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dim INTEGER NOT NULL
) STRICT;

-- Keyed by the text's hash and the model, so that a vector can never be out of date.
CREATE TABLE vector (
  n INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  text_hash BLOB NOT NULL,
  model INTEGER NOT NULL REFERENCES model,
  data BLOB NOT NULL,
  UNIQUE (scope, text_hash, model)
) STRICT;

-- Texts are folded before they come here (reverie.text.fold): case, diacritics, scripts without spaces.
CREATE VIRTUAL TABLE memory_text USING fts5 (
  body, place,
  content = '', contentless_delete = 1, columnsize = 1,
  tokenize = 'porter unicode61 remove_diacritics 2 categories ''L* N* M* Co So'''
);

CREATE TABLE run (
  n INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  id TEXT NOT NULL,
  cycle TEXT NOT NULL,
  actor TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  status TEXT NOT NULL,
  counts TEXT NOT NULL,
  errors TEXT NOT NULL,
  UNIQUE (scope, id)
) STRICT;

CREATE TABLE entry (
  scope INTEGER NOT NULL,
  n INTEGER NOT NULL, -- 1, 2, 3 … in each scope: an export keeps it
  run TEXT NOT NULL,
  idx INTEGER NOT NULL,
  step TEXT NOT NULL,
  move TEXT NOT NULL,
  reason TEXT NOT NULL,
  status TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  model TEXT,
  tokens INTEGER NOT NULL DEFAULT 0,
  undoes INTEGER,
  undone_by INTEGER,
  counted INTEGER NOT NULL DEFAULT 0,
  previous BLOB NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (scope, n),
  UNIQUE (scope, run, idx)
) STRICT;
CREATE INDEX entry_time ON entry (scope, at);
CREATE INDEX entry_counted ON entry (scope, at) WHERE counted = 1;

-- Which rows an entry set (role 0) or let gather (role 1): what history and undo look up.
CREATE TABLE entry_row (
  scope INTEGER NOT NULL,
  memory TEXT NOT NULL,
  entry INTEGER NOT NULL,
  role INTEGER NOT NULL,
  PRIMARY KEY (scope, memory, entry)
) STRICT, WITHOUT ROWID;

-- What `curated_at` was before a run stamped it, and what the run made it, so that undo restores it too.
CREATE TABLE stamp (
  scope INTEGER NOT NULL,
  run TEXT NOT NULL,
  memory INTEGER NOT NULL,
  before INTEGER,
  after INTEGER NOT NULL,
  PRIMARY KEY (scope, run, memory)
) STRICT, WITHOUT ROWID;

-- Pairs that somebody has ruled not to be the same: never proposed again.
CREATE TABLE apart (
  scope INTEGER NOT NULL,
  low BLOB NOT NULL,
  high BLOB NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (scope, low, high)
) STRICT, WITHOUT ROWID;

CREATE TABLE parked (
  scope INTEGER NOT NULL,
  id TEXT NOT NULL,
  run TEXT NOT NULL,
  step TEXT NOT NULL,
  digest BLOB NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE activity (
  n INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  run TEXT,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX activity_scope ON activity (scope, at);

CREATE TABLE signal (
  n INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  memory TEXT NOT NULL,
  type TEXT NOT NULL,
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  pending INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX signal_once ON signal (scope, memory, type, source) WHERE pending = 1;

CREATE TABLE recall_query (
  n INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX recall_query_scope ON recall_query (scope, at);

CREATE TABLE recall_hit (
  query INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  memory INTEGER NOT NULL,
  PRIMARY KEY (query, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
  scope INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
