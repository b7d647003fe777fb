-- Which models read the entries of a store.

-- reading.among is reading.of for stores $1.
SELECT j.id, coalesce(s.number, 0), {reading.columns} FROM unnest($1::text[]) j (id)
	LEFT JOIN store s ON s.id = j.id LEFT JOIN reading r ON r.store = j.id;

-- reading.locked selects the row of store $1, whose lock the transaction holds: its number, the
-- docID of its next entry, and how it is read.
SELECT s.number, s.next_place, {reading.columns} FROM store s LEFT JOIN reading r ON r.store = s.id WHERE s.id = $1;

-- reading.put changes how store $1 is read: $2 its language, null for no change, $3 whether it
-- was Asked, $4 and $5 the labels multilingual and mixed, 0 for no change. Asked stays set
-- unless a language is chosen, and the lower of two labels applies.
INSERT INTO reading (store, language, asked, multilingual, mixed) VALUES ($1, coalesce($2::smallint, 0), $3, $4, $5)
	ON CONFLICT (store) DO UPDATE SET language = coalesce($2::smallint, reading.language), asked = $3 OR reading.asked AND $2::smallint IS NULL,
	multilingual = CASE WHEN $4::smallint = 0 THEN reading.multilingual WHEN reading.multilingual = 0 THEN $4::smallint ELSE least($4::smallint, reading.multilingual) END,
	mixed = CASE WHEN $5::smallint = 0 THEN reading.mixed WHEN reading.mixed = 0 THEN $5::smallint ELSE least($5::smallint, reading.mixed) END;

-- reading.count_foreign counts the entries of store $1 with label $2 that have vectors of the
-- multilingual fingerprint $3 and none of the main one, $4.
SELECT count(*) FROM entry e
	WHERE e.store = (SELECT number FROM store WHERE id = $1) AND e.state = 0 AND e.label = $2 AND e.in_context AND NOT e.encrypted AND EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $3) AND v.revision = e.revision) AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $4) AND v.revision = e.revision);
