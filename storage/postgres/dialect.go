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
	Paths:     pathLists,
	Successor: successor,
	Term:      func(term string) any { return []byte(term) },
	Layout:    posting.Aligned,
	ByID:      fromEntry + `WHERE e.id = ANY($1) AND e.state < 2`,
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

	OldestVersions: `SELECT version, coalesce(length(value), 0) + coalesce(length(source), 0) FROM history
	WHERE id = $1 ORDER BY version LIMIT $2`,
	DeleteVersions: "DELETE FROM history WHERE id = $1 AND version <= $2",

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
