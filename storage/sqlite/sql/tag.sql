-- The tags of searchable entries.

-- tag.insert inserts tag $3 of doc $4 of store $1 with label $2.
INSERT OR IGNORE INTO tag (store, label, tag, doc) VALUES ($1, $2, $3, $4);

-- tag.delete deletes the tags of doc $3 of store $1 with label $2.
DELETE FROM tag WHERE store = $1 AND label = $2 AND doc = $3 AND tag IN
	(SELECT j.value FROM entry e, json_each(e.tags) j WHERE e.doc = $3);
