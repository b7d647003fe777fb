-- The queue: a row for each entry whose vectors are out of date. not_before is -infinity for a
-- row that can be leased, and the end of a lease or backoff for others; comparisons with
-- -infinity let statements use a partial index. chunks is the cost of a row, 0 if there is
-- nothing to embed. Rows that another transaction has locked are skipped.

-- {queue.columns} are the columns of a row.
entry, revision, queued_at, store, label, chunks, long, not_before, attempts

-- {queue.or_reset} resets an existing row. The row keeps its first queue time if both the old
-- and the new version have something to embed.
ON CONFLICT (entry) DO UPDATE SET revision = excluded.revision,
	not_before = excluded.not_before, attempts = 0, last_error = NULL, queued_at = CASE WHEN least(q.chunks, excluded.chunks) > 0
	THEN least(q.queued_at, excluded.queued_at) ELSE excluded.queued_at END,
	store = excluded.store, label = excluded.label, chunks = excluded.chunks, long = excluded.long

-- queue.put queues an entry, or resets its row: $1 entry, $2 revision, $3 time, $4 store, $5
-- label, $6 chunks, $7 whether it is long.
INSERT INTO queue AS q ({queue.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, '-infinity', 0) {queue.or_reset};

-- queue.put_many is queue.put for lists: $1 entries, $2 revisions, $3 times, $4 stores, $5
-- labels, $6 chunks, $7 whether they are long.
INSERT INTO queue AS q ({queue.columns}) SELECT *, '-infinity', 0
	FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::smallint[], $6::integer[], $7::boolean[]) {queue.or_reset};

-- queue.put_lacking queues, of entries $4, the live ones of store $1 from label $5 on that lack
-- vectors of fingerprint $3, at time $2. A chunk has about 2688 bytes: 448 tokens of six bytes
-- (indexer.Chunks).
INSERT INTO queue AS q ({queue.columns})
	SELECT e.id, e.revision, $2, e.store, e.label, 1 + octet_length(e.value) / 2688, octet_length(e.value) / 2688 >= 8, '-infinity', 0
	FROM unnest($4::uuid[]) i (id) CROSS JOIN LATERAL
	(SELECT * FROM entry f WHERE f.id = i.id AND f.store = (SELECT number FROM store WHERE id = $1) OFFSET 0) e
	WHERE e.state = 0 AND e.in_context AND NOT e.encrypted AND e.label >= $5 AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $3) AND v.revision = e.revision)
	{queue.or_reset};

-- queue.waits selects a row if entry $1 is queued.
SELECT 1 FROM queue WHERE entry = $1;

-- queue.waits_in selects a row if an entry within the scope of stores $1 with ceilings $2 was
-- queued before $3 and is live at $4. The entry's own row says whether it is live: it may have
-- expired.
{scope.table} SELECT 1 FROM scope CROSS JOIN {scope.labels} CROSS JOIN LATERAL (SELECT x.entry, x.store FROM queue x
		WHERE x.store = scope.store AND x.label = l.label AND x.chunks > 0 AND x.queued_at < $3 ORDER BY x.queued_at OFFSET 0) q
	CROSS JOIN LATERAL (SELECT FROM entry f WHERE f.id = q.entry AND f.store = q.store
		AND f.{scope.is_live} AND (f.expires_at IS NULL OR f.expires_at > $4) OFFSET 0) e
	WHERE l.label <= scope.ceiling LIMIT 1;

-- queue.refused selects store, path and error of at most $2 entries with errors like $1,
-- longest waiting first.
SELECT s.id, e.namespace, e.key, q.last_error FROM queue q JOIN entry e ON e.id = q.entry AND e.store = q.store
	JOIN store s ON s.number = e.store WHERE q.last_error LIKE $1 AND e.state = 0 ORDER BY q.queued_at LIMIT $2;

-- queue.return_ended makes rows due whose backoff or lease has ended by $1.
UPDATE queue q SET not_before = '-infinity' FROM (SELECT entry FROM queue
		WHERE not_before > '-infinity' AND not_before <= $1 ORDER BY not_before LIMIT 256 FOR UPDATE SKIP LOCKED) due WHERE q.entry = due.entry;

-- queue.return_delayed makes rows due that are delayed beyond $1, because a clock was set back.
UPDATE queue q SET not_before = '-infinity' FROM (SELECT entry FROM queue
		WHERE not_before > $1 ORDER BY not_before LIMIT 256 FOR UPDATE SKIP LOCKED) due WHERE q.entry = due.entry;

-- queue.due_stores selects at most $4 stores after $2 and up to $3 with due rows: $1 whether
-- the rows are long. It probes an index once per store.
WITH RECURSIVE found (store) AS (
		(SELECT store FROM queue WHERE not_before = '-infinity' AND long = $1 AND store > $2 AND store <= $3 ORDER BY store LIMIT 1)
		UNION ALL
		SELECT (SELECT q.store FROM queue q WHERE q.not_before = '-infinity' AND q.long = $1 AND q.store > found.store AND q.store <= $3
			ORDER BY q.store LIMIT 1) FROM found WHERE found.store IS NOT NULL)
	SELECT store FROM found WHERE store IS NOT NULL LIMIT $4;

-- queue.due_of selects at most $3 due rows of each of stores $2, in order, shortest first: $1
-- whether the rows are long.
SELECT q.entry, q.revision, q.attempts, q.store, q.chunks FROM unnest($2::bigint[]) WITH ORDINALITY s (store, i)
	CROSS JOIN LATERAL (SELECT x.* FROM queue x WHERE x.not_before = '-infinity' AND x.long = $1 AND x.store = s.store
		ORDER BY x.chunks, x.queued_at, x.entry LIMIT $3 FOR UPDATE SKIP LOCKED) q
	ORDER BY s.i, q.chunks, q.queued_at, q.entry;

-- queue.due_first selects the oldest $1 due rows.
SELECT entry, revision, attempts, store, chunks FROM queue
	WHERE not_before = '-infinity' ORDER BY queued_at, entry LIMIT $1 FOR UPDATE SKIP LOCKED;

-- queue.lease leases the rows of entries $1 until $2: $3 is now.
UPDATE queue SET not_before = greatest($2, $3::timestamptz + interval '1 microsecond') WHERE entry = ANY($1);

-- queue.renew moves the end of the lease of entry $2 to $1, unless it was queued again: $3 is
-- the revision that was leased.
UPDATE queue SET not_before = $1 WHERE entry = $2 AND revision = $3 AND not_before > '-infinity';

-- queue.remove_leased removes the completed row of entry $1, unless it was queued again: $2 is
-- the revision that was leased.
DELETE FROM queue WHERE entry = $1 AND revision = $2 AND not_before > '-infinity';

-- queue.remove_many_leased is queue.remove_leased for lists: $1 entries, $2 revisions.
DELETE FROM queue WHERE entry = ANY($1::uuid[]) AND not_before > '-infinity' AND (entry, revision) IN (SELECT * FROM unnest($1::uuid[], $2::bigint[]));

-- queue.return_leased delays the row of entry $1 until $3, with error $4, unless it was queued
-- again: $2 is the revision that was leased.
UPDATE queue SET not_before = $3, attempts = attempts + 1, last_error = $4 WHERE entry = $1 AND revision = $2 AND not_before > '-infinity';

-- queue.purge removes the row of entry $1.
DELETE FROM queue WHERE entry = $1;
