-- Paid look-up: package meter. Amounts are micros. Stores are named by id: an offer
-- may precede the first entry.
--
-- None of these tables is under row-level security. They hold ids and numbers, and
-- offers what their sellers advertise: no text of memories. What is read of table
-- entry beside them is under its policy.

-- +goose Up

ALTER TABLE permit ADD COLUMN searches_per_hour bigint NOT NULL DEFAULT 0, -- 0: the default
  ADD COLUMN entries_per_day bigint NOT NULL DEFAULT 0,
  ADD COLUMN offer text COLLATE "C" NOT NULL DEFAULT '', -- '': not metered
  ADD COLUMN terms text COLLATE "C" NOT NULL DEFAULT '';

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

-- +goose Down

DROP TABLE claim, metered_count, bought, charge, ledger, account, offer;
ALTER TABLE permit DROP COLUMN terms, DROP COLUMN offer, DROP COLUMN entries_per_day, DROP COLUMN searches_per_hour;
