package postgres

import (
	"strings"
	"unicode/utf8"

	"mneme/acl"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// statements are those that package sqlcommon runs. LATERAL and OFFSET 0 force the
// planner to one probe of an index a step, whatever its statistics say: right after an
// import they are stale.
var statements = sqlcommon.Dialect{
	Lateral: true,
	Scope: func(stores []acl.Access) []any {
		numbers, ceilings := scopeLists(stores)
		return []any{numbers, ceilings}
	},
	Paths:      pathLists,
	Successor:  successor,
	Term:       func(term string) any { return []byte(term) },
	Layout:     posting.Aligned,
	StoreFacts: sqlcommon.StoreColumns + "unnest($1::text[]) j (id)" + sqlcommon.JoinStore,
	PutReading: `INSERT INTO reading (store, language, asked, multilingual, mixed) VALUES ($1, coalesce($2::smallint, 0), $3, $4, $5)
	ON CONFLICT (store) DO UPDATE SET language = coalesce($2::smallint, reading.language),
	asked = $3 OR reading.asked AND $2::smallint IS NULL, multilingual = CASE WHEN $4::smallint = 0 THEN reading.multilingual WHEN reading.multilingual = 0 THEN $4::smallint ELSE least($4::smallint, reading.multilingual) END,
	mixed = CASE WHEN $5::smallint = 0 THEN reading.mixed WHEN reading.mixed = 0 THEN $5::smallint ELSE least($5::smallint, reading.mixed) END`,
	// A token has about six bytes: see indexer.Chunks.
	QueueEntries: `INSERT INTO queue AS q (entry, revision, queued_at, store, label, chunks, long, not_before, attempts)
	SELECT e.id, e.revision, $2, e.store, e.label, 1 + octet_length(e.value) / 2688, octet_length(e.value) / 2688 >= 8, '-infinity', 0
	FROM unnest($4::uuid[]) i (id) CROSS JOIN LATERAL
	(SELECT * FROM entry f WHERE f.id = i.id AND f.store = (SELECT number FROM store WHERE id = $1) OFFSET 0) e
	WHERE e.state = 0 AND e.in_context AND NOT e.encrypted AND e.label >= $5 AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $3) AND v.revision = e.revision)` + orReset,
	CountForeign: `SELECT count(*) FROM entry e
	WHERE e.store = (SELECT number FROM store WHERE id = $1) AND e.state = 0 AND e.label = $2 AND e.in_context AND NOT e.encrypted AND EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $3) AND v.revision = e.revision) AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $4) AND v.revision = e.revision)`,
	Settings: sqlcommon.NewTable("setting", "agent", "agent, enabled, own, chats, users, default_ttl, locked"),

	ByID: fromEntry + `WHERE e.id = ANY($1) AND e.state < 2`,
	Contents: `SELECT e.id, e.value, coalesce(e.type_by, e.owner), coalesce(e.description_by, e.owner) FROM entry e
	WHERE e.id = ANY($1) AND e.state < 2`,
	At: `SELECT ` + withoutText + ` FROM store s CROSS JOIN ` + labels + `
	CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.store = s.number AND f.label = l.label
		AND f.namespace = $2 AND f.key = $3 AND f.state = 0 OFFSET 0) e
	WHERE s.id = $1 AND l.label <= $4`,
	AtPaths:          selectPaths,
	AtPathsInContext: selectPaths + ` AND e.in_context`,
	ScanNamespace: `SELECT ` + scanColumns + ` FROM store s CROSS JOIN ` + labels + ` CROSS JOIN LATERAL
	(SELECT * FROM entry x WHERE x.store = s.number AND x.label = l.label AND x.state = 0 AND x.in_context
		AND x.namespace = $3 AND x.key > $4 AND x.key >= $5 AND ($6::text IS NULL OR x.key < $6)
		ORDER BY x.key, x.owner LIMIT $7) e
	WHERE s.id = $1 AND l.label <= $2 ORDER BY e.namespace, e.key, e.label, e.owner LIMIT $7`,
	ScanStore: `SELECT ` + scanColumns + ` FROM store s CROSS JOIN ` + labels + ` CROSS JOIN LATERAL
	(SELECT * FROM entry x WHERE x.store = s.number AND x.label = l.label AND x.state = 0 AND x.in_context
		AND (x.namespace, x.key) > ($3, $4) AND x.key >= $5 AND ($6::text IS NULL OR x.key < $6)
		ORDER BY x.namespace, x.key, x.owner LIMIT $7) e
	WHERE s.id = $1 AND l.label <= $2 ORDER BY e.namespace, e.key, e.label, e.owner LIMIT $7`,
	TrashStore: trash + trashOf + trashOrder,
	// The planner may not choose: these conditions offer it the owner's index alone.
	TrashOwner: trash + ` AND f.state > 0 AND f.state < 2 AND f.owner = $3` + trashOrder,
	TrashPath:  trash + trashOf + ` AND f.namespace = $7 AND f.key = $8` + trashOrder,
	Current:    fromEntry + `WHERE e.id = $1 AND e.state < 2`,
	Former:     fromHistory + `WHERE e.id = $1 AND e.version < $2 AND e.updated_at <= $4 ORDER BY e.version DESC LIMIT $3`,
	Searchable: fromEntry + `WHERE e.id > $1 AND e.state = 0 AND e.in_context AND NOT e.encrypted ORDER BY e.id LIMIT $2`,
	Names: `SELECT ` + withoutText + ` FROM entry e JOIN store s ON s.number = e.store
	WHERE e.id > $1 AND e.state < 2 AND octet_length(e.namespace || e.key) > length(e.namespace || e.key)
	ORDER BY e.id LIMIT $2`,
	WithoutVectors:   fromEntry + `WHERE e.id > $6 AND ` + unembedded + ` ORDER BY e.id LIMIT $7`,
	WithoutVectorsOf: fromEntry + `WHERE e.id = ANY($6) AND ` + unembedded,
	EntryPage:        fromEntry + `WHERE e.state < 2 AND e.id > $1 ORDER BY e.id LIMIT $2`,
	VersionsOf:       fromHistory + `WHERE e.id = ANY($1) ORDER BY e.id, e.version`,

	CountErasable:   `SELECT count(*) FROM entry WHERE deleted_at < $1 OR expires_at < $1`,
	CountUnembedded: `SELECT count(*) FROM entry e WHERE ` + unembedded,

	Erasable: [...]string{
		`SELECT id FROM entry WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2`,
		`SELECT id FROM entry WHERE state = 2 AND expires_at < $1 ORDER BY expires_at LIMIT $2`,
		`SELECT id FROM entry WHERE state < 2 AND expires_at < $1 ORDER BY expires_at LIMIT $2`,
	},
	Due: `SELECT id, expires_at, coalesce(octet_length(value), 0) FROM entry WHERE state < 2 AND expires_at <= $1 ORDER BY expires_at LIMIT $2`,
	DueIn: `SELECT e.id, e.expires_at, e.size FROM store s CROSS JOIN ` + labels + `
	CROSS JOIN LATERAL (SELECT id, expires_at, coalesce(octet_length(value), 0) AS size FROM entry f WHERE f.store = s.number AND f.label = l.label AND f.state = 0
		AND f.expires_at <= $3 ORDER BY f.expires_at LIMIT $4) e
	WHERE s.id = $1 AND l.label <= $2 ORDER BY e.expires_at LIMIT $4`,

	FeedHeads: `SELECT s.id, h.label, h.last, h.removed FROM store s
	CROSS JOIN LATERAL (SELECT * FROM feed_head x WHERE x.store = s.number OFFSET 0) h WHERE s.id = ANY($1)`,
	FeedPage: `SELECT f.position, f.at, coalesce(f.namespace, e.namespace, ''), coalesce(f.key, e.key, '')
	FROM store s CROSS JOIN LATERAL (SELECT * FROM feed f WHERE f.store = s.number AND f.label = $2 AND f.position > $3
		ORDER BY f.position LIMIT $4) f
	LEFT JOIN entry e ON e.id = f.entry AND e.store = f.store AND e.label = f.label
	WHERE s.id = $1 ORDER BY f.position`,

	OldestVersions: `SELECT version, coalesce(length(value), 0) + coalesce(length(source), 0) FROM history
	WHERE id = $1 ORDER BY version LIMIT $2`,
	DeleteVersions: "DELETE FROM history WHERE id = $1 AND version <= $2",

	WaitOf: "SELECT 1 FROM queue WHERE entry = $1",
	// The row decides whether an entry is live: it may have expired.
	WaitIn: scopeTable + `SELECT 1 FROM scope CROSS JOIN ` + labels + ` CROSS JOIN LATERAL (SELECT x.entry, x.store FROM queue x
		WHERE x.store = scope.store AND x.label = l.label AND x.chunks > 0 AND x.queued_at < $3 ORDER BY x.queued_at OFFSET 0) q
	CROSS JOIN LATERAL (SELECT FROM entry f WHERE f.id = q.entry AND f.store = q.store
		AND f.` + isLive + ` AND (f.expires_at IS NULL OR f.expires_at > $4) OFFSET 0) e
	WHERE l.label <= scope.ceiling LIMIT 1`,
	Refused: `SELECT s.id, e.namespace, e.key, q.last_error FROM queue q JOIN entry e ON e.id = q.entry AND e.store = q.store
	JOIN store s ON s.number = e.store WHERE q.last_error LIKE $1 AND e.state = 0 ORDER BY q.queued_at LIMIT $2`,
	// Rows that another transaction has locked are skipped. Every statement names the
	// condition of queue_turn's partial index. Rows whose backoff or lease has ended
	// become due like others.
	ReturnRows: `UPDATE queue q SET not_before = '-infinity' FROM (SELECT entry FROM queue
		WHERE not_before > '-infinity' AND not_before <= $1 ORDER BY not_before LIMIT 256 FOR UPDATE SKIP LOCKED) due WHERE q.entry = due.entry`,
	// A clock that was set back leaves rows that would be due far too late.
	ReturnDelayed: `UPDATE queue q SET not_before = '-infinity' FROM (SELECT entry FROM queue
		WHERE not_before > $1 ORDER BY not_before LIMIT 256 FOR UPDATE SKIP LOCKED) due WHERE q.entry = due.entry`,
	DueStores: `WITH RECURSIVE found (store) AS (
		(SELECT store FROM queue WHERE not_before = '-infinity' AND long = $1 AND store > $2 AND store <= $3 ORDER BY store LIMIT 1)
		UNION ALL
		SELECT (SELECT q.store FROM queue q WHERE q.not_before = '-infinity' AND q.long = $1 AND q.store > found.store AND q.store <= $3
			ORDER BY q.store LIMIT 1) FROM found WHERE found.store IS NOT NULL)
	SELECT store FROM found WHERE store IS NOT NULL LIMIT $4`,
	DueOf: `SELECT q.entry, q.revision, q.attempts, q.store, q.chunks FROM unnest($2::bigint[]) WITH ORDINALITY s (store, i)
	CROSS JOIN LATERAL (SELECT x.* FROM queue x WHERE x.not_before = '-infinity' AND x.long = $1 AND x.store = s.store
		ORDER BY x.chunks, x.queued_at, x.entry LIMIT $3 FOR UPDATE SKIP LOCKED) q
	ORDER BY s.i, q.chunks, q.queued_at, q.entry`,
	DueFirst: `SELECT entry, revision, attempts, store, chunks FROM queue
	WHERE not_before = '-infinity' ORDER BY queued_at, entry LIMIT $1 FOR UPDATE SKIP LOCKED`,
	LeaseRows:    `UPDATE queue SET not_before = greatest($2, $3::timestamptz + interval '1 microsecond') WHERE entry = ANY($1)`,
	RenewRow:     "UPDATE queue SET not_before = $1 WHERE entry = $2 AND revision = $3 AND not_before > '-infinity'",
	RemoveLeased: "DELETE FROM queue WHERE entry = $1 AND revision = $2 AND not_before > '-infinity'",
	ReturnLeased: "UPDATE queue SET not_before = $3, attempts = attempts + 1, last_error = $4 WHERE entry = $1 AND revision = $2 AND not_before > '-infinity'",

	ManyTerms: scopeTable + `SELECT 1 FROM scope WHERE $5::bigint = (SELECT count(*) FROM
	(SELECT DISTINCT p.term FROM posting p WHERE p.store = scope.store AND p.term >= $3 AND p.term < $4 AND p.label <= scope.ceiling LIMIT $5) t)
	LIMIT 1`,
	// It seeks each term after the one before, past the blocks of its postings.
	ExpiredTerms: strings.ReplaceAll(selectTombstones, "length FROM", "terms FROM"),
	Terms: strings.Replace(scopeTable, "WITH ", "WITH RECURSIVE ", 1) + `, found (store, ceiling, term) AS (
	SELECT store, ceiling, (SELECT p.term FROM posting p WHERE p.store = scope.store AND p.term >= $3 AND p.term < $4 AND p.label <= scope.ceiling ORDER BY p.term LIMIT 1) FROM scope
	UNION ALL SELECT store, ceiling, (SELECT p.term FROM posting p WHERE p.store = found.store AND p.term > found.term AND p.term < $4 AND p.label <= found.ceiling ORDER BY p.term LIMIT 1)
	FROM found WHERE term IS NOT NULL)
	SELECT term FROM found WHERE term IS NOT NULL LIMIT $5`,

	LastChange: "SELECT last FROM change_head",
	Vectors: vectorColumns + `model m CROSS JOIN unnest($1::uuid[]) i (id)
	CROSS JOIN LATERAL (SELECT * FROM vector x WHERE x.model = m.number AND x.entry = i.id OFFSET 0) v` + joinEntry + `
	WHERE m.fingerprint = $2 ORDER BY v.entry, v.chunk`,
	// In the order of the primary key, which keeps chunks together.
	AllVectors: vectorColumns + `(SELECT * FROM vector x
		WHERE x.model = (SELECT number FROM model WHERE fingerprint = $1) ORDER BY x.entry, x.chunk) v` + joinEntry + `ORDER BY v.entry, v.chunk`,
	RemoveDropped: `DELETE FROM vector WHERE model = ANY (ARRAY(SELECT number FROM model WHERE fingerprint = ANY($2))) AND entry = ANY($1)`,
}

const (
	fromEntry   = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store `
	fromHistory = `SELECT ` + withText + ` FROM history e JOIN store s ON s.number = e.store `
	selectPaths = `SELECT ` + withoutText + ` FROM store s
	CROSS JOIN unnest($2::text[], $3::text[]) p (namespace, key) CROSS JOIN ` + labels + `
	CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.store = s.number AND f.label = l.label
		AND f.namespace = p.namespace AND f.key = p.key AND f.state = 0 OFFSET 0) e
	WHERE s.id = $1 AND l.label <= $4`
	trash = `SELECT ` + candidateColumns + ` FROM store s CROSS JOIN LATERAL (SELECT * FROM entry f
		WHERE f.store = s.number AND f.label = $2 AND (f.deleted_at, f.id) < ($4::timestamptz, $5::uuid)`
	trashOf    = ` AND f.state = 1 AND ($3 = '' OR f.owner = $3)`
	trashOrder = ` ORDER BY f.deleted_at DESC, f.id DESC LIMIT $6) e WHERE s.id = $1 ORDER BY e.deleted_at DESC, e.id DESC`
	// unembedded selects the entries without vectors of model $1 at time $2 that have none
	// of model $3, or some of model $4, with labels up to $5.
	unembedded = `e.state = 0 AND e.label <= $5 AND e.in_context AND NOT e.encrypted AND (e.expires_at IS NULL OR e.expires_at > $2) AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $1)
	AND v.revision = e.revision) AND (NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $3)
	AND v.revision = e.revision) OR EXISTS
	(SELECT 1 FROM vector v WHERE v.entry = e.id AND v.store = e.store AND v.model = (SELECT number FROM model WHERE fingerprint = $4)))`
	vectorColumns = `SELECT v.entry, v.chunk, e.store, e.label, v.half FROM `
	joinEntry     = ` CROSS JOIN LATERAL (SELECT store, label FROM entry WHERE id = v.entry AND store = v.store OFFSET 0) e `
)

// pathLists returns the namespaces and the keys of paths.
func pathLists(paths []memory.Path) []any {
	namespaces, keys := make([]string, len(paths)), make([]string, len(paths))
	for i, p := range paths {
		namespaces[i], keys[i] = p.Namespace, p.Key
	}
	return []any{namespaces, keys}
}

// successor returns the smallest string greater than all that start with prefix,
// or nil if there is none. UTF-8 sorts by bytes as it does by code points.
func successor(prefix string) any {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		if last == utf8.MaxRune {
			continue
		}
		last++
		if last == 0xD800 { // UTF-8 has no surrogates
			last = 0xE000
		}
		return prefix + string(last)
	}
	return nil
}
