-- Former versions of entries (history), and their number and size (past).

-- history.purge deletes the versions of doc $1.
DELETE FROM history WHERE doc = $1;

-- history.put_past records that doc $1 has $2 former versions of $3 bytes.
INSERT INTO past (doc, versions, bytes) VALUES (?, ?, ?)
	ON CONFLICT DO UPDATE SET versions = excluded.versions, bytes = excluded.bytes;

-- history.excess selects at most $4 entries after ID $1 with more than $2 former versions, or
-- more than $3 bytes of them.
SELECT e.id FROM past p CROSS JOIN entry e ON e.doc = p.doc
	WHERE p.doc > coalesce((SELECT doc FROM entry WHERE id = $1), 0) AND p.versions > 1 AND (p.versions > $2 OR p.bytes > $3)
	ORDER BY p.doc LIMIT $4;

-- history.purge_past deletes the counts of doc $1.
DELETE FROM past WHERE doc = $1;
