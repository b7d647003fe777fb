-- Entries (table entry, with author and occurrence), and their former versions (history, past).
-- The columns are in the order of sqlcommon.ScanEntries; e is entry or history, s is store, o
-- is occurrence and a is author.

-- {entry.kept} are the columns that history also has, in the order of sqlcommon.EntryValues.
tags, revision, version, in_context, encrypted, created_at, updated_at, expires_at, deleted_at,
	owner, updated_by, deleted_by, namespace, key, type, description, source, value

-- {entry.kept_values} are the parameters for these columns.
?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?

-- {entry.narrow} are the columns read from both tables, except the wide ones: source and value.
e.label, e.revision, e.version, e.in_context, e.encrypted,
	e.created_at, e.updated_at, e.expires_at, e.deleted_at, e.owner, e.updated_by, e.deleted_by,
	e.namespace, e.key, e.type, e.description, e.tags

-- {entry.occurred} are when the entry's event happened, and its precision.
o.at, coalesce(o.date, 0)

-- {entry.authors} are the authors of type and description.
coalesce(a.type_by, e.owner), coalesce(a.description_by, e.owner)

-- {entry.size} is the size of the value.
coalesce(length(e.value), 0)

-- {entry.candidate} is the row of a search's candidate, without the authors and the wide
-- columns.
e.id, s.id, {entry.narrow}, {entry.occurred}, {entry.size}

-- {entry.without_text} has all columns, but null for source and value.
{entry.candidate}, {entry.authors}, NULL, NULL

-- {entry.with_text} has all columns.
e.id, s.id, {entry.narrow}, {entry.occurred}, 0, {entry.authors}, e.source, e.value

-- {entry.former} has the columns of a former version, after the ID.
s.id, {entry.narrow}, e.occurred_at, coalesce(e.occurred_date, 0), 0, coalesce(e.type_by, e.owner), coalesce(e.description_by, e.owner), e.source, e.value

-- {entry.occurrence} joins o.
LEFT JOIN occurrence o ON o.doc = e.doc

-- {entry.fields} joins o and a.
{entry.occurrence} LEFT JOIN author a ON a.doc = e.doc

-- {entry.stored} are entries with their joined tables.
entry e JOIN store s ON s.number = e.store {entry.fields}

-- {entry.labels} lists all labels, so that an index on (store, label, …) is searched label by
-- label. Statements add a condition that excludes labels above the ceiling.
(1, 2, 3, 4)

-- {entry.labels_up_to} lists the labels up to $2, 0 for none. Searching for labels above it
-- would be in vain.
(min(1, $2), min(2, $2), min(3, $2), min(4, $2))

-- {entry.found} are the columns that scanCandidates reads, except the last one: whether other
-- entries are at the path.
e.id, '', {entry.narrow}, {entry.occurred}, {entry.size}, e.doc, e.store, e.state

-- {entry.same_path} is the condition that e and f are different rows of one path.
f.store = e.store AND f.namespace = e.namespace AND f.key = e.key AND f.doc <> e.doc

-- entry.found selects entries $1, and whether other in-context entries are at their paths up to
-- label $2.
SELECT {entry.found}, EXISTS (SELECT 1 FROM entry f WHERE {entry.same_path} AND f.label IN {entry.labels_up_to} AND f.state = 0 AND f.in_context)
	FROM json_each($1) j CROSS JOIN entry e ON e.id = unhex(j.value) AND e.state < 2 {entry.occurrence};

-- entry.siblings selects the other in-context entries at the paths of docs $1 up to label $2.
SELECT {entry.found}, 0 FROM json_each($1) j CROSS JOIN entry f ON f.doc = j.value
	CROSS JOIN entry e ON {entry.same_path} AND e.label IN {entry.labels_up_to} AND e.state = 0 AND e.in_context {entry.occurrence};

-- entry.ids selects docIDs $1 with the IDs of their entries.
SELECT e.doc, e.id FROM json_each($1) j CROSS JOIN entry e ON e.doc = j.value;

-- entry.docs selects store and docID of entries $1.
SELECT e.store, e.doc FROM json_each($1) j CROSS JOIN entry e ON e.id = unhex(j.value);

-- entry.evidence selects the data for scoring entries $1: their documents, their vectors by the
-- models with fingerprints $2 and $3, and whether a vector is of the model with $3. Length,
-- terms and codes come only with the first chunk, and if $4 not at all. SECURITY: the first
-- columns, store and label, serve to exclude rows outside the scope.
SELECT e.store, e.label, e.id,
	CASE WHEN coalesce(v.chunk, 0) = 0 THEN d.length END, CASE WHEN coalesce(v.chunk, 0) = 0 THEN d.terms END,
	coalesce(v.chunk, 0), v.half, CASE WHEN v.chunk = 0 AND NOT $4 THEN v.codes END, coalesce(v.model = (SELECT number FROM model WHERE fingerprint = $3), 0)
	FROM json_each($1) j CROSS JOIN entry e ON e.id = unhex(j.value) AND e.state = 0
	LEFT JOIN document d ON d.doc = e.doc AND NOT $4
	LEFT JOIN vector v ON v.doc = e.doc AND v.model IN (SELECT number FROM model WHERE fingerprint IN ($2, $3));

-- entry.by_id selects entries $1 with their texts.
SELECT {entry.with_text} FROM json_each($1) j
	CROSS JOIN entry e ON e.id = unhex(j.value) JOIN store s ON s.number = e.store {entry.fields} WHERE e.state < 2;

-- entry.contents selects ID, value and the authors of type and description of entries $1.
SELECT e.id, e.value, {entry.authors} FROM json_each($1) j
	CROSS JOIN entry e ON e.id = unhex(j.value) LEFT JOIN author a ON a.doc = e.doc WHERE e.state < 2;

-- entry.at selects the entries at a path up to label $4: $1 store, $2 namespace, $3 key.
SELECT {entry.without_text} FROM store s JOIN entry e ON e.store = s.number {entry.fields}
	WHERE s.id = $1 AND e.label IN {entry.labels} AND e.namespace = $2 AND e.key = $3 AND e.state = 0 AND e.label <= $4;

-- {entry.at_paths} selects the entries at paths $2 (pathList) of store $1 up to label $3.
SELECT {entry.without_text} FROM json_each($2) j CROSS JOIN store s ON s.id = $1
	CROSS JOIN entry e ON e.store = s.number AND e.label IN {entry.labels} AND e.namespace = j.value ->> 0 AND e.key = j.value ->> 1 {entry.fields}
	WHERE e.state = 0 AND e.label <= $3

-- entry.at_paths selects the entries at paths $2 (pathList) of store $1 up to label $3.
{entry.at_paths};

-- entry.at_paths_in_context selects the in-context entries: $1 store, $2 paths, $3 label.
{entry.at_paths} AND e.in_context;

-- {entry.scanned} are the columns of a scan, with sources if $8.
{entry.candidate}, {entry.authors}, CASE WHEN $8 THEN e.source END, NULL

-- entry.scan_namespace selects at most $7 entries of store $1, label $2 and namespace $3 after
-- key $4, with keys from prefix $5 to before its successor $6, null for none, and with sources
-- if $8.
SELECT {entry.scanned} FROM store s
	CROSS JOIN entry e INDEXED BY entry_live ON e.store = s.number AND e.label = $2 AND e.namespace = $3 {entry.fields}
	WHERE s.id = $1 AND e.state = 0 AND e.in_context AND e.key > $4 AND e.key >= $5 AND ($6 IS NULL OR e.key < $6)
	ORDER BY e.key, e.owner LIMIT $7;

-- entry.scan_store selects at most $7 entries of store $1 and label $2 after namespace $3 and
-- key $4, with keys from prefix $5 to before its successor $6, null for none, and with sources
-- if $8.
SELECT {entry.scanned} FROM store s
	CROSS JOIN entry e INDEXED BY entry_live ON e.store = s.number AND e.label = $2 {entry.fields}
	WHERE s.id = $1 AND e.state = 0 AND e.in_context AND (e.namespace, e.key) > ($3, $4)
	AND e.key >= $5 AND ($6 IS NULL OR e.key < $6)
	ORDER BY e.namespace, e.key, e.owner LIMIT $7;

-- {entry.trash_page} are at most $6 deleted entries of store $1, and of owner $3 unless that is
-- empty, deleted before $4, or at $4 with a lower ID than $5, latest deletion first.
WHERE s.id = $1 AND e.state = 1 AND ($3 = '' OR e.owner = $3)
	AND (e.deleted_at, e.id) < ($4, $5)
	ORDER BY e.deleted_at DESC, e.id DESC LIMIT $6

-- entry.trash_store selects at most $6 deleted entries of store $1 and label $2, before time $4
-- and ID $5; $3 is empty.
SELECT {entry.candidate} FROM store s
	CROSS JOIN entry e INDEXED BY entry_trash ON e.store = s.number AND e.label = $2 {entry.occurrence} {entry.trash_page};

-- entry.trash_owner selects the entries of owner $3: $1 store, $2 label, $4 time, $5 ID, $6
-- limit.
SELECT {entry.candidate} FROM store s
	CROSS JOIN entry e INDEXED BY entry_trash_owner ON e.store = s.number AND e.label = $2 AND e.owner = $3 {entry.occurrence} {entry.trash_page};

-- entry.trash_path selects the entries at namespace $7 and key $8: $1 store, $2 label, $3 owner
-- or empty, $4 time, $5 ID, $6 limit.
SELECT {entry.candidate} FROM store s
	CROSS JOIN entry e INDEXED BY entry_trash_path ON e.store = s.number AND e.label = $2 AND e.namespace = $7 AND e.key = $8
	{entry.occurrence} {entry.trash_page};

-- entry.current selects entry $1 with its texts.
SELECT {entry.with_text} FROM {entry.stored} WHERE e.id = $1 AND e.state < 2;

-- entry.former selects at most $3 former versions of entry $1 below version $2, not written
-- after $4, newest first. The columns of history have the names of entry's columns.
SELECT e.id, {entry.former} FROM
	(SELECT doc AS mine FROM entry WHERE id = $1 AND state < 2) CROSS JOIN
	(SELECT h.*, $1 AS id FROM history h) e ON e.doc = mine JOIN store s ON s.number = e.store
	WHERE e.version < $2 AND e.updated_at <= $4 ORDER BY e.version DESC LIMIT $3;

-- entry.searchable selects at most $2 searchable entries after ID $1.
SELECT {entry.with_text} FROM {entry.stored} WHERE e.id > $1 AND e.state = 0 AND e.in_context AND NOT e.encrypted ORDER BY e.id LIMIT $2;

-- entry.not_ascii selects at most $2 entries after ID $1 whose path has non-ASCII characters.
SELECT {entry.without_text} FROM {entry.stored}
	WHERE e.id > $1 AND e.state < 2 AND octet_length(e.namespace || e.key) > length(e.namespace || e.key)
	ORDER BY e.id LIMIT $2;

-- {entry.unembedded} is the condition that an entry with a label up to $5, searchable and live
-- at $2, has no vectors of its revision by model $1. Entries that have such vectors by model $3,
-- and none at all by model $4, are excluded (indexer.Unembedded).
e.state = 0 AND e.label <= $5 AND e.in_context AND NOT e.encrypted AND (e.expires_at IS NULL OR e.expires_at > $2) AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = $1)
	AND v.revision = e.revision) AND (NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = $3)
	AND v.revision = e.revision) OR EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = $4)))

-- entry.unembedded selects at most $7 entries after ID $6 without vectors: $1 fingerprint, $2
-- time, $3 another and $4 the replaced fingerprint, $5 label.
SELECT {entry.with_text} FROM {entry.stored} WHERE e.id > $6 AND {entry.unembedded} ORDER BY e.id LIMIT $7;

-- entry.unembedded_of selects, of entries $6, those without vectors: $1 fingerprint, $2 time,
-- $3 another and $4 the replaced fingerprint, $5 label.
SELECT {entry.with_text} FROM json_each($6) j
	CROSS JOIN entry e ON e.id = unhex(j.value) JOIN store s ON s.number = e.store {entry.fields} WHERE {entry.unembedded};

-- entry.count_unembedded counts entries without vectors: $1 fingerprint, $2 time, $3 another
-- and $4 the replaced fingerprint, $5 label.
SELECT count(*) FROM entry e WHERE {entry.unembedded};

-- entry.page selects at most $2 entries after ID $1 with their texts, for a dump.
SELECT {entry.with_text} FROM {entry.stored} WHERE e.state < 2 AND e.id > $1 ORDER BY e.id LIMIT $2;

-- entry.versions_of selects the former versions of entries $1, for a dump.
SELECT m.id, {entry.former} FROM json_each($1) j CROSS JOIN entry m ON m.id = unhex(j.value)
	CROSS JOIN history e ON e.doc = m.doc JOIN store s ON s.number = e.store ORDER BY m.id, e.version;

-- entry.oldest_versions selects number and bytes of at most $2 former versions of doc $1.
SELECT version, coalesce(length(value), 0) + coalesce(length(source), 0) FROM history
	WHERE doc = $1 ORDER BY version LIMIT $2;

-- entry.delete_versions deletes the former versions of doc $1 up to version $2.
DELETE FROM history WHERE doc = $1 AND version <= $2;

-- entry.row selects the state of entry $1, which a write replaces.
SELECT e.doc, e.state, e.store, e.label, e.updated_by, e.revision, e.version,
	coalesce(length(e.value), 0), coalesce(length(e.source), 0), e.expires_at, e.in_context AND NOT e.encrypted, e.in_context, e.namespace, e.key, e.tags IS NOT NULL,
	a.doc IS NOT NULL, o.doc IS NOT NULL, coalesce(p.versions, 0), coalesce(p.bytes, 0)
	FROM entry e {entry.fields} LEFT JOIN past p ON p.doc = e.doc WHERE e.id = ?;

-- entry.clash selects a row if a live entry other than doc $6 is at a path: $1 store, $2 label,
-- $3 namespace, $4 key, $5 owner.
SELECT 1 FROM entry WHERE store = ? AND label = ? AND namespace = ? AND key = ? AND owner = ? AND state = 0 AND doc <> ?;

-- entry.insert inserts an entry: $1 ID, $2 store, $3 label, $4 state, $5 … $22 {entry.kept}.
INSERT INTO entry (id, store, label, state, {entry.kept}) VALUES (?, ?, ?, ?, {entry.kept_values});

-- entry.update replaces an entry: $1 … $22 as in entry.insert, $23 doc.
UPDATE entry SET (id, store, label, state, {entry.kept}) = (?, ?, ?, ?, {entry.kept_values}) WHERE doc = ?;

-- entry.keep copies doc $1 to history unchanged, before a write replaces it.
INSERT INTO history (doc, store, label, {entry.kept}, type_by, description_by, occurred_at, occurred_date)
	SELECT e.doc, store, label, {entry.kept}, a.type_by, a.description_by, o.at, o.date FROM entry e {entry.fields} WHERE e.doc = ?;

-- entry.insert_version inserts a former version, for a restore: $1 doc, $2 store, $3 label, $4
-- and $5 authors, $6 when it occurred and $7 the precision, $8 … $25 {entry.kept}.
INSERT INTO history (doc, store, label, type_by, description_by, occurred_at, occurred_date, {entry.kept})
	VALUES (?, ?, ?, ?, ?, ?, ?, {entry.kept_values});

-- entry.sweep marks doc $1 as swept. A higher revision makes vectors for the old one stale.
UPDATE entry SET state = 2, revision = revision + 1 WHERE doc = $1;

-- entry.purge deletes doc $1.
DELETE FROM entry WHERE doc = $1;

-- entry.put_author records that $2 wrote the type and $3 the description of doc $1.
INSERT OR REPLACE INTO author (doc, type_by, description_by) VALUES (?, ?, ?);

-- entry.delete_author records that the owner of doc $1 wrote its type and its description.
DELETE FROM author WHERE doc = ?;

-- entry.put_occurrence records when the event of doc $1 happened: $2 time, $3 precision.
INSERT OR REPLACE INTO occurrence (doc, at, date) VALUES (?, ?, ?);

-- entry.delete_occurrence records that it is unknown when the event of doc $1 happened.
DELETE FROM occurrence WHERE doc = ?;
