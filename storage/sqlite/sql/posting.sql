-- The lexical index: blocks of postings (posting), and the number of documents with the sum of
-- their lengths, by store and label (total). SECURITY: store and label restrict the rows before
-- a search counts and ranks.

-- posting.add_total adds $3 documents, whose lengths have the sum $4, to the totals of store $1
-- and label $2.
INSERT INTO total (store, label, documents, length) VALUES (?, ?, ?, ?)
	ON CONFLICT DO UPDATE SET documents = documents + excluded.documents, length = length + excluded.length;

-- posting.totals selects the number of documents in scope $1, the sum of their lengths, and
-- whether any entry there has a time at which it expires.
{scope.table} SELECT coalesce(sum(t.documents), 0), coalesce(sum(t.length), 0), EXISTS (
	SELECT 1 FROM scope CROSS JOIN entry e INDEXED BY entry_expiring ON e.store = scope.store AND e.label IN {entry.labels}
	WHERE e.state = 0 AND e.label <= scope.ceiling AND e.expires_at IS NOT NULL) FROM scope
	CROSS JOIN total t ON t.store = scope.store AND t.label <= scope.ceiling;

-- posting.partitions selects the stores and labels of scope $1 that have documents.
{scope.table} SELECT t.store, t.label FROM scope
	CROSS JOIN total t ON t.store = scope.store AND t.label <= scope.ceiling WHERE t.documents > 0;

-- posting.of_terms selects the blocks of terms $2 in scope $1: store, index of the term in the
-- list, first docID and block.
{scope.table}, query_term (term, i) AS MATERIALIZED (SELECT value, key FROM json_each($2))
	SELECT scope.store, q.i, p.first, p.block FROM scope CROSS JOIN query_term q
	CROSS JOIN posting p ON p.store = scope.store AND p.term = q.term AND p.label <= scope.ceiling;

-- posting.at selects the last block of store $1, term $2 and label $3 that begins at or before
-- docID $4.
SELECT first, block FROM posting WHERE store = ? AND term = ? AND label = ? AND first <= ? ORDER BY first DESC LIMIT 1;

-- posting.next selects the start of the next block after docID $4: $1 store, $2 term, $3 label.
SELECT first FROM posting WHERE store = ? AND term = ? AND label = ? AND first > ? ORDER BY first LIMIT 1;

-- posting.insert inserts a block: $1 store, $2 term, $3 label, $4 first docID, $5 block.
INSERT INTO posting (store, term, label, first, block) VALUES (?, ?, ?, ?, ?);

-- posting.update replaces a block with $1: $2 store, $3 term, $4 label, $5 first docID.
UPDATE posting SET block = ? WHERE store = ? AND term = ? AND label = ? AND first = ?;

-- posting.delete deletes a block: $1 store, $2 term, $3 label, $4 first docID.
DELETE FROM posting WHERE store = ? AND term = ? AND label = ? AND first = ?;
