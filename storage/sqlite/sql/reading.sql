-- Which models read the entries of a store.

-- reading.among is reading.of for stores $1.
SELECT j.id, coalesce(s.number, 0), {reading.columns} FROM (SELECT value AS id FROM json_each($1)) j
	LEFT JOIN store s ON s.id = j.id LEFT JOIN reading r ON r.store = j.id;

-- reading.put changes how store $1 is read: $2 its language, null for no change, $3 whether it
-- was Asked, $4 and $5 the labels multilingual and mixed, 0 for no change. Asked stays set
-- unless a language is chosen, and the lower of two labels applies.
INSERT INTO reading (store, language, asked, multilingual, mixed) VALUES ($1, coalesce($2, 0), $3, $4, $5)
	ON CONFLICT (store) DO UPDATE SET language = coalesce($2, reading.language), asked = $3 OR reading.asked AND $2 IS NULL,
	multilingual = CASE WHEN $4 = 0 THEN reading.multilingual WHEN reading.multilingual = 0 THEN $4 ELSE min($4, reading.multilingual) END,
	mixed = CASE WHEN $5 = 0 THEN reading.mixed WHEN reading.mixed = 0 THEN $5 ELSE min($5, reading.mixed) END;

-- reading.count_foreign counts the entries of store $1 with label $2 that have vectors of the
-- multilingual fingerprint $3 and none of the main one, $4.
SELECT count(*) FROM entry e INDEXED BY entry_live
	WHERE e.store = (SELECT number FROM store WHERE id = $1) AND e.state = 0 AND e.label = $2 AND e.in_context AND NOT e.encrypted AND EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = $3) AND v.revision = e.revision) AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = $4) AND v.revision = e.revision);
