-- The feeds that clients follow. A transaction that inserts records holds the locks of their
-- stores, so that positions increase in commit order: once a position is visible, so are all
-- before it.

-- feed.heads selects the last position, and the last one removed, of the feeds of stores $1.
SELECT s.id, h.label, h.last, h.removed FROM store s
	CROSS JOIN LATERAL (SELECT * FROM feed_head x WHERE x.store = s.number OFFSET 0) h WHERE s.id = ANY($1);

-- feed.page selects at most $4 records of store $1 and label $2 after position $3.
SELECT f.position, f.at, coalesce(f.namespace, e.namespace, ''), coalesce(f.key, e.key, '')
	FROM store s CROSS JOIN LATERAL (SELECT * FROM feed f WHERE f.store = s.number AND f.label = $2 AND f.position > $3
		ORDER BY f.position LIMIT $4) f
	LEFT JOIN entry e ON e.id = f.entry AND e.store = f.store AND e.label = f.label
	WHERE s.id = $1 ORDER BY f.position;

-- feed.excess locks and selects the heads of at most $3 feeds with more than $1 records, or with
-- a record from before $2. A feed's first record is its oldest.
SELECT h.store, h.label, h.last, h.removed FROM feed_head h
	WHERE h.last > h.removed AND (h.last - h.removed > $1 OR
		(SELECT f.at FROM feed f WHERE f.store = h.store AND f.label = h.label AND f.position = h.removed + 1) < $2)
	ORDER BY h.store, h.label LIMIT $3 FOR UPDATE;

-- feed.insert inserts a record: $1 store, $2 label, $3 entry, $4 time, $5 namespace and $6 key,
-- null unless the entry left the path.
WITH head AS (INSERT INTO feed_head (store, label, last, removed) VALUES ($1, $2, 1, 0)
		ON CONFLICT (store, label) DO UPDATE SET last = feed_head.last + 1 RETURNING last)
	INSERT INTO feed (store, label, position, entry, at, namespace, key)
	SELECT $1::bigint, $2::smallint, head.last, $3::uuid, $4::timestamptz, $5::text, $6::text FROM head;

-- feed.insert_many is feed.insert for lists: $1 … $6.
WITH r AS (SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[])
		WITH ORDINALITY r (store, label, entry, at, namespace, key, i)),
	head AS (INSERT INTO feed_head (store, label, last, removed) SELECT store, label, count(*), 0 FROM r GROUP BY store, label ORDER BY store, label
		ON CONFLICT (store, label) DO UPDATE SET last = feed_head.last + excluded.last RETURNING store, label, last)
	INSERT INTO feed (store, label, position, entry, at, namespace, key)
	SELECT r.store, r.label, head.last - count(*) OVER feed + row_number() OVER (feed ORDER BY r.i), r.entry, r.at, r.namespace, r.key
	FROM r JOIN head ON head.store = r.store AND head.label = r.label WINDOW feed AS (PARTITION BY r.store, r.label);

-- feed.forget_paths removes the paths that entry $1 has left.
UPDATE feed SET namespace = NULL, key = NULL WHERE entry = $1 AND key IS NOT NULL;
