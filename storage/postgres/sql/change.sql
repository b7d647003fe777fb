-- Records of changes of entries' vectors, at positions without gaps. Each process reads new ones
-- to update its vector index.

-- change.last selects the last position ever assigned.
SELECT last FROM change_head;

-- change.insert records changes of entries $1 at time $2. The row of change_head is locked until
-- the transaction commits, so that positions increase in commit order: once a position is
-- visible, so are all before it.
WITH head AS (UPDATE change_head SET last = last + cardinality($1::uuid[]) RETURNING last)
	INSERT INTO change (position, entry, at) SELECT head.last - cardinality($1::uuid[]) + c.i, c.entry, $2
	FROM head CROSS JOIN unnest($1::uuid[]) WITH ORDINALITY c (entry, i);
