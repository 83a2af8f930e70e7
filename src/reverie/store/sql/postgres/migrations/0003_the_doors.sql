-- What serving needs: keys and what they used, jobs that were asked for, answers that are given again to a repeated request.

CREATE TABLE api_key (
  id text COLLATE "C" PRIMARY KEY, -- the public part of the key
  name text NOT NULL,
  hash bytea NOT NULL, -- of the secret part, which is kept nowhere
  tenant text COLLATE "C" NOT NULL,
  namespaces text NOT NULL, -- JSON: names, and beginnings of names with a * at the end
  verbs text NOT NULL, -- JSON: verbs, and rights that stand for several
  principal text NOT NULL,
  channel text NOT NULL,
  limits text NOT NULL, -- JSON
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  used_at bigint
);
CREATE INDEX api_key_tenant ON api_key (tenant, created_at);

CREATE TABLE key_use (
  key text COLLATE "C" NOT NULL,
  day bigint NOT NULL, -- days since 1970, UTC
  requests bigint NOT NULL,
  writes bigint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (key, day)
);

CREATE TABLE job (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  verb text NOT NULL,
  status text NOT NULL, -- waiting, running, done, parked, failed, stopped or lost
  request text NOT NULL, -- JSON: what was asked for, and in whose name
  progress text NOT NULL, -- JSON
  stop bigint NOT NULL DEFAULT 0, -- whether somebody asked for its end
  run text,
  error text,
  principal text NOT NULL,
  asked_at bigint NOT NULL,
  beat_at bigint NOT NULL, -- when its process last said that it is there
  finished_at bigint,
  PRIMARY KEY (tenant, namespace, id)
);
CREATE INDEX job_order ON job (tenant, namespace, asked_at);
CREATE INDEX job_waiting ON job (asked_at) WHERE status = 'waiting';

CREATE TABLE answer (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  token bytea NOT NULL, -- of the API key and the idempotency key
  request bytea NOT NULL, -- of the request, so that another one under the same token is refused
  status bigint, -- empty while it is being answered
  body text, -- emptied when something is erased
  at bigint NOT NULL,
  PRIMARY KEY (tenant, namespace, token)
);
CREATE INDEX answer_time ON answer (tenant, namespace, at);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['job', 'answer']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY one_scope ON %I USING (
      (tenant = current_setting(''reverie.tenant'', true) AND namespace = current_setting(''reverie.namespace'', true))
      OR current_setting(''reverie.every_scope'', true) = ''yes'')', name);
  END LOOP;
END $$;

-- One row for each erasure: its receipt, with no word of what was erased, and when its last bytes were overwritten.
CREATE TABLE erasure (
  tenant text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  actor text NOT NULL,
  body text NOT NULL, -- JSON
  wiped_at bigint, -- empty while bytes may linger in the files
  PRIMARY KEY (tenant, namespace, id)
);
CREATE INDEX erasure_order ON erasure (tenant, namespace, at);
ALTER TABLE erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE erasure FORCE ROW LEVEL SECURITY;
CREATE POLICY one_scope ON erasure USING (
  (tenant = current_setting('reverie.tenant', true) AND namespace = current_setting('reverie.namespace', true))
  OR current_setting('reverie.every_scope', true) = 'yes');
