-- The costs of searches of stores (meter.Charge).

-- {charge.columns} are the columns of a charge.
id, store, offer, label, buyer, seller, amount, search, hits, entries, at, state, receipt, claim, settle_by

-- charge.by_id selects charge $1.
SELECT {charge.columns} FROM charge WHERE id = $1;

-- charge.of_claim selects the charges of claim $1.
SELECT {charge.columns} FROM charge WHERE claim = $1 ORDER BY id;

-- charge.of_buyer selects at most $2 charges of buyer $3 with label $1 before ID $4, latest
-- first.
SELECT {charge.columns} FROM charge WHERE label = $1 AND buyer = $3 AND id < $4 ORDER BY id DESC LIMIT $2;

-- charge.standing selects ID and entries of the charges to buyer $1 with label $4 by store $2
-- that were not reversed, except charge $3. {charge.by_buyer} is table charge, in SQLite
-- together with the index to use.
SELECT id, entries FROM {charge.by_buyer} WHERE buyer = $1 AND label = $4 AND store = $2 AND id <> $3 AND state <> 'reversed';

-- charge.all selects all charges, for a dump.
SELECT {charge.columns} FROM charge ORDER BY id;

-- charge.insert inserts a charge with the columns $1 … $15, unless there is one with its ID.
INSERT INTO charge ({charge.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING;

-- charge.put inserts a charge or replaces the one with its ID: $1 … $15 the columns.
INSERT INTO charge ({charge.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
	ON CONFLICT (id) DO UPDATE SET store = excluded.store, offer = excluded.offer, label = excluded.label, buyer = excluded.buyer,
	seller = excluded.seller, amount = excluded.amount, search = excluded.search, hits = excluded.hits, entries = excluded.entries,
	at = excluded.at, state = excluded.state, receipt = excluded.receipt, claim = excluded.claim, settle_by = excluded.settle_by;
