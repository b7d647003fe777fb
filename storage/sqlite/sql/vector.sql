-- The vectors of entries, by model. Column half is the vector of a vector.Record as bytes, and
-- codes its Codes.

-- {vector.columns} are the columns of vectors v and entries e.
e.id, v.chunk, e.store, e.label, v.half

-- vector.of_entries selects the vectors of entries $1 by the model with fingerprint $2.
SELECT {vector.columns} FROM json_each($1) j CROSS JOIN entry e ON e.id = unhex(j.value)
	CROSS JOIN vector v ON v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = $2)
	ORDER BY e.doc, v.chunk;

-- vector.codes selects the codes of chunks $1, a list of IDs and chunks, by the model with
-- fingerprint $2. SECURITY: the first columns, store and label, serve to exclude rows outside
-- the scope.
SELECT e.store, e.label, j.key, v.codes FROM json_each($1) j CROSS JOIN entry e ON e.id = unhex(j.value ->> 0) AND e.state = 0
	CROSS JOIN vector v ON v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = $2) AND v.chunk = j.value ->> 1;

-- vector.all selects all vectors by the model with fingerprint $1, in insertion order, so that
-- the chunks of an entry are consecutive: one pass over the table.
SELECT {vector.columns} FROM vector v NOT INDEXED CROSS JOIN entry e ON e.doc = v.doc
	WHERE v.model = (SELECT number FROM model WHERE fingerprint = $1) ORDER BY v.number;

-- vector.remove_dropped deletes the vectors of entries $1 by dropped models with names $2.
DELETE FROM vector WHERE doc IN (SELECT e.doc FROM json_each($1) j CROSS JOIN entry e ON e.id = unhex(j.value))
	AND model IN (SELECT number FROM model WHERE fingerprint IN (SELECT value FROM json_each($2)));

-- vector.has selects a row if doc $1 has vectors.
SELECT 1 FROM vector WHERE doc = ? LIMIT 1;

-- vector.insert inserts a vector: $1 doc, $2 model, $3 chunk, $4 revision, $5 half, $6 codes.
INSERT INTO vector (doc, model, chunk, revision, half, codes) VALUES (?, ?, ?, ?, ?, ?);

-- vector.delete_of_model deletes the vectors of doc $1 by model $2.
DELETE FROM vector WHERE doc = ? AND model = ?;

-- vector.delete deletes all vectors of doc $1.
DELETE FROM vector WHERE doc = ?;
