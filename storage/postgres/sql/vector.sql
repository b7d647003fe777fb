-- The vectors of entries, by model. Column half is the vector of a vector.Record as bytes, and
-- codes its Codes.

-- {vector.columns} are the columns of vectors v and entries e.
v.entry, v.chunk, e.store, e.label, v.half

-- {vector.join_entry} joins the entry e of a vector v.
CROSS JOIN LATERAL (SELECT store, label FROM entry WHERE id = v.entry AND store = v.store OFFSET 0) e

-- vector.of_entries selects the vectors of entries $1 by the model with fingerprint $2.
SELECT {vector.columns} FROM model m CROSS JOIN unnest($1::uuid[]) i (id)
	CROSS JOIN LATERAL (SELECT * FROM vector x WHERE x.model = m.number AND x.entry = i.id OFFSET 0) v {vector.join_entry}
	WHERE m.fingerprint = $2 ORDER BY v.entry, v.chunk;

-- {vector.chunks} are chunks $4 of entries $3. {scope.is_within} follows.
SELECT c.i, v.codes FROM unnest($3::uuid[], $4::integer[]) WITH ORDINALITY c (id, chunk, i)
	CROSS JOIN LATERAL (SELECT f.store FROM entry f WHERE f.id = c.id AND f.{scope.is_live} AND

-- {vector.of_chunks} are the chunks' vectors by the model with fingerprint $5, whose store
-- follows.
OFFSET 0) e CROSS JOIN LATERAL (SELECT x.codes FROM vector x
		WHERE x.model = (SELECT number FROM model WHERE fingerprint = $5) AND x.entry = c.id AND x.chunk = c.chunk AND x.store =

-- vector.codes selects the codes of chunks $4 of entries $3 within a scope, $1 and $2, by the
-- model with fingerprint $5, with their indexes from 1.
{vector.chunks} {scope.is_within} {vector.of_chunks} e.store OFFSET 0) v;

-- vector.codes_in_one is vector.codes for a scope of one store: $1 … $5.
{vector.chunks} {scope.is_within_one} {vector.of_chunks} {scope.only} OFFSET 0) v;

-- vector.all selects all vectors by the model with fingerprint $1, in primary key order, so
-- that the chunks of an entry are consecutive.
SELECT {vector.columns} FROM (SELECT * FROM vector x
		WHERE x.model = (SELECT number FROM model WHERE fingerprint = $1) ORDER BY x.entry, x.chunk) v {vector.join_entry} ORDER BY v.entry, v.chunk;

-- vector.remove_dropped deletes the vectors of entries $1 by dropped models with names $2.
DELETE FROM vector WHERE model = ANY (ARRAY(SELECT number FROM model WHERE fingerprint = ANY($2))) AND entry = ANY($1);

-- {vector.of_entry} is the condition that a vector is of entry $1 of store $2, by any model.
-- ARRAY is evaluated once, and its elements are looked up in an index.
model = ANY (ARRAY(SELECT number FROM model)) AND entry = $1 AND store = $2

-- vector.has selects a row if entry $1 of store $2 has vectors.
SELECT 1 FROM vector WHERE {vector.of_entry} LIMIT 1;

-- vector.delete deletes all vectors of entry $1 of store $2.
DELETE FROM vector WHERE {vector.of_entry};

-- vector.move moves the vectors of entry $1 from store $2 to store $3.
UPDATE vector SET store = $3 WHERE {vector.of_entry};

-- vector.insert inserts a vector: $1 model, $2 store, $3 entry, $4 chunk, $5 revision, $6 half,
-- $7 codes.
INSERT INTO vector (model, store, entry, chunk, revision, half, codes) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- vector.insert_many is vector.insert for lists: $1 … $7.
INSERT INTO vector (model, store, entry, chunk, revision, half, codes)
	SELECT * FROM unnest($1::integer[], $2::bigint[], $3::uuid[], $4::integer[], $5::bigint[], $6::bytea[], $7::bytea[]);

-- vector.delete_of_model deletes the vectors by model $1 of entry $2 of store $3.
DELETE FROM vector WHERE model = $1 AND entry = $2 AND store = $3;

-- {vector.in_lists} is the condition that a vector is of a model, entry and store of lists.
-- With = ANY, an index is probed in key order.
model = ANY($1::integer[]) AND entry = ANY($2::uuid[])
	AND (model, entry, store) IN (SELECT * FROM unnest($1::integer[], $2::uuid[], $3::bigint[]))

-- vector.delete_many is vector.delete_of_model for lists: $1 models, $2 entries, $3 stores.
DELETE FROM vector WHERE {vector.in_lists};

-- vector.delete_many_of_one is vector.delete_many for entries of one store, in its partition:
-- $1 models, $2 entries, $3 stores.
DELETE FROM vector WHERE {vector.in_lists} AND store = ($3::bigint[])[1];

-- vector.lock locks the row of entry $1 until the commit, and selects its store, its revision
-- and whether it may have vectors. It does not lock the store, so that workers do not block
-- other writers.
SELECT store, revision, state = 0 AND in_context AND NOT encrypted FROM entry WHERE id = $1 FOR NO KEY UPDATE;

-- vector.lock_many is vector.lock for entries $1, in key order, with their IDs.
SELECT id, store, revision, state = 0 AND in_context AND NOT encrypted FROM entry WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE;
