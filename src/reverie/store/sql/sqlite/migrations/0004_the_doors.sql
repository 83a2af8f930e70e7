-- What serving needs: keys and what they used, jobs that were asked for, answers that are given again to a repeated request.

CREATE TABLE api_key (
  id TEXT PRIMARY KEY, -- the public part of the key
  name TEXT NOT NULL,
  hash BLOB NOT NULL, -- of the secret part, which is kept nowhere
  tenant TEXT NOT NULL,
  namespaces TEXT NOT NULL, -- JSON: names, and beginnings of names with a * at the end
  verbs TEXT NOT NULL, -- JSON: verbs, and rights that stand for several
  principal TEXT NOT NULL,
  channel TEXT NOT NULL,
  limits TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_key_tenant ON api_key (tenant, created_at);

CREATE TABLE key_use (
  key TEXT NOT NULL,
  day INTEGER NOT NULL, -- days since 1970, UTC
  requests INTEGER NOT NULL,
  writes INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (key, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
  scope INTEGER NOT NULL,
  id TEXT NOT NULL,
  verb TEXT NOT NULL,
  status TEXT NOT NULL, -- waiting, running, done, parked, failed, stopped or lost
  request TEXT NOT NULL, -- JSON: what was asked for, and in whose name
  progress TEXT NOT NULL, -- JSON
  stop INTEGER NOT NULL DEFAULT 0, -- whether somebody asked for its end
  run TEXT,
  error TEXT,
  principal TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  beat_at INTEGER NOT NULL, -- when its process last said that it is there
  finished_at INTEGER,
  PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_order ON job (scope, asked_at);
CREATE INDEX job_waiting ON job (asked_at) WHERE status = 'waiting';

CREATE TABLE answer (
  scope INTEGER NOT NULL,
  token BLOB NOT NULL, -- of the API key and the idempotency key
  request BLOB NOT NULL, -- of the request, so that another one under the same token is refused
  status INTEGER, -- empty while it is being answered
  body TEXT, -- emptied when something is erased
  at INTEGER NOT NULL,
  PRIMARY KEY (scope, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_time ON answer (scope, at);

-- One row for each erasure: its receipt, with no word of what was erased, and when its last bytes were overwritten.
CREATE TABLE erasure (
  scope INTEGER NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  body TEXT NOT NULL, -- JSON
  wiped_at INTEGER, -- empty while bytes may linger in the files
  PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX erasure_order ON erasure (scope, at);
