-- The documents of entries in the lexical index. A doc is the docID of an entry.

-- document.of selects the document of doc $1.
SELECT store, label, length, terms FROM document WHERE doc = ?;

-- document.put inserts or replaces the document of doc $1: $2 store, $3 label, $4 length, $5
-- terms.
INSERT OR REPLACE INTO document (doc, store, label, length, terms) VALUES (?, ?, ?, ?, ?);

-- document.delete deletes the document of doc $1.
DELETE FROM document WHERE doc = ?;
