-- The number of entries, and bytes of values, of a writer in a store, by label.

-- {usage.or_add} adds to an existing row.
ON CONFLICT (store, label, writer) DO UPDATE SET entries = usage.entries + excluded.entries, bytes = usage.bytes + excluded.bytes

-- usage.add adds $4 entries and $5 bytes to the usage of store $1, label $2 and writer $3.
INSERT INTO usage (store, label, writer, entries, bytes) VALUES ($1, $2, $3, $4, $5) {usage.or_add};

-- usage.add_many is usage.add for lists: $1 … $5.
INSERT INTO usage (store, label, writer, entries, bytes)
	SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::bigint[], $5::bigint[]) {usage.or_add};

-- usage.live is usage.of without entries that have expired at $4: $1 store, $2 label, $3
-- writer.
SELECT coalesce(u.entries, 0) - expired.entries, coalesce(u.bytes, 0) - expired.bytes FROM store s
	LEFT JOIN usage u ON u.store = s.number AND u.label = $2 AND u.writer = $3
	CROSS JOIN LATERAL (SELECT count(*) AS entries, coalesce(sum(length(e.value)), 0)::bigint AS bytes FROM entry e
		WHERE e.store = s.number AND e.label = $2 AND e.state = 0 AND e.expires_at <= $4 AND e.updated_by = $3) expired
	WHERE s.id = $1;
