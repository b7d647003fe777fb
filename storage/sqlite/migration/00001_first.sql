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
  UNIQUE (doc, version)
) STRICT;

-- Tags of live searchable entries, for filters.
CREATE TABLE tag (
  store INTEGER NOT NULL,
  label INTEGER NOT NULL,
  tag   TEXT NOT NULL,
  doc   INTEGER NOT NULL,
  PRIMARY KEY (store, label, tag, doc)
) STRICT, WITHOUT ROWID;

-- Number and bytes of live entries, for quotas.
CREATE TABLE usage (
  store   INTEGER NOT NULL,
  label   INTEGER NOT NULL,
  owner   TEXT NOT NULL,
  entries INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  PRIMARY KEY (store, label, owner)
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

-- One row for each entry whose vectors are out of date. not_before is 0 if the row
-- was never leased.
CREATE TABLE queue (
  doc        INTEGER PRIMARY KEY REFERENCES entry,
  revision   INTEGER NOT NULL,
  not_before INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  last_error TEXT,
  queued_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX queue_due ON queue (not_before, queued_at);
CREATE INDEX queue_age ON queue (queued_at);

CREATE TABLE permit (
  store       TEXT NOT NULL,
  grantee     TEXT NOT NULL,
  level       INTEGER NOT NULL,
  max_label   INTEGER NOT NULL,
  expires_at  INTEGER,
  maker       TEXT NOT NULL,
  by_platform INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (store, grantee)
) STRICT, WITHOUT ROWID;
CREATE INDEX permit_grantee ON permit (grantee, store);
CREATE INDEX permit_expiry ON permit (expires_at) WHERE expires_at IS NOT NULL;

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

-- +goose Down

DROP TABLE replay_entry;
DROP TABLE replay;
DROP TABLE meta;
DROP TABLE name;
DROP TABLE setting;
DROP TABLE session;
DROP TABLE participant;
DROP TABLE permit;
DROP TABLE queue;
DROP TABLE change;
DROP TABLE vector;
DROP TABLE model;
DROP TABLE total;
DROP TABLE document;
DROP TABLE posting;
DROP TABLE usage;
DROP TABLE tag;
DROP TABLE history;
DROP TABLE entry;
DROP TABLE store;
