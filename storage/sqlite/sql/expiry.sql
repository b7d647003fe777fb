-- Entries that have expired, or were swept or deleted.

-- expiry.count_erasable counts the entries that were deleted or have expired before $1. An
-- entry that is both counts once.
SELECT
	(SELECT count(*) FROM entry INDEXED BY entry_deleted WHERE deleted_at IS NOT NULL AND deleted_at < $1) +
	(SELECT count(*) FROM entry INDEXED BY entry_swept
		WHERE state = 2 AND expires_at < $1 AND (deleted_at IS NULL OR deleted_at >= $1)) +
	(SELECT count(*) FROM entry INDEXED BY entry_due
		WHERE state < 2 AND expires_at < $1 AND (deleted_at IS NULL OR deleted_at >= $1));

-- expiry.deleted selects at most $2 entries that were deleted before $1.
SELECT id FROM entry INDEXED BY entry_deleted WHERE deleted_at IS NOT NULL AND deleted_at < $1 ORDER BY deleted_at LIMIT $2;

-- expiry.swept selects at most $2 swept entries that have expired before $1.
SELECT id FROM entry INDEXED BY entry_swept WHERE state = 2 AND expires_at < $1 ORDER BY expires_at LIMIT $2;

-- expiry.expired selects at most $2 entries that have expired before $1 and are not swept.
SELECT id FROM entry INDEXED BY entry_due WHERE state < 2 AND expires_at < $1 ORDER BY expires_at LIMIT $2;

-- expiry.due selects ID, end and size of at most $2 entries that have expired at $1.
SELECT id, expires_at, coalesce(length(value), 0) FROM entry INDEXED BY entry_due WHERE state < 2 AND expires_at <= $1 ORDER BY expires_at LIMIT $2;

-- expiry.due_in selects the entries of store $1 and label $2 that expire by $3, at most $4.
SELECT id, expires_at, coalesce(length(value), 0) FROM entry INDEXED BY entry_expiring
	WHERE store = (SELECT number FROM store WHERE id = $1) AND label = $2 AND state = 0 AND expires_at <= $3
	ORDER BY expires_at LIMIT $4;
