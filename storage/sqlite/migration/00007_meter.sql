-- Paid look-up: package meter. Amounts are micros. Stores are named by id: an offer
-- may precede the first entry.

-- +goose Up

ALTER TABLE permit ADD COLUMN searches_per_hour INTEGER NOT NULL DEFAULT 0; -- 0: the default
ALTER TABLE permit ADD COLUMN entries_per_day INTEGER NOT NULL DEFAULT 0;
ALTER TABLE permit ADD COLUMN offer TEXT NOT NULL DEFAULT ''; -- '': not metered
ALTER TABLE permit ADD COLUMN terms TEXT NOT NULL DEFAULT '';

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

-- +goose Down

DROP TABLE claim;
DROP TABLE metered_count;
DROP TABLE bought;
DROP TABLE charge;
DROP TABLE ledger;
DROP TABLE account;
DROP TABLE offer;
ALTER TABLE permit DROP COLUMN terms;
ALTER TABLE permit DROP COLUMN offer;
ALTER TABLE permit DROP COLUMN entries_per_day;
ALTER TABLE permit DROP COLUMN searches_per_hour;
