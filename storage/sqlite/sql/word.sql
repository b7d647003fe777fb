-- The forms of words by which Matching finds entries: table form has the forms of each entry,
-- and word is an FTS5 index on their keys.

-- word.forms selects the forms of doc $1.
SELECT forms FROM form WHERE doc = ?;

-- word.all_forms selects the forms of all entries.
SELECT e.doc, e.store, e.label, f.forms FROM form f CROSS JOIN entry e ON e.doc = f.doc ORDER BY f.doc;

-- word.put_forms records that doc $1 has forms $2.
INSERT OR REPLACE INTO form (doc, forms) VALUES (?, ?);

-- word.delete_forms records that doc $1 has no forms.
DELETE FROM form WHERE doc = ?;

-- word.insert adds doc $1 to the index by keys $2.
INSERT INTO word (rowid, keys) VALUES (?, ?);

-- word.delete removes doc $1 from the index by keys $2.
INSERT INTO word (word, rowid, keys) VALUES ('delete', ?, ?);

-- word.merge merges the segments of the index.
INSERT INTO word (word) VALUES ('optimize');

-- word.clear removes all segments of the index.
INSERT INTO word (word) VALUES ('delete-all');

-- word.count_pages counts the pages of all segments. Rows 1 and 10 hold other data of FTS5.
SELECT count(*) FROM word_data WHERE id > 10;
