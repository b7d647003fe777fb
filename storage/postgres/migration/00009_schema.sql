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
  value       bytea,
  type_by            text COLLATE "C", -- the agents that wrote type and description; null is the owner, '' is unknown
  description_by     text COLLATE "C",
  occurred_at        timestamptz, -- when what the entry tells of happened, according to its writer; null is none
  occurred_date      boolean,     -- no time of day is known: occurred_at is the first instant
  occurred_precision smallint     -- 2 a month, 3 a year; null is a time or a day
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
  type_by            text COLLATE "C",
  description_by     text COLLATE "C",
  occurred_at        timestamptz,
  occurred_date      boolean,
  occurred_precision smallint,
  PRIMARY KEY (id, version)
);

-- Number of an entry's former versions and the bytes of their values and sources.
CREATE TABLE past (
  entry    uuid PRIMARY KEY,
  versions bigint NOT NULL,
  bytes    bigint NOT NULL
) WITH (fillfactor = 80);

-- Tags of live searchable entries, for filters.
CREATE TABLE tag (
  store bigint NOT NULL,
  tag   text COLLATE "C" NOT NULL,
  label smallint NOT NULL,
  entry uuid NOT NULL,
  PRIMARY KEY (store, tag, label, entry)
);

-- Number and bytes of the live entries that an agent wrote last, for quotas.
CREATE TABLE usage (
  store   bigint NOT NULL,
  label   smallint NOT NULL,
  writer  text COLLATE "C" NOT NULL,
  entries bigint NOT NULL,
  bytes   bigint NOT NULL,
  PRIMARY KEY (store, label, writer)
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

-- The words of entries, for conditions on exact words: docs/decisions/0033-match.md.

-- The forms of live searchable entries (lexical.Document.Forms), as
-- lexical.FormKey: store, label and form in one lexeme. There are no positions.
CREATE TABLE word (
  entry uuid PRIMARY KEY,
  store bigint NOT NULL,
  label smallint NOT NULL,
  keys  tsvector NOT NULL
) WITH (fillfactor = 90);
-- A write appends to a list of the index, which a search reads as a whole: it is
-- kept short (kB).
CREATE INDEX word_keys ON word USING gin (keys) WITH (fastupdate = on, gin_pending_list_limit = 256);

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

-- One row for each entry whose vectors are out of date. Stores take turns, and
-- short rows go first. not_before is -infinity if the row was never leased. chunks
-- is the estimated cost: 0 if there is nothing to embed. long is set if it is more
-- than a short row's (indexer.LongChunks).
CREATE TABLE queue (
  entry      uuid PRIMARY KEY,
  revision   bigint NOT NULL,
  not_before timestamptz NOT NULL,
  attempts   integer NOT NULL,
  last_error text,
  queued_at  timestamptz NOT NULL,
  store      bigint NOT NULL,
  label      smallint NOT NULL,
  chunks     integer NOT NULL,
  long       boolean NOT NULL
);
CREATE INDEX queue_due ON queue (not_before, queued_at, entry);
CREATE INDEX queue_age ON queue (queued_at);
CREATE INDEX queue_turn ON queue (long, store, chunks, queued_at, entry) WHERE not_before = '-infinity';
CREATE INDEX queue_wait ON queue (store, label, queued_at) WHERE chunks > 0;

CREATE TABLE permit (
  store       text COLLATE "C" NOT NULL,
  grantee     text COLLATE "C" NOT NULL,
  level       smallint NOT NULL,
  max_label   smallint NOT NULL,
  expires_at  timestamptz,
  maker       text COLLATE "C" NOT NULL,
  by_platform boolean NOT NULL,
  created_at  timestamptz,
  searches_per_hour bigint NOT NULL DEFAULT 0, -- 0: the default
  entries_per_day   bigint NOT NULL DEFAULT 0,
  offer             text COLLATE "C" NOT NULL DEFAULT '', -- '': not metered
  terms             text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (store, grantee)
);
CREATE INDEX permit_grantee ON permit (grantee, store);
CREATE INDEX permit_expiry ON permit (expires_at) WHERE expires_at IS NOT NULL;

-- Number of rows of table permit by store.
CREATE TABLE permit_count (
  store  text COLLATE "C" PRIMARY KEY,
  grants bigint NOT NULL
) WITH (fillfactor = 80);

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

-- The feed of changes that clients follow.

-- One record for each write of an entry in context. Positions begin at 1 for each
-- store and label, and have no gaps: they are assigned under the lock of the store.
-- The path is that of the entry, which may have been purged since; namespace and
-- key are set only if the entry left the path.
CREATE TABLE feed (
  store     bigint NOT NULL,
  position  bigint NOT NULL,
  entry     uuid NOT NULL,
  at        timestamptz NOT NULL,
  label     smallint NOT NULL,
  namespace text COLLATE "C",
  key       text COLLATE "C",
  PRIMARY KEY (store, label, position)
);
CREATE INDEX feed_left ON feed (entry) WHERE key IS NOT NULL; -- for a purge

-- The last position, and the last one that was removed.
CREATE TABLE feed_head (
  store   bigint NOT NULL,
  label   smallint NOT NULL,
  last    bigint NOT NULL,
  removed bigint NOT NULL,
  PRIMARY KEY (store, label)
) WITH (fillfactor = 50);

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

-- Paid look-up: package meter. Amounts are micros. Stores are named by id: an offer
-- may precede the first entry.
--
-- None of these tables is under row-level security. They hold ids and numbers, and
-- offers what their sellers advertise: no text of memories. What is read of table
-- entry beside them is under its policy.

CREATE TABLE offer (
  id          uuid PRIMARY KEY,
  store       text COLLATE "C" NOT NULL,
  seller      text COLLATE "C" NOT NULL,
  title       text COLLATE "C" NOT NULL,
  description text COLLATE "C" NOT NULL,
  terms       text COLLATE "C" NOT NULL, -- JSON
  caps        text COLLATE "C" NOT NULL, -- JSON
  label       smallint NOT NULL CHECK (label BETWEEN 1 AND 4),
  open        boolean NOT NULL, -- false: withdrawn
  version     integer NOT NULL,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL
);
CREATE INDEX offer_store ON offer (store, id);
CREATE INDEX offer_selling ON offer (store) WHERE open;
CREATE INDEX offer_open ON offer (label, id) WHERE open;

-- The balance of each account: the sum of its postings. An agent's is never below
-- zero and at most 2^53 - 1. Names that start with '/' are no agents': money comes
-- from '/external'.
CREATE TABLE account (
  name    text COLLATE "C" PRIMARY KEY,
  balance bigint NOT NULL CHECK (CASE name WHEN '/external' THEN balance <= 0 ELSE balance >= 0 END),
  CHECK (name LIKE '/%' OR balance <= 9007199254740991)
) WITH (fillfactor = 50);

-- A row is never changed or deleted. agent is the account of the first posting
-- that is on an agent's.
CREATE TABLE ledger (
  number    bigint PRIMARY KEY,
  at        timestamptz NOT NULL,
  kind      text COLLATE "C" NOT NULL,
  charge    uuid,
  reference text COLLATE "C" NOT NULL,
  agent     text COLLATE "C" NOT NULL,
  postings  text COLLATE "C" NOT NULL, -- JSON
  previous  bytea NOT NULL CHECK (length(previous) = 32),
  hash      bytea NOT NULL CHECK (length(hash) = 32)
);
CREATE UNIQUE INDEX ledger_reference ON ledger (kind, agent, reference) WHERE reference <> '';

CREATE TABLE charge (
  id        uuid PRIMARY KEY,
  store     text COLLATE "C" NOT NULL,
  offer     uuid NOT NULL,
  label     smallint NOT NULL CHECK (label BETWEEN 1 AND 4),
  buyer     text COLLATE "C" NOT NULL,
  seller    text COLLATE "C" NOT NULL,
  amount    bigint NOT NULL,
  search    bigint NOT NULL,
  hits      integer NOT NULL,
  entries   uuid[] NOT NULL,
  at        timestamptz NOT NULL,
  state     text COLLATE "C" NOT NULL,
  receipt   text COLLATE "C" NOT NULL,
  claim     uuid,
  settle_by timestamptz
) WITH (fillfactor = 80);
CREATE INDEX charge_buyer ON charge (buyer, label, id);
CREATE INDEX charge_store ON charge (store, at);
CREATE INDEX charge_claim ON charge (claim, id) WHERE claim IS NOT NULL;

-- Entries that were shown to a buyer of a store, with the keyed digests of their
-- values. They stay when the entry is purged.
CREATE TABLE bought (
  store  text COLLATE "C" NOT NULL,
  buyer  text COLLATE "C" NOT NULL,
  entry  uuid NOT NULL,
  digest bytea NOT NULL,
  charge uuid, -- null: it cost nothing
  PRIMARY KEY (store, buyer, entry, digest)
);
CREATE INDEX bought_digest ON bought (store, buyer, digest);
CREATE INDEX bought_charge ON bought (charge) WHERE charge IS NOT NULL;

-- What was shown in a window, to a buyer of a store or to all buyers of an offer.
CREATE TABLE metered_count (
  store    text COLLATE "C" NOT NULL, -- '': of an offer
  buyer    text COLLATE "C" NOT NULL,
  offer    uuid NOT NULL, -- of zeros: of a buyer
  span     text COLLATE "C" NOT NULL,
  start    timestamptz NOT NULL, -- -infinity: the total
  searches bigint NOT NULL,
  entries  bigint NOT NULL,
  PRIMARY KEY (store, buyer, offer, span, start)
) WITH (fillfactor = 80);
CREATE INDEX metered_count_start ON metered_count (start) WHERE span <> 'total';

-- Paid searches by Idempotency-Key and payment. key and payment are '' if there is
-- none.
CREATE TABLE claim (
  id         uuid PRIMARY KEY,
  agent      text COLLATE "C" NOT NULL,
  taint      smallint NOT NULL,
  call       text COLLATE "C" NOT NULL,
  path       text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  payment    text COLLATE "C" NOT NULL,
  digest     text COLLATE "C" NOT NULL,
  state      text COLLATE "C" NOT NULL,
  fence      bigint NOT NULL,
  held_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  outcome    bytea,
  settlement bytea
);
CREATE UNIQUE INDEX claim_key ON claim (agent, taint, call, path, key) WHERE key <> '';
CREATE UNIQUE INDEX claim_payment ON claim (payment) WHERE payment <> '';
CREATE INDEX claim_pending ON claim (id) WHERE state = 'pending';
CREATE INDEX claim_expiry ON claim (expires_at) WHERE state <> 'pending';

-- Row-level security, defense in depth below the service:
-- docs/decisions/0007-row-level-security.md. Each transaction sets mneme.scope: '*',
-- or a JSON object from store numbers to their highest visible label. If it is not
-- set, no row is visible.

-- +goose StatementBegin
DO $$
DECLARE
  tab text;
BEGIN
  FOREACH tab IN ARRAY ARRAY['entry', 'history', 'posting', 'tag', 'queue', 'word', 'feed'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tab);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tab); -- applies to the owner as well
    EXECUTE format($policy$CREATE POLICY scope ON %I USING (
      coalesce((SELECT current_setting('mneme.scope', true)) = '*', false) OR label <=
      ((SELECT nullif(nullif(current_setting('mneme.scope', true), '*'), '')::jsonb) ->> store::text)::smallint)$policy$, tab);
  END LOOP;
END $$;
-- +goose StatementEnd

-- Under a policy, the planner uses an index for a condition of the query only if
-- its operator is leakproof, which @@ is not. But it uses one for a condition of
-- the first policy, and restrictive ones come first: so a search sets its
-- condition here too. Without one every row passes.
CREATE POLICY words ON word AS RESTRICTIVE FOR SELECT USING (
  keys @@ coalesce(nullif(current_setting('mneme.words', true), ''), '!''-''')::tsquery);
