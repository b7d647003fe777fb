-- The tags of searchable entries.

-- tag.insert inserts tag $4 of entry $3 of store $1 with label $2.
INSERT INTO tag (store, label, entry, tag) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- tag.insert_many is tag.insert for lists: $1 … $4.
INSERT INTO tag (store, label, entry, tag) SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::text[]) ON CONFLICT DO NOTHING;

-- tag.delete deletes tags $4 of entry $3 of store $1 with label $2.
DELETE FROM tag WHERE store = $1 AND label = $2 AND entry = $3 AND tag = ANY($4);
