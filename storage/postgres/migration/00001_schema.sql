-- All tables except store refer to stores by number. A label is 1 (PUBLIC) to 4
-- (RESTRICTED). Names are compared byte by byte: COLLATE "C".

-- +goose Up

-- next_place is the docID of the store's next entry.
CREATE TABLE store (
  number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id         text COLLATE "C" NOT NULL UNIQUE,
  next_place bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- The current state of each entry. state: 0 live, 1 deleted, 2 swept (expired
-- and hidden for good). place is the entry's docID, unique within its store and
-- never reused. length and terms (posting.Aligned) are the forward document of a
-- live searchable entry, null for all others.
CREATE TABLE entry (
  id          uuid PRIMARY KEY,
  store       bigint NOT NULL REFERENCES store,
  place       bigint NOT NULL,
  label       smallint NOT NULL CHECK (label BETWEEN 1 AND 4),
  state       smallint NOT NULL CHECK (state BETWEEN 0 AND 2),
  in_context  boolean NOT NULL,
  encrypted   boolean NOT NULL,
  length      integer,
  revision    bigint NOT NULL,
  version     bigint NOT NULL,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  expires_at  timestamptz,
  deleted_at  timestamptz,
  owner       text COLLATE "C" NOT NULL,
  updated_by  text COLLATE "C" NOT NULL,
  deleted_by  text COLLATE "C" NOT NULL,
  namespace   text COLLATE "C" NOT NULL,
  key         text COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL,
  description text COLLATE "C" NOT NULL,
  tags        text[] COLLATE "C",
  terms       bytea,
  source      bytea,
  value       bytea
) WITH (fillfactor = 90);

-- Label precedes the path: a reader scans the labels that it may see, and entries
-- above them cost it no time.
CREATE UNIQUE INDEX entry_live ON entry (store, label, namespace, key, owner) WHERE state = 0;
CREATE UNIQUE INDEX entry_place ON entry (store, place);
CREATE INDEX entry_type ON entry (store, label, type, namespace) WHERE state = 0 AND type <> '';
CREATE INDEX entry_trash ON entry (store, label, deleted_at, id) WHERE state = 1;
CREATE INDEX entry_trash_path ON entry (store, label, namespace, key, deleted_at, id) WHERE state = 1;
CREATE INDEX entry_expiring ON entry (store, label, expires_at) WHERE state = 0 AND expires_at IS NOT NULL;
CREATE INDEX entry_due ON entry (expires_at) WHERE state < 2 AND expires_at IS NOT NULL;
CREATE INDEX entry_swept ON entry (expires_at) WHERE state = 2;
CREATE INDEX entry_deleted ON entry (deleted_at) WHERE deleted_at IS NOT NULL;

-- Former versions: copies of their rows.
CREATE TABLE history (
  id          uuid NOT NULL,
  version     bigint NOT NULL,
  store       bigint NOT NULL,
  label       smallint NOT NULL,
  in_context  boolean NOT NULL,
  encrypted   boolean NOT NULL,
  revision    bigint NOT NULL,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  expires_at  timestamptz,
  deleted_at  timestamptz,
  owner       text COLLATE "C" NOT NULL,
  updated_by  text COLLATE "C" NOT NULL,
  deleted_by  text COLLATE "C" NOT NULL,
  namespace   text COLLATE "C" NOT NULL,
  key         text COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL,
  description text COLLATE "C" NOT NULL,
  tags        text[] COLLATE "C",
  source      bytea,
  value       bytea,
  PRIMARY KEY (id, version)
);

-- Tags of live searchable entries, for filters.
CREATE TABLE tag (
  store bigint NOT NULL,
  tag   text COLLATE "C" NOT NULL,
  label smallint NOT NULL,
  entry uuid NOT NULL,
  PRIMARY KEY (store, tag, label, entry)
);

-- Number and bytes of live entries, for quotas.
CREATE TABLE usage (
  store   bigint NOT NULL,
  label   smallint NOT NULL,
  owner   text COLLATE "C" NOT NULL,
  entries bigint NOT NULL,
  bytes   bigint NOT NULL,
  PRIMARY KEY (store, label, owner)
) WITH (fillfactor = 50);

-- The inverted index of live searchable entries. data holds the postings of the
-- docIDs 256*block to 256*block+255 (posting.Aligned). term is bytea because a
-- query may contain bytes that text rejects. Label follows the term, so that one
-- probe finds all blocks of a term in a store up to a label.
CREATE TABLE posting (
  store bigint NOT NULL,
  label smallint NOT NULL,
  block integer NOT NULL,
  term  bytea NOT NULL,
  data  bytea NOT NULL,
  PRIMARY KEY (store, term, label, block)
) WITH (fillfactor = 80);
ALTER TABLE posting ALTER COLUMN data SET STORAGE PLAIN;
ALTER TABLE posting ALTER COLUMN term SET STORAGE PLAIN;

-- Number of indexed documents and the sum of their lengths in tokens.
CREATE TABLE total (
  store     bigint NOT NULL,
  label     smallint NOT NULL,
  documents bigint NOT NULL,
  length    bigint NOT NULL,
  PRIMARY KEY (store, label)
) WITH (fillfactor = 50);

-- Fingerprints of embedders.
CREATE TABLE model (
  number      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  fingerprint text COLLATE "C" NOT NULL UNIQUE
);

-- One row per chunk. revision is the entry's revision from which the vector was
-- computed. codes are those of the chunk's tokens, null if the embedder makes none.
CREATE TABLE vector (
  model    integer NOT NULL,
  entry    uuid NOT NULL,
  chunk    integer NOT NULL,
  revision bigint NOT NULL,
  half     bytea NOT NULL,
  codes    bytea,
  PRIMARY KEY (model, entry, chunk)
);
ALTER TABLE vector ALTER COLUMN half SET STORAGE EXTERNAL;
ALTER TABLE vector ALTER COLUMN codes SET STORAGE EXTERNAL;

-- Changes of vectors, for followers. Positions have no gaps except at the front,
-- where old ones are trimmed. entry may name a purged row.
CREATE TABLE change (
  position bigint PRIMARY KEY,
  entry    uuid NOT NULL,
  at       timestamptz NOT NULL
);

-- The latest position. A transaction that records changes updates this row just
-- before it commits: the row's lock makes positions increase in commit order.
CREATE TABLE change_head (
  last bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO change_head VALUES (0);

-- One row for each entry whose vectors are out of date. not_before is -infinity
-- if the row was never leased.
CREATE TABLE queue (
  entry      uuid PRIMARY KEY,
  revision   bigint NOT NULL,
  not_before timestamptz NOT NULL,
  attempts   integer NOT NULL,
  last_error text,
  queued_at  timestamptz NOT NULL
);
CREATE INDEX queue_due ON queue (not_before, queued_at, entry);
CREATE INDEX queue_age ON queue (queued_at);

CREATE TABLE permit (
  store       text COLLATE "C" NOT NULL,
  grantee     text COLLATE "C" NOT NULL,
  level       smallint NOT NULL,
  max_label   smallint NOT NULL,
  expires_at  timestamptz,
  maker       text COLLATE "C" NOT NULL,
  by_platform boolean NOT NULL,
  created_at  timestamptz,
  PRIMARY KEY (store, grantee)
);
CREATE INDEX permit_grantee ON permit (grantee, store);
CREATE INDEX permit_expiry ON permit (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE participant (
  of         text COLLATE "C" NOT NULL, -- chat
  agent      text COLLATE "C" NOT NULL,
  expires_at timestamptz,
  PRIMARY KEY (of, agent)
);
CREATE INDEX participant_expiry ON participant (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE session (
  of         text COLLATE "C" NOT NULL, -- user
  agent      text COLLATE "C" NOT NULL,
  expires_at timestamptz,
  PRIMARY KEY (of, agent)
);
CREATE INDEX session_expiry ON session (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE setting (
  agent       text COLLATE "C" PRIMARY KEY,
  enabled     boolean NOT NULL,
  own         boolean NOT NULL,
  chats       boolean NOT NULL,
  users       boolean NOT NULL,
  default_ttl bigint NOT NULL -- nanoseconds
);

CREATE TABLE name (
  id   text COLLATE "C" PRIMARY KEY,
  kind text COLLATE "C" NOT NULL
);

CREATE TABLE meta (
  name  text COLLATE "C" PRIMARY KEY,
  value bytea
);

-- Idempotency records.
CREATE TABLE replay (
  agent      text COLLATE "C" NOT NULL,
  taint      smallint NOT NULL,
  call       text COLLATE "C" NOT NULL,
  path       text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  digest     text COLLATE "C" NOT NULL,
  status     integer NOT NULL,
  ids        uuid[] NOT NULL,
  numbers    bytea,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (agent, taint, call, path, key)
);
CREATE INDEX replay_expiry ON replay (expires_at);
CREATE INDEX replay_ids ON replay USING gin (ids); -- a purge finds the idempotency records that name an entry

-- +goose Down

DROP TABLE replay, meta, name, setting, session, participant, permit, queue, change_head, change, vector, model,
  total, posting, usage, tag, history, entry, store;
