-- What judging needs: pairs that wait for a judge or a person, verdicts that are remembered, what calls used; the graph's
-- projection; and what a training signal says.

-- Which attribute of which subject a row speaks of (reverie.text.slots): rows that share one may contradict each other.
CREATE TABLE attribute (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  key bytea NOT NULL,
  memory bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, key, memory)
);
CREATE INDEX attribute_memory ON attribute (tenant, namespace, memory);

CREATE TABLE pair (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  low text COLLATE "C" NOT NULL, -- ids of two memories, the lower one first
  high text COLLATE "C" NOT NULL,
  similarity double precision NOT NULL,
  step text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  status text COLLATE "C" NOT NULL, -- waiting (for a judge) or review (for a person)
  verdict text,
  model text,
  asked bigint NOT NULL DEFAULT 0, -- times that no usable answer came
  at bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, low, high)
);
CREATE INDEX pair_order ON pair (tenant, namespace, status, step, asked, similarity DESC, low, high);
CREATE INDEX pair_high ON pair (tenant, namespace, high);

CREATE TABLE verdict (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  key bytea NOT NULL, -- of the question, the texts' hashes, the model and its prompts' version
  texts text NOT NULL, -- the hashes, so that what is erased is erased here too
  answer text NOT NULL,
  model text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, key)
);

CREATE TABLE spend (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  n bigint GENERATED ALWAYS AS IDENTITY,
  at bigint NOT NULL,
  run text NOT NULL,
  model text NOT NULL,
  purpose text NOT NULL,
  questions bigint NOT NULL,
  outcome text NOT NULL, -- open, ok, or why the call failed
  tokens_in bigint NOT NULL,
  tokens_out bigint NOT NULL,
  cost bigint NOT NULL, -- millionths
  seconds double precision NOT NULL,
  PRIMARY KEY (tenant, namespace, n)
);
CREATE INDEX spend_scope ON spend (tenant, namespace, at);
CREATE INDEX spend_time ON spend (at);

CREATE TABLE vertex (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  memory text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  label text NOT NULL,
  heat double precision NOT NULL,
  pinned smallint NOT NULL,
  state text NOT NULL,
  mod bigint NOT NULL, -- of the row when it was last synced
  at bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, memory)
);
CREATE INDEX vertex_mod ON vertex (tenant, namespace, mod);

ALTER TABLE signal ADD COLUMN predicted text; -- the kind that the memory had
ALTER TABLE signal ADD COLUMN corrected text; -- the kind that it should have
ALTER TABLE signal ADD COLUMN strength text NOT NULL DEFAULT 'normal';
CREATE INDEX signal_memory ON signal (tenant, namespace, memory, type, source);

CREATE INDEX memory_verbose ON memory (tenant, namespace, seq) WHERE state = 'live' AND gist IS NULL AND length(text) > 500;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['attribute', 'pair', 'verdict', 'spend', 'vertex']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY one_scope ON %I USING (
      (tenant = current_setting(''reverie.tenant'', true) AND namespace = current_setting(''reverie.namespace'', true))
      OR current_setting(''reverie.every_scope'', true) = ''yes'')', name);
  END LOOP;
END $$;
