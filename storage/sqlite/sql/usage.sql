-- The number of entries, and bytes of values, of a writer in a store, by label.

-- usage.add adds $4 entries and $5 bytes to the usage of store $1, label $2 and writer $3.
INSERT INTO usage (store, label, writer, entries, bytes) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes;

-- usage.expired selects the usage of entries that have expired at $4: $1 store, $2 label, $3
-- writer.
SELECT count(*), coalesce(sum(length(e.value)), 0) FROM store s
	CROSS JOIN entry e INDEXED BY entry_expiring ON e.store = s.number AND e.label = $2
	WHERE s.id = $1 AND e.state = 0 AND e.expires_at <= $4 AND e.updated_by = $3;
