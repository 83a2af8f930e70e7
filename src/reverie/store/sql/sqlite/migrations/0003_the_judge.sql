-- What judging needs: pairs that wait for a judge or a person, verdicts that are remembered, what calls used; the graph's
-- projection; and what a training signal says.

-- Which attribute of which subject a row speaks of (reverie.text.slots): rows that share one may contradict each other.
CREATE TABLE attribute (
  scope INTEGER NOT NULL,
  key BLOB NOT NULL,
  memory INTEGER NOT NULL,
  PRIMARY KEY (scope, key, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX attribute_memory ON attribute (scope, memory);

CREATE TABLE pair (
  scope INTEGER NOT NULL,
  low TEXT NOT NULL, -- ids of two memories, the lower one first
  high TEXT NOT NULL,
  similarity REAL NOT NULL,
  step TEXT NOT NULL,
  reason TEXT NOT NULL,
  status TEXT NOT NULL, -- waiting (for a judge) or review (for a person)
  verdict TEXT,
  model TEXT,
  asked INTEGER NOT NULL DEFAULT 0, -- times that no usable answer came
  at INTEGER NOT NULL,
  PRIMARY KEY (scope, low, high)
) STRICT, WITHOUT ROWID;
CREATE INDEX pair_order ON pair (scope, status, step, asked, similarity DESC, low, high);
CREATE INDEX pair_high ON pair (scope, high);

CREATE TABLE verdict (
  scope INTEGER NOT NULL,
  key BLOB NOT NULL, -- of the question, the texts' hashes, the model and its prompts' version
  texts TEXT NOT NULL, -- the hashes, so that what is erased is erased here too
  answer TEXT NOT NULL,
  model TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE spend (
  n INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  at INTEGER NOT NULL,
  run TEXT NOT NULL,
  model TEXT NOT NULL,
  purpose TEXT NOT NULL,
  questions INTEGER NOT NULL,
  outcome TEXT NOT NULL, -- open, ok, or why the call failed
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost INTEGER NOT NULL, -- millionths
  seconds REAL NOT NULL
) STRICT;
CREATE INDEX spend_scope ON spend (scope, at);
CREATE INDEX spend_time ON spend (at);

CREATE TABLE vertex (
  scope INTEGER NOT NULL,
  memory TEXT NOT NULL,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  heat REAL NOT NULL,
  pinned INTEGER NOT NULL,
  state TEXT NOT NULL,
  mod INTEGER NOT NULL, -- of the row when it was last synced
  at INTEGER NOT NULL,
  PRIMARY KEY (scope, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX vertex_mod ON vertex (scope, mod);

ALTER TABLE signal ADD COLUMN predicted TEXT; -- the kind that the memory had
ALTER TABLE signal ADD COLUMN corrected TEXT; -- the kind that it should have
ALTER TABLE signal ADD COLUMN strength TEXT NOT NULL DEFAULT 'normal';
CREATE INDEX signal_memory ON signal (scope, memory, type, source);

CREATE INDEX memory_verbose ON memory (scope, seq) WHERE state = 'live' AND gist IS NULL AND length(text) > 500;
