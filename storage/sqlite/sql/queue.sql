-- The queue: a row for each entry whose vectors are out of date. not_before is 0 for a row that
-- can be leased, and the end of a lease or backoff for others. chunks is the cost of a row, 0 if
-- there is nothing to embed.

-- {queue.columns} are the columns of a row.
doc, revision, not_before, attempts, last_error, queued_at, store, label, chunks, long

-- {queue.or_reset} resets an existing row. The row keeps its first queue time if both the old
-- and the new version have something to embed.
ON CONFLICT DO UPDATE SET revision = excluded.revision,
	not_before = 0, attempts = 0, last_error = NULL, queued_at = CASE WHEN min(chunks, excluded.chunks) > 0
	THEN min(queued_at, excluded.queued_at) ELSE excluded.queued_at END,
	store = excluded.store, label = excluded.label, chunks = excluded.chunks, long = excluded.long

-- queue.put queues an entry, or resets its row: $1 doc, $2 revision, $3 time, $4 store, $5
-- label, $6 chunks, $7 whether it is long.
INSERT INTO queue ({queue.columns}) VALUES (?, ?, 0, 0, NULL, ?, ?, ?, ?, ?) {queue.or_reset};

-- queue.put_lacking queues, of entries $4, the live ones of store $1 from label $5 on that lack
-- vectors of fingerprint $3, at time $2. A chunk has about 2688 bytes: 448 tokens of six bytes
-- (indexer.Chunks).
INSERT INTO queue ({queue.columns})
	SELECT e.doc, e.revision, 0, 0, NULL, $2, e.store, e.label, 1 + length(e.value) / 2688, length(e.value) / 2688 >= 8
	FROM json_each($4) j CROSS JOIN entry e ON e.id = unhex(j.value)
	WHERE e.store = (SELECT number FROM store WHERE id = $1) AND e.state = 0 AND e.in_context AND NOT e.encrypted AND e.label >= $5 AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = $3) AND v.revision = e.revision)
	{queue.or_reset};

-- queue.waits selects a row if entry $1 is queued.
SELECT 1 FROM entry e CROSS JOIN queue q ON q.doc = e.doc WHERE e.id = $1;

-- queue.waits_in selects a row if an entry within the scope $1 was queued before $2 and is live
-- at $3. The entry's own row says whether it is live: it may have expired.
{scope.table} SELECT 1 FROM scope CROSS JOIN queue q INDEXED BY queue_wait
	ON q.store = scope.store AND q.label IN (1, 2, 3, 4) AND q.label <= scope.ceiling AND q.chunks > 0 AND q.queued_at < $2
	CROSS JOIN entry e ON e.doc = q.doc AND e.state = 0 AND (e.expires_at IS NULL OR e.expires_at > $3) LIMIT 1;

-- queue.refused selects store, path and error of at most $2 entries with errors like $1,
-- longest waiting first.
SELECT s.id, e.namespace, e.key, q.last_error FROM queue q INDEXED BY queue_age CROSS JOIN entry e ON e.doc = q.doc
	CROSS JOIN store s ON s.number = e.store WHERE q.last_error LIKE $1 AND e.state = 0 ORDER BY q.queued_at LIMIT $2;

-- queue.return_ended makes rows due whose backoff or lease has ended by $1.
UPDATE queue SET not_before = 0 WHERE doc IN (SELECT doc FROM queue INDEXED BY queue_due
	WHERE not_before > 0 AND not_before <= $1 ORDER BY not_before LIMIT 256);

-- queue.return_delayed makes rows due that are delayed beyond $1, because a clock was set back.
UPDATE queue SET not_before = 0 WHERE doc IN (SELECT doc FROM queue INDEXED BY queue_due
	WHERE not_before > $1 ORDER BY not_before LIMIT 256);

-- queue.due_stores selects at most $4 stores after $2 and up to $3 with due rows: $1 whether
-- the rows are long. It probes an index once per store.
WITH RECURSIVE found (store) AS (
		SELECT (SELECT store FROM queue INDEXED BY queue_turn WHERE not_before = 0 AND long = $1 AND store > $2 AND store <= $3 ORDER BY store LIMIT 1)
		UNION ALL
		SELECT (SELECT q.store FROM queue q INDEXED BY queue_turn WHERE q.not_before = 0 AND q.long = $1 AND q.store > found.store AND q.store <= $3
			ORDER BY q.store LIMIT 1) FROM found WHERE found.store IS NOT NULL)
	SELECT store FROM found WHERE store IS NOT NULL LIMIT $4;

-- {queue.select_lease} selects the columns of a lease.
SELECT e.id, q.revision, q.attempts, q.store, q.chunks FROM queue q

-- queue.due_of selects at most $3 due rows of store $2, shortest first: $1 whether the rows are
-- long.
{queue.select_lease} INDEXED BY queue_turn CROSS JOIN entry e ON e.doc = q.doc
	WHERE q.not_before = 0 AND q.long = $1 AND q.store = $2 ORDER BY q.chunks, q.queued_at, q.doc LIMIT $3;

-- queue.due_first selects the oldest $1 due rows.
{queue.select_lease} INDEXED BY queue_due CROSS JOIN entry e ON e.doc = q.doc
	WHERE q.not_before = 0 ORDER BY q.queued_at, q.doc LIMIT $1;

-- queue.lease leases the rows of entries $1 until $2: $3 is now.
UPDATE queue SET not_before = max($2, $3 + 1)
	WHERE doc IN (SELECT e.doc FROM json_each($1) j CROSS JOIN entry e ON e.id = unhex(j.value));

-- queue.renew moves the end of the lease of entry $2 to $1, unless it was queued again: $3 is
-- the revision that was leased.
UPDATE queue SET not_before = max(1, $1) WHERE doc = (SELECT doc FROM entry WHERE id = $2) AND revision = $3 AND not_before > 0;

-- queue.remove_leased removes the completed row of entry $1, unless it was queued again: $2 is
-- the revision that was leased.
DELETE FROM queue WHERE doc = (SELECT doc FROM entry WHERE id = $1) AND revision = $2 AND not_before > 0;

-- queue.return_leased delays the row of entry $1 until $3, with error $4, unless it was queued
-- again: $2 is the revision that was leased.
UPDATE queue SET not_before = max(1, $3), attempts = attempts + 1, last_error = $4
	WHERE doc = (SELECT doc FROM entry WHERE id = $1) AND revision = $2 AND not_before > 0;

-- queue.purge removes the row of doc $1.
DELETE FROM queue WHERE doc = ?;
