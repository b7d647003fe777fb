-- Entries of a store that were shown to a buyer, with a digest of the value that was shown: a
-- row for each value. charge is null if the entry cost nothing.

-- {bought.columns} are the columns of a row.
store, buyer, entry, digest, charge

-- bought.with selects store, buyer and entry of the rows of charge $1.
SELECT store, buyer, entry FROM bought WHERE charge = $1;

-- bought.all selects all rows, for a dump.
SELECT {bought.columns} FROM bought ORDER BY store, buyer, entry, digest;

-- bought.insert inserts a row with the columns $1 … $5, unless there is one with its key.
INSERT INTO bought ({bought.columns}) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;

-- bought.delete deletes the rows of charge $1.
DELETE FROM bought WHERE charge = $1;

-- bought.count counts the live entries of store $1 that were shown to buyer $2.
SELECT count(*) FROM entry e WHERE e.state = 0 AND e.store = (SELECT number FROM store WHERE id = $1)
	AND e.id IN (SELECT entry FROM bought WHERE store = $1 AND buyer = $2);

-- bought.count_indexed counts the documents of store $1 up to label $2 in the lexical index.
SELECT CAST(coalesce(sum(t.documents), 0) AS bigint) FROM store s CROSS JOIN total t
	WHERE s.id = $1 AND t.store = s.number AND t.label <= $2;
