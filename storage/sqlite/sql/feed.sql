-- The feeds that clients follow.

-- feed.heads selects the last position, and the last one removed, of the feeds of stores $1.
SELECT s.id, h.label, h.last, h.removed FROM json_each($1) j
	CROSS JOIN store s ON s.id = j.value CROSS JOIN feed_head h ON h.store = s.number;

-- feed.page selects at most $4 records of store $1 and label $2 after position $3.
SELECT f.position, f.at, coalesce(f.namespace, e.namespace, ''), coalesce(f.key, e.key, '') FROM store s
	CROSS JOIN feed f ON f.store = s.number AND f.label = $2 AND f.position > $3
	LEFT JOIN entry e ON e.doc = f.doc AND e.store = f.store AND e.label = f.label
	WHERE s.id = $1 ORDER BY f.position LIMIT $4;

-- feed.excess selects the heads of at most $3 feeds with more than $1 records, or with a record
-- from before $2. A feed's first record is its oldest.
SELECT h.store, h.label, h.last, h.removed FROM feed_head h
	WHERE h.last > h.removed AND (h.last - h.removed > $1 OR
		(SELECT f.at FROM feed f WHERE f.store = h.store AND f.label = h.label AND f.position = h.removed + 1) < $2)
	ORDER BY h.store, h.label LIMIT $3;

-- feed.last selects the last position of store $1 and label $2.
SELECT last FROM feed_head WHERE store = ? AND label = ?;

-- feed.set_last records that $3 is the last position of store $1 and label $2.
INSERT INTO feed_head (store, label, last, removed) VALUES (?, ?, ?, 0)
	ON CONFLICT DO UPDATE SET last = excluded.last;

-- feed.insert inserts a record: $1 store, $2 label, $3 position, $4 doc, $5 time, $6 namespace
-- and $7 key, null unless the entry left the path.
INSERT INTO feed (store, label, position, doc, at, namespace, key) VALUES (?, ?, ?, ?, ?, ?, ?);

-- feed.forget_paths removes the paths that doc $1 has left.
UPDATE feed SET namespace = NULL, key = NULL WHERE doc = $1 AND key IS NOT NULL;
