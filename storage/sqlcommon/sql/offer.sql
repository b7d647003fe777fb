-- Offers of access to stores (meter.Offer).

-- {offer.columns} are the columns of an offer.
id, store, seller, title, description, terms, caps, label, open, version, created_at, updated_at

-- offer.by_id selects offer $1.
SELECT {offer.columns} FROM offer WHERE id = $1;

-- offer.on selects the offers of store $1.
SELECT {offer.columns} FROM offer WHERE store = $1 ORDER BY id;

-- offer.open selects at most $2 open offers with label $1 after ID $3.
SELECT {offer.columns} FROM offer WHERE open AND label = $1 AND id > $3 ORDER BY id LIMIT $2;

-- offer.all selects all offers, for a dump.
SELECT {offer.columns} FROM offer ORDER BY id;

-- offer.count_open counts the open offers of store $1 up to label $2.
SELECT count(*) FROM offer WHERE store = $1 AND open AND label <= $2;

-- offer.insert inserts an offer with the columns $1 … $12, unless there is one with its ID.
INSERT INTO offer ({offer.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING;

-- offer.put inserts an offer or replaces the one with its ID: $1 … $12 the columns.
INSERT INTO offer ({offer.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
	ON CONFLICT (id) DO UPDATE SET store = excluded.store, seller = excluded.seller, title = excluded.title, description = excluded.description,
	terms = excluded.terms, caps = excluded.caps, label = excluded.label, open = excluded.open, version = excluded.version,
	created_at = excluded.created_at, updated_at = excluded.updated_at;
