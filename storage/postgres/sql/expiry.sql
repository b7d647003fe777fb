-- Entries that have expired, or were swept or deleted.

-- expiry.count_erasable counts the entries that were deleted or have expired before $1.
SELECT count(*) FROM entry WHERE deleted_at < $1 OR expires_at < $1;

-- expiry.deleted selects at most $2 entries that were deleted before $1.
SELECT id FROM entry WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2;

-- expiry.swept selects at most $2 swept entries that have expired before $1.
SELECT id FROM entry WHERE state = 2 AND expires_at < $1 ORDER BY expires_at LIMIT $2;

-- expiry.expired selects at most $2 entries that have expired before $1 and are not swept.
SELECT id FROM entry WHERE state < 2 AND expires_at < $1 ORDER BY expires_at LIMIT $2;

-- expiry.due selects ID, end and size of at most $2 entries that have expired at $1.
SELECT id, expires_at, coalesce(octet_length(value), 0) FROM entry WHERE state < 2 AND expires_at <= $1 ORDER BY expires_at LIMIT $2;

-- expiry.due_in selects the entries of store $1 up to label $2 that expire by $3, at most $4.
SELECT e.id, e.expires_at, e.size FROM store s CROSS JOIN {scope.labels}
	CROSS JOIN LATERAL (SELECT id, expires_at, coalesce(octet_length(value), 0) AS size FROM entry f WHERE f.store = s.number AND f.label = l.label AND f.state = 0
		AND f.expires_at <= $3 ORDER BY f.expires_at LIMIT $4) e
	WHERE s.id = $1 AND l.label <= $2 ORDER BY e.expires_at LIMIT $4;

-- expiry.still selects, of entries $1, those that were deleted or have expired before $2.
SELECT id FROM entry WHERE id = ANY($1) AND (deleted_at < $2 OR expires_at < $2);
