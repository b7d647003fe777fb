-- The tags of searchable entries.

-- tag.insert inserts tag $3 of doc $4, which is of store $1 with label $2.
INSERT OR IGNORE INTO tag (store, label, tag, doc) VALUES (?, ?, ?, ?);

-- tag.delete deletes the tags of doc $3 of store $1 with label $2.
DELETE FROM tag WHERE store = $1 AND label = $2 AND doc = $3 AND tag IN
	(SELECT j.value FROM entry e, json_each(e.tags) j WHERE e.doc = $3);

-- tag.count counts the entries of scope $1 with tag $2, up to $3.
{scope.table} SELECT count(*) FROM (SELECT 1 FROM scope
	CROSS JOIN tag t ON t.store = scope.store AND t.label IN {entry.labels} AND t.tag = $2
	WHERE t.label <= scope.ceiling LIMIT $3);
