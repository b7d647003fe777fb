-- The forms of words by which Matching finds entries, as keys of a tsvector.

-- {word.or_replace} replaces the forms of an entry that has some.
ON CONFLICT ON CONSTRAINT word_pkey DO UPDATE SET label = excluded.label, keys = excluded.keys
	WHERE word.label <> excluded.label OR word.keys <> excluded.keys

-- word.put records that entry $1 of store $2 with label $3 has keys $4, a list with § between
-- them (noPartition).
INSERT INTO word (entry, store, label, keys) VALUES ($1, $2, $3, array_to_tsvector(string_to_array($4::text, '§'))) {word.or_replace};

-- word.put_many is word.put for lists: $1 … $4.
INSERT INTO word (entry, store, label, keys) SELECT entry, store, label, array_to_tsvector(string_to_array(keys, '§'))
	FROM unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::text[]) r (entry, store, label, keys) {word.or_replace};

-- word.delete deletes the forms of entry $1 of store $2.
DELETE FROM word WHERE entry = $1 AND store = $2;
