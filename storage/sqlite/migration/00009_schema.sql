-- Times are microseconds since 1970 UTC. Entry IDs are 16 bytes. All tables except
-- store refer to stores by number. A label is 1 (PUBLIC) to 4 (RESTRICTED).

-- +goose Up

CREATE TABLE store (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id     TEXT NOT NULL UNIQUE
) STRICT;

-- The current state of each entry. state: 0 live, 1 deleted, 2 swept (expired
-- and hidden for good). doc is the entry's docID, never reused. The wide columns
-- come last, so that reading the others touches no overflow pages.
CREATE TABLE entry (
  doc         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  store       INTEGER NOT NULL REFERENCES store,
  label       INTEGER NOT NULL CHECK (label BETWEEN 1 AND 4),
  state       INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
  revision    INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  in_context  INTEGER NOT NULL,
  encrypted   INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  expires_at  INTEGER,
  deleted_at  INTEGER,
  owner       TEXT NOT NULL,
  updated_by  TEXT NOT NULL,
  deleted_by  TEXT NOT NULL,
  namespace   TEXT NOT NULL,
  key         TEXT NOT NULL,
  type        TEXT NOT NULL,
  description TEXT NOT NULL,
  tags        TEXT, -- JSON array; null: none
  source      BLOB,
  value       BLOB
) STRICT;

-- Label precedes the path: a reader scans the labels that it may see, and entries
-- above them cost it no time.
CREATE UNIQUE INDEX entry_live ON entry (store, label, namespace, key, owner) WHERE state = 0;
CREATE INDEX entry_type ON entry (store, label, type, namespace) WHERE state = 0 AND type <> '';
CREATE INDEX entry_trash ON entry (store, label, deleted_at, id) WHERE state = 1;
CREATE INDEX entry_trash_path ON entry (store, label, namespace, key, deleted_at, id) WHERE state = 1;
CREATE INDEX entry_expiring ON entry (store, label, expires_at) WHERE state = 0 AND expires_at IS NOT NULL;
CREATE INDEX entry_due ON entry (expires_at) WHERE state < 2 AND expires_at IS NOT NULL;
CREATE INDEX entry_swept ON entry (expires_at) WHERE state = 2;
CREATE INDEX entry_deleted ON entry (deleted_at) WHERE deleted_at IS NOT NULL;

-- Former versions: copies of their rows.
CREATE TABLE history (
  doc         INTEGER NOT NULL REFERENCES entry,
  version     INTEGER NOT NULL,
  store       INTEGER NOT NULL REFERENCES store,
  label       INTEGER NOT NULL,
  revision    INTEGER NOT NULL,
  in_context  INTEGER NOT NULL,
  encrypted   INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  expires_at  INTEGER,
  deleted_at  INTEGER,
  owner       TEXT NOT NULL,
  updated_by  TEXT NOT NULL,
  deleted_by  TEXT NOT NULL,
  namespace   TEXT NOT NULL,
  key         TEXT NOT NULL,
  type        TEXT NOT NULL,
  description TEXT NOT NULL,
  tags        TEXT,
  source      BLOB,
  value       BLOB,
  type_by        TEXT,    -- see author; null is the owner
  description_by TEXT,
  occurred_at    INTEGER, -- see occurrence; null is none
  occurred_date  INTEGER,
  UNIQUE (doc, version)
) STRICT;

-- The agents that wrote an entry's current type and description, for entries
-- where one of them is not the owner. '' is unknown.
CREATE TABLE author (
  doc            INTEGER PRIMARY KEY REFERENCES entry,
  type_by        TEXT NOT NULL,
  description_by TEXT NOT NULL
) STRICT;

-- When what an entry tells of happened, according to its writer, for entries that
-- have it. date is 0 for a time, 1 for a day, 2 for a month, 3 for a year, of which
-- at is the first instant.
CREATE TABLE occurrence (
  doc  INTEGER PRIMARY KEY REFERENCES entry,
  at   INTEGER NOT NULL,
  date INTEGER NOT NULL
) STRICT;

-- Number of an entry's former versions and the bytes of their values and sources.
CREATE TABLE past (
  doc      INTEGER PRIMARY KEY REFERENCES entry,
  versions INTEGER NOT NULL,
  bytes    INTEGER NOT NULL
) STRICT;

-- Tags of live searchable entries, for filters.
CREATE TABLE tag (
  store INTEGER NOT NULL,
  label INTEGER NOT NULL,
  tag   TEXT NOT NULL,
  doc   INTEGER NOT NULL,
  PRIMARY KEY (store, label, tag, doc)
) STRICT, WITHOUT ROWID;

-- Number and bytes of the live entries that an agent wrote last, for quotas.
CREATE TABLE usage (
  store   INTEGER NOT NULL,
  label   INTEGER NOT NULL,
  writer  TEXT NOT NULL,
  entries INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  PRIMARY KEY (store, label, writer)
) STRICT, WITHOUT ROWID;

-- The inverted index of live searchable entries. block holds postings from docID
-- first on (posting.Packed). Label follows the term, so that one seek finds all
-- blocks of a term in a store up to a label.
CREATE TABLE posting (
  store INTEGER NOT NULL,
  term  TEXT NOT NULL,
  label INTEGER NOT NULL,
  first INTEGER NOT NULL,
  block BLOB NOT NULL,
  PRIMARY KEY (store, term, label, first)
) STRICT, WITHOUT ROWID;

-- Forward documents: the terms by which an entry is indexed (posting.Packed), by
-- which its postings are removed later.
CREATE TABLE document (
  doc    INTEGER PRIMARY KEY REFERENCES entry,
  store  INTEGER NOT NULL,
  label  INTEGER NOT NULL,
  length INTEGER NOT NULL,
  terms  BLOB NOT NULL
) STRICT;

-- Number of indexed documents and the sum of their lengths in tokens.
CREATE TABLE total (
  store     INTEGER NOT NULL,
  label     INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  length    INTEGER NOT NULL,
  PRIMARY KEY (store, label)
) STRICT, WITHOUT ROWID;

-- The words of entries, for conditions on exact words: docs/decisions/0033-match.md.

-- The forms of live searchable entries (lexical.Document.Forms), " a b ": what
-- table word was given for them, by which it is changed later.
CREATE TABLE form (
  doc   INTEGER PRIMARY KEY REFERENCES entry,
  forms TEXT NOT NULL
) STRICT;

-- The full-text index of these, by docID. Its terms are lexical.FormKey: store,
-- label and form in one. It holds no positions and no text besides its terms.
CREATE VIRTUAL TABLE word USING fts5 (keys, content = '', columnsize = 0, detail = none, tokenize = 'ascii');

-- Fingerprints of embedders.
CREATE TABLE model (
  number      INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE
) STRICT;

-- One row per chunk. revision is the entry's revision from which the vector was
-- computed. codes are those of the chunk's tokens, null if the embedder makes none.
CREATE TABLE vector (
  number   INTEGER PRIMARY KEY,
  doc      INTEGER NOT NULL REFERENCES entry,
  model    INTEGER NOT NULL,
  chunk    INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  half     BLOB NOT NULL,
  codes    BLOB
) STRICT;
CREATE UNIQUE INDEX vector_doc ON vector (doc, model, chunk, revision);

-- Changes of vectors, for followers. Positions are never reused and have no gaps
-- except at the front, where old ones are trimmed. entry may name a purged row.
CREATE TABLE change (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  entry    BLOB NOT NULL,
  at       INTEGER NOT NULL
) STRICT;

-- One row for each entry whose vectors are out of date. Stores take turns, and
-- short rows go first. not_before is 0 if the row was never leased. chunks is the
-- estimated cost: 0 if there is nothing to embed. long is 1 if it is more than a
-- short row's (indexer.LongChunks).
CREATE TABLE queue (
  doc        INTEGER PRIMARY KEY REFERENCES entry,
  revision   INTEGER NOT NULL,
  not_before INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  last_error TEXT,
  queued_at  INTEGER NOT NULL,
  store      INTEGER NOT NULL REFERENCES store,
  label      INTEGER NOT NULL,
  chunks     INTEGER NOT NULL,
  long       INTEGER NOT NULL
) STRICT;
CREATE INDEX queue_due ON queue (not_before, queued_at);
CREATE INDEX queue_age ON queue (queued_at);
CREATE INDEX queue_turn ON queue (long, store, chunks, queued_at) WHERE not_before = 0;
CREATE INDEX queue_wait ON queue (store, label, queued_at) WHERE chunks > 0;

CREATE TABLE permit (
  store       TEXT NOT NULL,
  grantee     TEXT NOT NULL,
  level       INTEGER NOT NULL,
  max_label   INTEGER NOT NULL,
  expires_at  INTEGER,
  maker       TEXT NOT NULL,
  by_platform INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  searches_per_hour INTEGER NOT NULL DEFAULT 0, -- 0: the default
  entries_per_day   INTEGER NOT NULL DEFAULT 0,
  offer             TEXT NOT NULL DEFAULT '', -- '': not metered
  terms             TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (store, grantee)
) STRICT, WITHOUT ROWID;
CREATE INDEX permit_grantee ON permit (grantee, store);
CREATE INDEX permit_expiry ON permit (expires_at) WHERE expires_at IS NOT NULL;

-- Number of rows of table permit by store.
CREATE TABLE permit_count (
  store  TEXT PRIMARY KEY,
  grants INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE participant (
  of         TEXT NOT NULL, -- chat
  agent      TEXT NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (of, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX participant_expiry ON participant (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE session (
  of         TEXT NOT NULL, -- user
  agent      TEXT NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (of, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_expiry ON session (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE setting (
  agent       TEXT PRIMARY KEY,
  enabled     INTEGER NOT NULL,
  self        INTEGER NOT NULL,
  chat        INTEGER NOT NULL,
  user        INTEGER NOT NULL,
  default_ttl INTEGER NOT NULL -- nanoseconds
) STRICT, WITHOUT ROWID;

CREATE TABLE name (
  id   TEXT PRIMARY KEY,
  kind TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value BLOB
) STRICT, WITHOUT ROWID;

-- The feed of changes that clients follow.

-- One record for each write of an entry in context. Positions begin at 1 for each
-- store and label, and have no gaps. The path is that of the entry, which may have
-- been purged since; namespace and key are set only if the entry left the path.
CREATE TABLE feed (
  store     INTEGER NOT NULL,
  label     INTEGER NOT NULL,
  position  INTEGER NOT NULL,
  doc       INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  namespace TEXT,
  key       TEXT,
  PRIMARY KEY (store, label, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_left ON feed (doc) WHERE key IS NOT NULL; -- for a purge

-- The last position, and the last one that was removed.
CREATE TABLE feed_head (
  store   INTEGER NOT NULL,
  label   INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  PRIMARY KEY (store, label)
) STRICT, WITHOUT ROWID;

-- Idempotency records.
CREATE TABLE replay (
  number     INTEGER PRIMARY KEY,
  agent      TEXT NOT NULL,
  taint      INTEGER NOT NULL,
  call       TEXT NOT NULL,
  path       TEXT NOT NULL,
  key        TEXT NOT NULL,
  digest     TEXT NOT NULL,
  status     INTEGER NOT NULL,
  ids        BLOB NOT NULL, -- 16 bytes each
  numbers    BLOB,
  expires_at INTEGER NOT NULL,
  UNIQUE (agent, taint, call, path, key)
) STRICT;
CREATE INDEX replay_expiry ON replay (expires_at);

-- The entries that an idempotency record names, so that a purge finds it.
CREATE TABLE replay_entry (
  entry  BLOB NOT NULL,
  replay INTEGER NOT NULL REFERENCES replay ON DELETE CASCADE,
  PRIMARY KEY (entry, replay)
) STRICT, WITHOUT ROWID;
CREATE INDEX replay_entry_replay ON replay_entry (replay);

-- One row: what was erased and may still be on pages or in the write-ahead log
-- (docs/decisions/0055-erased-on-disk.md).
CREATE TABLE erasure (
  id          INTEGER PRIMARY KEY CHECK (id = 0),
  erased      INTEGER NOT NULL, -- number of transactions that erased text
  scrubbed    INTEGER NOT NULL, -- as many of them have left nothing in any file
  urgent      INTEGER NOT NULL, -- whether one of the others was a purge
  scrubbed_at INTEGER NOT NULL  -- µs since 1970, 0: never
) STRICT;
INSERT INTO erasure VALUES (0, 1, 0, 0, 0); -- the first scrub is due soon after the start

-- Paid look-up: package meter. Amounts are micros. Stores are named by id: an offer
-- may precede the first entry.

CREATE TABLE offer (
  id          BLOB PRIMARY KEY CHECK (length(id) = 16),
  store       TEXT NOT NULL,
  seller      TEXT NOT NULL,
  title       TEXT NOT NULL,
  description TEXT NOT NULL,
  terms       TEXT NOT NULL, -- JSON
  caps        TEXT NOT NULL, -- JSON
  label       INTEGER NOT NULL CHECK (label BETWEEN 1 AND 4),
  open        INTEGER NOT NULL, -- 0: withdrawn
  version     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX offer_store ON offer (store, id);
CREATE INDEX offer_selling ON offer (store) WHERE open;
CREATE INDEX offer_open ON offer (label, id) WHERE open;

-- The balance of each account: the sum of its postings. An agent's is never below
-- zero and at most 2^53 - 1. Names that start with '/' are no agents': money comes
-- from '/external'.
CREATE TABLE account (
  name    TEXT PRIMARY KEY,
  balance INTEGER NOT NULL CHECK (CASE name WHEN '/external' THEN balance <= 0 ELSE balance >= 0 END),
  CHECK (name LIKE '/%' OR balance <= 9007199254740991)
) STRICT, WITHOUT ROWID;

-- A row is never changed or deleted. agent is the account of the first posting
-- that is on an agent's.
CREATE TABLE ledger (
  number    INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  charge    BLOB,
  reference TEXT NOT NULL,
  agent     TEXT NOT NULL,
  postings  TEXT NOT NULL, -- JSON
  previous  BLOB NOT NULL CHECK (length(previous) = 32),
  hash      BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE UNIQUE INDEX ledger_reference ON ledger (kind, agent, reference) WHERE reference <> '';

CREATE TABLE charge (
  id        BLOB PRIMARY KEY CHECK (length(id) = 16),
  store     TEXT NOT NULL,
  offer     BLOB NOT NULL,
  label     INTEGER NOT NULL CHECK (label BETWEEN 1 AND 4),
  buyer     TEXT NOT NULL,
  seller    TEXT NOT NULL,
  amount    INTEGER NOT NULL,
  search    INTEGER NOT NULL,
  hits      INTEGER NOT NULL,
  entries   BLOB NOT NULL, -- 16 bytes each
  at        INTEGER NOT NULL,
  state     TEXT NOT NULL,
  receipt   TEXT NOT NULL,
  claim     BLOB,
  settle_by INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX charge_buyer ON charge (buyer, label, id);
CREATE INDEX charge_store ON charge (store, at);
CREATE INDEX charge_claim ON charge (claim, id) WHERE claim IS NOT NULL;

-- Entries that were shown to a buyer of a store, with the keyed digests of their
-- values. They stay when the entry is purged.
CREATE TABLE bought (
  store  TEXT NOT NULL,
  buyer  TEXT NOT NULL,
  entry  BLOB NOT NULL CHECK (length(entry) = 16),
  digest BLOB NOT NULL,
  charge BLOB, -- null: it cost nothing
  PRIMARY KEY (store, buyer, entry, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX bought_digest ON bought (store, buyer, digest);
CREATE INDEX bought_charge ON bought (charge) WHERE charge IS NOT NULL;

-- What was shown in a window, to a buyer of a store or to all buyers of an offer.
CREATE TABLE metered_count (
  store    TEXT NOT NULL, -- '': of an offer
  buyer    TEXT NOT NULL,
  offer    BLOB NOT NULL, -- of zeros: of a buyer
  span     TEXT NOT NULL,
  start    INTEGER NOT NULL, -- 0: the total
  searches INTEGER NOT NULL,
  entries  INTEGER NOT NULL,
  PRIMARY KEY (store, buyer, offer, span, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX metered_count_start ON metered_count (start) WHERE span <> 'total';

-- Paid searches by Idempotency-Key and payment. key and payment are '' if there is
-- none.
CREATE TABLE claim (
  id         BLOB PRIMARY KEY CHECK (length(id) = 16),
  agent      TEXT NOT NULL,
  taint      INTEGER NOT NULL,
  call       TEXT NOT NULL,
  path       TEXT NOT NULL,
  key        TEXT NOT NULL,
  payment    TEXT NOT NULL,
  digest     TEXT NOT NULL,
  state      TEXT NOT NULL,
  fence      INTEGER NOT NULL,
  held_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  outcome    BLOB,
  settlement BLOB
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX claim_key ON claim (agent, taint, call, path, key) WHERE key <> '';
CREATE UNIQUE INDEX claim_payment ON claim (payment) WHERE payment <> '';
CREATE INDEX claim_pending ON claim (id) WHERE state = 'pending';
CREATE INDEX claim_expiry ON claim (expires_at) WHERE state <> 'pending';
