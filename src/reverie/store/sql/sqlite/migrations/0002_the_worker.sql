-- What the worker needs: leases with a fence, slots that run once, and per step when it last succeeded and failed.

ALTER TABLE scope ADD COLUMN waiting_since INTEGER; -- since when the curator's queue has not been empty
ALTER TABLE scope ADD COLUMN fence INTEGER NOT NULL DEFAULT 0; -- grows with every lease that is taken
ALTER TABLE scope ADD COLUMN lease_holder TEXT;
ALTER TABLE scope ADD COLUMN lease_until INTEGER;

UPDATE scope SET waiting_since = used_at
WHERE EXISTS (SELECT 1 FROM memory m WHERE m.scope = scope.scope AND m.uncurated = 1 AND m.state = 'live');

ALTER TABLE run ADD COLUMN steps TEXT NOT NULL DEFAULT '[]'; -- the names of the steps that ran

CREATE TABLE slot (
  scope INTEGER NOT NULL,
  cycle TEXT NOT NULL,
  key TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  with_model INTEGER NOT NULL,
  PRIMARY KEY (scope, cycle, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE step (
  scope INTEGER NOT NULL,
  cycle TEXT NOT NULL,
  name TEXT NOT NULL,
  succeeded_at INTEGER,
  failed_at INTEGER,
  reason TEXT,
  failing INTEGER NOT NULL,
  PRIMARY KEY (scope, cycle, name)
) STRICT, WITHOUT ROWID;

-- The scope leads this key too.
CREATE TABLE recall_hit_2 (
  scope INTEGER NOT NULL,
  query INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  memory INTEGER NOT NULL,
  PRIMARY KEY (scope, query, rank)
) STRICT, WITHOUT ROWID;
INSERT INTO recall_hit_2 SELECT q.scope, h.query, h.rank, h.memory FROM recall_hit h JOIN recall_query q ON q.n = h.query;
DROP TABLE recall_hit;
ALTER TABLE recall_hit_2 RENAME TO recall_hit;

ALTER TABLE vector RENAME TO embedding; -- as on PostgreSQL, where vector is a type
