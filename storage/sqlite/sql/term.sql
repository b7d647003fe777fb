-- The terms of the lexical index, read from postings within the scope.

-- term.many selects a row if a store of scope $1 has at least $4 terms from $2 to before $3.
{scope.table} SELECT 1 FROM scope WHERE $4 = (SELECT count(*) FROM
	(SELECT DISTINCT p.term FROM posting p WHERE p.store = scope.store AND p.term >= $2 AND p.term < $3 AND p.label <= scope.ceiling LIMIT $4))
	LIMIT 1;

-- term.range selects at most $4 terms of scope $1 from $2 to before $3, store by store. It
-- seeks each next term directly, skipping the blocks of postings.
{scope.table}, found (store, ceiling, term) AS (
	SELECT store, ceiling, (SELECT p.term FROM posting p WHERE p.store = scope.store AND p.term >= $2 AND p.term < $3 AND p.label <= scope.ceiling ORDER BY p.term LIMIT 1) FROM scope
	UNION ALL SELECT store, ceiling, (SELECT p.term FROM posting p WHERE p.store = found.store AND p.term > found.term AND p.term < $3 AND p.label <= found.ceiling ORDER BY p.term LIMIT 1)
	FROM found WHERE term IS NOT NULL)
	SELECT term FROM found WHERE term IS NOT NULL LIMIT $4;

-- term.expired selects store, docID and terms of the entries of scope $1 that have expired at
-- $2 and are not swept.
{scope.table} SELECT d.store, d.doc, d.terms FROM scope
	CROSS JOIN entry e INDEXED BY entry_expiring ON e.store = scope.store AND e.label IN {entry.labels}
	CROSS JOIN document d ON d.doc = e.doc
	WHERE e.state = 0 AND e.label <= scope.ceiling AND e.expires_at <= $2;

-- term.expired_lengths selects store, docID and length of the entries of scope $1 that have
-- expired at $3 and are not swept. $2 is the highest ceiling in the scope.
{scope.table} SELECT d.store, d.doc, d.length FROM scope
	CROSS JOIN entry e INDEXED BY entry_expiring ON e.store = scope.store AND e.label IN {entry.labels_up_to}
	CROSS JOIN document d ON d.doc = e.doc
	WHERE e.state = 0 AND e.label <= scope.ceiling AND e.expires_at <= $3;
