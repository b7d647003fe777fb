-- Entries (table entry), and their former versions (history, past). The columns are in the
-- order of sqlcommon.ScanEntries; e is entry or history, and s is store. LATERAL and OFFSET 0
-- force the planner to use one index probe per step, whatever its statistics say: right after
-- an import they are stale.

-- {entry.narrow} are the columns read from both tables, except the wide ones, source and value,
-- and the authors. Column occurred_precision has only the precisions month and year; for the
-- others, occurred_date says whether it is a day or a time.
e.label, e.revision, e.version, e.in_context, e.encrypted,
	e.created_at, e.updated_at, e.expires_at, e.deleted_at, e.owner, e.updated_by, e.deleted_by,
	e.namespace, e.key, e.type, e.description, e.tags, e.occurred_at, coalesce(e.occurred_precision, e.occurred_date::integer, 0)

-- {entry.authors} are the authors of type and description.
coalesce(e.type_by, e.owner), coalesce(e.description_by, e.owner)

-- {entry.size} is the size of the value. PostgreSQL need not read the value for it.
coalesce(octet_length(e.value), 0)

-- {entry.candidate} is the row of a search's candidate, without the authors and the wide
-- columns.
e.id, s.id, {entry.narrow}, {entry.size}

-- {entry.without_text} has all columns, but null for source and value.
{entry.candidate}, {entry.authors}, NULL::bytea, NULL::bytea

-- {entry.with_text} has all columns.
e.id, s.id, {entry.narrow}, 0, {entry.authors}, e.source, e.value

-- {entry.select} selects entries with their texts.
SELECT {entry.with_text} FROM entry e JOIN store s ON s.number = e.store

-- {entry.select_former} selects former versions with their texts.
SELECT {entry.with_text} FROM history e JOIN store s ON s.number = e.store

-- {entry.paths} are the paths p of entries $3 within a scope: $1 and $2. {scope.is_within} follows.
SELECT {entry.candidate} FROM unnest($3::uuid[]) AS named (id)
	CROSS JOIN LATERAL (SELECT f.store, f.namespace, f.key, {scope.ceiling} AS ceiling FROM entry f WHERE f.id = named.id AND f.state < 2 AND

-- {entry.at_them} are the in-context entries f at these paths; the store of f follows.
OFFSET 0) p CROSS JOIN {scope.labels}
	CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.label = l.label AND f.namespace = p.namespace AND f.key = p.key AND f.state = 0 AND f.in_context AND f.store =

-- {entry.below_them} excludes rows above the ceiling.
OFFSET 0) e JOIN store s ON s.number = e.store WHERE l.label <= p.ceiling

-- entry.siblings selects the in-context entries at the paths of entries $3 within a scope: $1
-- and $2. Without OFFSET 0, the planner may choose another order if the table was just filled.
{entry.paths} {scope.is_within} {entry.at_them} p.store {entry.below_them};

-- entry.siblings_in_one is entry.siblings for a scope of one store: $1 and $2, $3 entries.
{entry.paths} {scope.is_within_one} {entry.at_them} {scope.only} {entry.below_them};

-- entry.ids selects the IDs of the entries with docIDs $2 in stores $1, with their indexes in
-- these lists, from 1.
SELECT d.i, e.id FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY d (store, place, i)
	CROSS JOIN LATERAL (SELECT f.id FROM entry f WHERE f.store = d.store AND f.place = d.place OFFSET 0) e;

-- entry.docs selects store and docID of entries $3 within a scope: $1 and $2.
SELECT f.store, f.place FROM entry f WHERE f.id = ANY($3) AND {scope.is_within};

-- entry.docs_in_one is entry.docs for a scope of one store: $1 and $2, $3 entries.
SELECT f.store, f.place FROM entry f WHERE f.id = ANY($3) AND {scope.is_within_one};

-- {entry.scored} selects the data for scoring entries $3 (entry.evidence). {scope.is_within}
-- follows.
SELECT c.id, CASE WHEN coalesce(v.chunk, 0) = 0 AND NOT $6 THEN e.length END, CASE WHEN coalesce(v.chunk, 0) = 0 AND NOT $6 THEN e.terms END,
	coalesce(v.chunk, 0), v.half, CASE WHEN v.chunk = 0 AND NOT $6 THEN v.codes END, coalesce(v.model = (SELECT number FROM model WHERE fingerprint = $5), FALSE)::int
	FROM unnest($3::uuid[]) c (id)
	CROSS JOIN LATERAL (SELECT f.store, f.length, f.terms FROM entry f WHERE f.id = c.id AND f.{scope.is_live} AND

-- {entry.with_vectors} joins their vectors, whose store follows.
OFFSET 0) e LEFT JOIN LATERAL (SELECT x.model, x.chunk, x.half, x.codes FROM vector x
		WHERE x.model = ANY (ARRAY(SELECT number FROM model WHERE fingerprint IN ($4, $5))) AND x.entry = c.id AND x.store =

-- entry.evidence selects the data for scoring entries $3 within a scope, $1 and $2: their
-- documents, their vectors by the models with fingerprints $4 and $5, and whether a vector is
-- of the model with $5. Length, terms and codes come only with the first chunk, and if $6 not
-- at all.
{entry.scored} {scope.is_within} {entry.with_vectors} e.store OFFSET 0) v ON true;

-- entry.evidence_in_one is entry.evidence for a scope of one store: $1 … $6.
{entry.scored} {scope.is_within_one} {entry.with_vectors} {scope.only} OFFSET 0) v ON true;

-- entry.indexed selects docID, length and terms of entry $1 of store $2.
SELECT place, length, terms FROM entry WHERE id = $1 AND store = $2;

-- entry.set_indexed records length $3 and terms $4 of entry $1 of store $2.
UPDATE entry SET length = $3, terms = $4 WHERE id = $1 AND store = $2;

-- entry.by_id selects entries $1 with their texts.
{entry.select} WHERE e.id = ANY($1) AND e.state < 2;

-- entry.contents selects ID, value and the authors of type and description of entries $1.
SELECT e.id, e.value, {entry.authors} FROM entry e
	WHERE e.id = ANY($1) AND e.state < 2;

-- entry.at selects the entries at a path up to label $4: $1 store, $2 namespace, $3 key.
SELECT {entry.without_text} FROM store s CROSS JOIN {scope.labels}
	CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.store = s.number AND f.label = l.label
		AND f.namespace = $2 AND f.key = $3 AND f.state = 0 OFFSET 0) e
	WHERE s.id = $1 AND l.label <= $4;

-- {entry.at_paths} selects the entries at paths with namespaces $2 and keys $3 of store $1 up
-- to label $4.
SELECT {entry.without_text} FROM store s
	CROSS JOIN unnest($2::text[], $3::text[]) p (namespace, key) CROSS JOIN {scope.labels}
	CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.store = s.number AND f.label = l.label
		AND f.namespace = p.namespace AND f.key = p.key AND f.state = 0 OFFSET 0) e
	WHERE s.id = $1 AND l.label <= $4

-- entry.at_paths selects the entries at paths with namespaces $2 and keys $3 of store $1 up to
-- label $4.
{entry.at_paths};

-- entry.at_paths_in_context selects the in-context entries: $1 store, $2 and $3 paths, $4
-- label.
{entry.at_paths} AND e.in_context;

-- {entry.scanned} are the columns of a scan, with sources if $8.
{entry.candidate}, {entry.authors}, CASE WHEN $8 THEN e.source END, NULL::bytea

-- entry.scan_namespace selects at most $7 entries of store $1 and namespace $3 up to label $2
-- after key $4, with keys from prefix $5 to before its successor $6, null for none, and with
-- sources if $8.
SELECT {entry.scanned} FROM store s CROSS JOIN {scope.labels} CROSS JOIN LATERAL
	(SELECT * FROM entry x WHERE x.store = s.number AND x.label = l.label AND x.state = 0 AND x.in_context
		AND x.namespace = $3 AND x.key > $4 AND x.key >= $5 AND ($6::text IS NULL OR x.key < $6)
		ORDER BY x.key, x.owner LIMIT $7) e
	WHERE s.id = $1 AND l.label <= $2 ORDER BY e.namespace, e.key, e.label, e.owner LIMIT $7;

-- entry.scan_store selects at most $7 entries of store $1 up to label $2 after namespace $3 and
-- key $4, with keys from prefix $5 to before its successor $6, null for none, and with sources
-- if $8.
SELECT {entry.scanned} FROM store s CROSS JOIN {scope.labels} CROSS JOIN LATERAL
	(SELECT * FROM entry x WHERE x.store = s.number AND x.label = l.label AND x.state = 0 AND x.in_context
		AND (x.namespace, x.key) > ($3, $4) AND x.key >= $5 AND ($6::text IS NULL OR x.key < $6)
		ORDER BY x.namespace, x.key, x.owner LIMIT $7) e
	WHERE s.id = $1 AND l.label <= $2 ORDER BY e.namespace, e.key, e.label, e.owner LIMIT $7;

-- {entry.trash} selects deleted entries of store $1 and label $2, deleted before $4, or at $4
-- with a lower ID than $5; a condition and {entry.trash_order} follow.
SELECT {entry.candidate} FROM store s CROSS JOIN LATERAL (SELECT * FROM entry f
		WHERE f.store = s.number AND f.label = $2 AND (f.deleted_at, f.id) < ($4::timestamptz, $5::uuid)

-- {entry.trash_of} is the condition that f is deleted, and of owner $3 unless that is empty.
AND f.state = 1 AND ($3 = '' OR f.owner = $3)

-- {entry.trash_order} limits the result to $6 entries, latest deletion first.
ORDER BY f.deleted_at DESC, f.id DESC LIMIT $6) e WHERE s.id = $1 ORDER BY e.deleted_at DESC, e.id DESC

-- entry.trash_store selects at most $6 deleted entries of store $1 and label $2, before time $4
-- and ID $5; $3 is empty.
{entry.trash} {entry.trash_of} {entry.trash_order};

-- entry.trash_owner selects the entries of owner $3: $1 store, $2 label, $4 time, $5 ID, $6
-- limit. With these conditions, the planner can only use the owner's index.
{entry.trash} AND f.state > 0 AND f.state < 2 AND f.owner = $3 {entry.trash_order};

-- entry.trash_path selects the entries at namespace $7 and key $8: $1 store, $2 label, $3 owner
-- or empty, $4 time, $5 ID, $6 limit.
{entry.trash} {entry.trash_of} AND f.namespace = $7 AND f.key = $8 {entry.trash_order};

-- entry.current selects entry $1 with its texts.
{entry.select} WHERE e.id = $1 AND e.state < 2;

-- entry.former selects at most $3 former versions of entry $1 below version $2, not written
-- after $4, newest first.
{entry.select_former} WHERE e.id = $1 AND e.version < $2 AND e.updated_at <= $4 ORDER BY e.version DESC LIMIT $3;

-- entry.searchable selects at most $2 searchable entries after ID $1.
{entry.select} WHERE e.id > $1 AND e.state = 0 AND e.in_context AND NOT e.encrypted ORDER BY e.id LIMIT $2;

-- entry.not_ascii selects at most $2 entries after ID $1 whose path has non-ASCII characters.
SELECT {entry.without_text} FROM entry e JOIN store s ON s.number = e.store
	WHERE e.id > $1 AND e.state < 2 AND octet_length(e.namespace || e.key) > length(e.namespace || e.key)
	ORDER BY e.id LIMIT $2;

-- {entry.unembedded} is the condition that an entry with a label up to $5, searchable and live
-- at $2, has no vectors of its revision by model $1. Entries that have such vectors by model $3,
-- and none at all by model $4, are excluded (indexer.Unembedded).
e.state = 0 AND e.label <= $5 AND e.in_context AND NOT e.encrypted AND (e.expires_at IS NULL OR e.expires_at > $2) AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $1)
	AND v.revision = e.revision) AND (NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $3)
	AND v.revision = e.revision) OR EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $4)))

-- entry.unembedded selects at most $7 entries after ID $6 without vectors: $1 fingerprint, $2
-- time, $3 another and $4 the replaced fingerprint, $5 label.
{entry.select} WHERE e.id > $6 AND {entry.unembedded} ORDER BY e.id LIMIT $7;

-- entry.unembedded_of selects, of entries $6, those without vectors: $1 fingerprint, $2 time,
-- $3 another and $4 the replaced fingerprint, $5 label.
{entry.select} WHERE e.id = ANY($6) AND {entry.unembedded};

-- entry.count_unembedded counts entries without vectors: $1 fingerprint, $2 time, $3 another
-- and $4 the replaced fingerprint, $5 label.
SELECT count(*) FROM entry e WHERE {entry.unembedded};

-- entry.page selects at most $2 entries after ID $1 with their texts, for a dump.
{entry.select} WHERE e.state < 2 AND e.id > $1 ORDER BY e.id LIMIT $2;

-- entry.versions_of selects the former versions of entries $1, for a dump.
{entry.select_former} WHERE e.id = ANY($1) ORDER BY e.id, e.version;

-- entry.oldest_versions selects number and bytes of at most $2 former versions of entry $1.
SELECT version, coalesce(length(value), 0) + coalesce(length(source), 0) FROM history
	WHERE id = $1 ORDER BY version LIMIT $2;

-- entry.delete_versions deletes the former versions of entry $1 up to version $2.
DELETE FROM history WHERE id = $1 AND version <= $2;

-- {entry.row} selects whether another live entry is at a path, $2 store, $3 label, $4
-- namespace, $5 key, $6 owner, and the state of entry $1, which a write replaces; null if there
-- is none.
SELECT EXISTS (SELECT 1 FROM entry c WHERE c.store = $2 AND c.label = $3 AND c.namespace = $4 AND c.key = $5
		AND c.owner = $6 AND c.state = 0 AND c.id <> $1),
	s.id, e.store, e.place, e.state, e.label, e.updated_by, e.revision, e.version,
	coalesce(length(e.value), 0), coalesce(length(e.source), 0), e.expires_at, e.in_context AND NOT e.encrypted, e.in_context, e.namespace, e.key, e.tags, e.length, e.terms, coalesce(p.versions, 0), coalesce(p.bytes, 0)
	FROM (SELECT) one LEFT JOIN (entry e JOIN store s ON s.number = e.store) ON e.id = $1

-- {entry.past} joins the counts of the former versions.
LEFT JOIN past p ON p.entry = $1 AND p.store = e.store

-- entry.row selects the state of entry $1, in any store, and whether another is at a path: $2
-- store, $3 label, $4 namespace, $5 key, $6 owner.
{entry.row} {entry.past};

-- entry.row_in is entry.row for an entry expected in store $2: $1 entry, $3 label, $4
-- namespace, $5 key, $6 owner.
{entry.row} AND e.store = $2 {entry.past};

-- {entry.own} are columns that history also has, and that are separate tables in SQLite.
type_by, description_by, occurred_at, occurred_date, occurred_precision

-- {entry.after_tags} are the columns of sqlcommon.EntryValues after the tags.
revision, version, in_context, encrypted, created_at, updated_at, expires_at, deleted_at,
	owner, updated_by, deleted_by, namespace, key, type, description, source, value

-- {entry.kept} are the columns that history also has.
{entry.own}, tags, {entry.after_tags}

-- {entry.place} are the columns that history lacks, and label.
store, place, label, state, length, terms

-- entry.insert inserts an entry: $1 ID, $2 … $7 {entry.place}, $8 … $30 {entry.kept} with tags as a
-- text.
INSERT INTO entry (id, {entry.place}, {entry.kept}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::text::text[],
	$14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30);

-- entry.insert_many is entry.insert for lists: $1 … $30.
INSERT INTO entry (id, {entry.place}, {entry.kept}) SELECT id, {entry.place}, {entry.own}, tags::text[], {entry.after_tags}
	FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::smallint[], $6::integer[], $7::bytea[],
	$8::text[], $9::text[], $10::timestamptz[], $11::boolean[], $12::smallint[], $13::text[],
	$14::bigint[], $15::bigint[], $16::boolean[], $17::boolean[], $18::timestamptz[], $19::timestamptz[], $20::timestamptz[], $21::timestamptz[],
	$22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::text[], $29::bytea[], $30::bytea[])
	r (id, {entry.place}, {entry.kept});

-- entry.update replaces an entry of store $31: $1 … $30 as in entry.insert.
UPDATE entry SET ({entry.place}, {entry.kept}) =
	($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30) WHERE id = $1 AND store = $31;

-- entry.keep copies entry $1 of store $2 to history unchanged, before a write replaces it.
INSERT INTO history (id, store, label, {entry.kept}) SELECT id, store, label, {entry.kept} FROM entry WHERE id = $1 AND store = $2;

-- entry.insert_version inserts a former version, for a restore, unless it exists: $1 ID, $2
-- store, $3 label, $4 … $26 {entry.kept}.
INSERT INTO history (id, store, label, {entry.kept})
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) ON CONFLICT DO NOTHING;

-- entry.sweep marks entry $1 of store $2 as swept. A higher revision makes vectors for the old
-- one stale.
UPDATE entry SET state = 2, revision = revision + 1, length = NULL, terms = NULL WHERE id = $1 AND store = $2;

-- entry.purge deletes entry $1 of store $2.
DELETE FROM entry WHERE id = $1 AND store = $2;
