-- The terms of the lexical index, read from postings within the scope of stores $1 with
-- ceilings $2.

-- term.many selects a row if a store of the scope has at least $5 terms from $3 to before $4.
{scope.table} SELECT 1 FROM scope WHERE $5::bigint = (SELECT count(*) FROM
	(SELECT DISTINCT p.term FROM posting p WHERE p.store = scope.store AND p.term >= $3 AND p.term < $4 AND p.label <= scope.ceiling LIMIT $5) t)
	LIMIT 1;

-- term.range selects at most $5 terms of the scope from $3 to before $4, store by store. It
-- seeks each next term directly, skipping the blocks of postings.
WITH RECURSIVE {scope.rows}, found (store, ceiling, term) AS (
	SELECT store, ceiling, (SELECT p.term FROM posting p WHERE p.store = scope.store AND p.term >= $3 AND p.term < $4 AND p.label <= scope.ceiling ORDER BY p.term LIMIT 1) FROM scope
	UNION ALL SELECT store, ceiling, (SELECT p.term FROM posting p WHERE p.store = found.store AND p.term > found.term AND p.term < $4 AND p.label <= found.ceiling ORDER BY p.term LIMIT 1)
	FROM found WHERE term IS NOT NULL)
	SELECT term FROM found WHERE term IS NOT NULL LIMIT $5;

-- {term.tombstones} are the entries e of the scope that have expired at $3 and are not swept.
scope CROSS JOIN {scope.labels}
	CROSS JOIN LATERAL (SELECT f.store, f.place, f.length, f.terms FROM entry f WHERE f.store = scope.store AND f.label = l.label
		AND f.state = 0 AND f.expires_at <= $3 AND f.length IS NOT NULL OFFSET 0) e
	WHERE l.label <= scope.ceiling

-- term.expired selects store, docID and terms of the entries that have expired at $3 and are
-- not swept.
{scope.table} SELECT e.store, e.place, e.terms FROM {term.tombstones};

-- term.expired_lengths selects store, docID and length of the entries that have expired at $3
-- and are not swept.
{scope.table} SELECT e.store, e.place, e.length FROM {term.tombstones};
