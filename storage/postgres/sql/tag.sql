-- The tags of searchable entries.

-- tag.insert inserts tag $4 of entry $3 of store $1 with label $2.
INSERT INTO tag (store, label, entry, tag) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- tag.insert_many is tag.insert for lists: $1 … $4.
INSERT INTO tag (store, label, entry, tag) SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::text[]) ON CONFLICT DO NOTHING;

-- tag.delete deletes tags $4 of entry $3 of store $1 with label $2.
DELETE FROM tag WHERE store = $1 AND label = $2 AND entry = $3 AND tag = ANY($4);

-- {tag.counted} counts the entries of a scope, $1 and $2, with each of tags $3. A condition on t
-- may follow.
{scope.table} SELECT q.tag FROM unnest($3::text[]) WITH ORDINALITY q (tag, i)
	CROSS JOIN LATERAL (SELECT count(*) AS n FROM (SELECT 1 FROM scope
		JOIN tag t ON t.store = scope.store AND t.tag = q.tag AND t.label <= scope.ceiling

-- {tag.fewest} selects the tag with the fewest entries, counting up to $4.
LIMIT $4) sample) c ORDER BY c.n, q.i LIMIT 1

-- tag.rarest selects which of tags $3 has the fewest entries in a scope, $1 and $2, up to $4.
{tag.counted} {tag.fewest};

-- tag.rarest_in_one is tag.rarest for a scope of one store: $1 … $4.
{tag.counted} AND t.store = {scope.only} {tag.fewest};
