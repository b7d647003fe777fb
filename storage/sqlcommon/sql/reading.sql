-- Which models read the entries of a store, that is, embed them (choice.Reading), by the store's
-- ID. The entries that a model has yet to read have labels from unread on, and were queued at
-- unread_at or before. A label is done once it has no queue row that old: an entry that is
-- queued again keeps its first queue time, and one that is written later is queued later.

-- {reading.columns} are the columns of a row r, which may be null.
coalesce(r.language, 0), coalesce(r.asked, FALSE), coalesce(r.multilingual, 0), coalesce(r.mixed, 0), coalesce(r.unread, 0)

-- reading.of selects the number of store $1, 0 for none, and how it is read. It takes one
-- store, because PostgreSQL replans a query with a list each time: it expects longer lists.
SELECT $1, coalesce((SELECT number FROM store WHERE id = $1), 0), coalesce((SELECT language FROM reading WHERE store = $1), 0),
	coalesce((SELECT asked FROM reading WHERE store = $1), FALSE), coalesce((SELECT multilingual FROM reading WHERE store = $1), 0),
	coalesce((SELECT mixed FROM reading WHERE store = $1), 0), coalesce((SELECT unread FROM reading WHERE store = $1), 0);

-- reading.all selects the stores' chosen readings, for a dump.
SELECT store, language, asked, mixed FROM reading WHERE language <> 0 OR asked OR mixed > 0 ORDER BY store;

-- reading.insert records how store $1 is read, unless that is recorded: $2 its language, $3
-- whether it was Asked, $4 and $5 the labels multilingual and mixed.
INSERT INTO reading (store, language, asked, multilingual, mixed) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;

-- reading.set_unread records that a model has yet to read the entries of store $1 with labels
-- from $2 on, queued at $3.
UPDATE reading SET unread = $2, unread_at = $3 WHERE store = $1;

-- {reading.labels} are all labels l.
(SELECT 1 AS label UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) l

-- {reading.waits_at} is the condition that some entries of the store wait at label l.
EXISTS (SELECT 1 FROM queue q WHERE q.store = (SELECT number FROM store WHERE id = reading.store)
	AND q.label = l.label AND q.chunks > 0 AND q.queued_at <= reading.unread_at)

-- {reading.is_queued} is the condition that all entries of the store are queued (unqueued.go).
NOT EXISTS (SELECT 1 FROM meta WHERE name = 'unqueued ' || reading.store)

-- reading.set_indexed records the label from which store $1 must still be read, 0 for none.
UPDATE reading SET unread = coalesce((SELECT min(l.label) FROM {reading.labels} WHERE l.label >= reading.unread AND {reading.waits_at}), 0)
	WHERE store = $1 AND unread > 0 AND {reading.is_queued};

-- reading.indexed selects the stores in which nothing waits any more at the lowest unread
-- label.
SELECT reading.store FROM reading JOIN {reading.labels} ON l.label = reading.unread
	WHERE reading.unread > 0 AND NOT {reading.waits_at} AND {reading.is_queued} ORDER BY reading.store;

-- reading.live selects at most $2 live entries of store $1.
SELECT id FROM entry WHERE store = (SELECT number FROM store WHERE id = $1) AND state = 0 LIMIT $2;

-- reading.unqueued selects the entries of stores still to be queued (indexer.Unqueued).
SELECT value FROM meta WHERE name >= 'unqueued ' AND name < 'unqueued!' ORDER BY name;

-- {reading.range} is the condition that a row x is of store $1, with a label from $2 to $3.
x.store = (SELECT number FROM store WHERE id = $1) AND x.label >= $2 AND x.label <= $3

-- reading.count_read counts the documents in the lexical index of store $1 with labels from
-- $2 to $3.
SELECT CAST(coalesce(sum(x.documents), 0) AS bigint) FROM total x WHERE {reading.range};

-- reading.count_unread counts the entries of store $1 with labels from $2 to $3 that wait to be
-- read.
SELECT count(*) FROM queue x WHERE {reading.range} AND x.chunks > 0 AND x.queued_at <= (SELECT unread_at FROM reading WHERE store = $1);

-- reading.count_unqueued counts the entries still to be queued, after ID $4: $1 store, $2 and
-- $3 labels.
SELECT count(*) FROM entry x WHERE {reading.range} AND x.state = 0 AND x.in_context AND NOT x.encrypted AND x.id > $4;

-- reading.count_stores_unread counts the stores that must be read.
SELECT count(*) FROM reading WHERE unread > 0;

-- reading.count_english counts the stores that the English model reads : all but those with
-- language 2, multilingual.
SELECT count(*) FROM store s LEFT JOIN reading r ON r.store = s.id WHERE coalesce(r.language, 0) <> 2;

-- reading.count_multilingual counts the stores that the multilingual model reads. Language 2 is
-- multilingual, and 0 auto.
SELECT count(*) FROM store s JOIN reading r ON r.store = s.id WHERE r.language = 2 OR r.language = 0 AND (r.asked OR r.multilingual > 0 OR r.mixed > 0);
