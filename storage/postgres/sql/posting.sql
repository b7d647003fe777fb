-- The lexical index: blocks of postings (posting), and the number of documents with the sum of
-- their lengths, by store and label (total). SECURITY: store and label restrict the rows before
-- a search counts and ranks. LATERAL and OFFSET 0 force the planner to use one index probe for
-- each store and term, whatever its statistics say.

-- {posting.or_add} adds to an existing row.
ON CONFLICT (store, label) DO UPDATE SET documents = total.documents + excluded.documents, length = total.length + excluded.length

-- posting.add_total adds $3 documents, whose lengths have the sum $4, to the totals of store $1
-- and label $2.
INSERT INTO total (store, label, documents, length) VALUES ($1, $2, $3, $4) {posting.or_add};

-- posting.add_totals is posting.add_total for lists: $1 … $4.
INSERT INTO total (store, label, documents, length)
	SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[]) {posting.or_add};

-- posting.totals selects the number of documents and the sum of their lengths in a scope: $1 and
-- $2.
{scope.table} SELECT coalesce(sum(t.documents), 0)::bigint, coalesce(sum(t.length), 0)::bigint FROM scope
	CROSS JOIN LATERAL (SELECT x.documents, x.length FROM total x WHERE x.store = scope.store AND x.label <= scope.ceiling OFFSET 0) t;

-- posting.partitions selects the stores and labels of a scope, $1 and $2, that have documents.
{scope.table} SELECT t.store, t.label FROM scope
	CROSS JOIN LATERAL (SELECT * FROM total x WHERE x.store = scope.store AND x.label <= scope.ceiling OFFSET 0) t WHERE t.documents > 0;

-- posting.of_terms selects the blocks of terms $3 in a scope, $1 and $2: store, index of the
-- term in the list from 1, number and data.
{scope.table} SELECT scope.store, q.i, p.block, p.data FROM scope
	CROSS JOIN unnest($3::bytea[]) WITH ORDINALITY q (term, i)
	CROSS JOIN LATERAL (SELECT x.block, x.data FROM posting x
		WHERE x.store = scope.store AND x.term = q.term AND x.label <= scope.ceiling OFFSET 0) p;

-- {posting.keys} are the keys of blocks: $1 stores, $2 labels, $3 numbers, $4 terms.
unnest($1::bigint[], $2::smallint[], $3::integer[], $4::bytea[])

-- posting.blocks selects the data of blocks with keys $1 … $4, with their indexes from 1.
SELECT k.i, p.data FROM {posting.keys} WITH ORDINALITY k (store, label, block, term, i)
	CROSS JOIN LATERAL (SELECT x.data FROM posting x
		WHERE x.store = k.store AND x.term = k.term AND x.label = k.label AND x.block = k.block OFFSET 0) p;

-- {posting.insert} inserts blocks with keys $1 … $4 and data $5.
INSERT INTO posting (store, label, block, term, data)
	SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::integer[], $4::bytea[], $5::bytea[])

-- {posting.or_set} sets the data of existing blocks.
ON CONFLICT (store, term, label, block) DO UPDATE SET data =

-- posting.insert inserts blocks that do not exist: $1 … $5 keys and data.
{posting.insert};

-- posting.append inserts blocks, or appends to their data: $1 … $5 keys and data.
{posting.insert} {posting.or_set} posting.data || excluded.data;

-- posting.replace inserts blocks, or replaces their data: $1 … $5 keys and data.
{posting.insert} {posting.or_set} excluded.data;

-- posting.delete deletes blocks with keys $1 … $4.
DELETE FROM posting p USING {posting.keys} k (store, label, block, term)
	WHERE p.store = k.store AND p.term = k.term AND p.label = k.label AND p.block = k.block;
