package sqlite

import (
	"encoding/json"
	"strings"

	"mneme/acl"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// statements are those that package sqlcommon runs. An index on (store, label, …) is
// searched label by label.
var statements = sqlcommon.Dialect{
	Scope:     func(stores []acl.Access) []any { return []any{scopeList(stores)} },
	Paths:     func(paths []memory.Path) []any { return []any{pathList(paths)} },
	Successor: successor,
	Term:      func(term string) any { return term },
	Layout:    posting.Packed,
	ByID: `SELECT ` + withText + ` FROM json_each(?) j
	CROSS JOIN entry e ON e.id = unhex(j.value) JOIN store s ON s.number = e.store` + joinFields + `WHERE e.state < 2`,
	Contents: `SELECT e.id, e.value, coalesce(a.type_by, e.owner), coalesce(a.description_by, e.owner) FROM json_each(?) j
	CROSS JOIN entry e ON e.id = unhex(j.value) LEFT JOIN author a ON a.doc = e.doc WHERE e.state < 2`,
	At: `SELECT ` + withoutText + ` FROM store s JOIN entry e ON e.store = s.number` + joinFields + `
	WHERE s.id = ? AND e.label IN ` + labels + ` AND e.namespace = ? AND e.key = ? AND e.state = 0 AND e.label <= ?`,
	AtPaths:          selectAtPaths,
	AtPathsInContext: selectAtPaths + ` AND e.in_context`,
	ScanNamespace: `SELECT ` + scanColumns + ` FROM store s
	CROSS JOIN entry e INDEXED BY entry_live ON e.store = s.number AND e.label = ?2 AND e.namespace = ?3` + joinFields + `
	WHERE s.id = ?1 AND e.state = 0 AND e.in_context AND e.key > ?4 AND e.key >= ?5 AND (?6 IS NULL OR e.key < ?6)
	ORDER BY e.key, e.owner LIMIT ?7`,
	ScanStore: `SELECT ` + scanColumns + ` FROM store s
	CROSS JOIN entry e INDEXED BY entry_live ON e.store = s.number AND e.label = ?2` + joinFields + `
	WHERE s.id = ?1 AND e.state = 0 AND e.in_context AND (e.namespace, e.key) > (?3, ?4)
	AND e.key >= ?5 AND (?6 IS NULL OR e.key < ?6)
	ORDER BY e.namespace, e.key, e.owner LIMIT ?7`,
	TrashStore: `SELECT ` + candidateColumns + ` FROM store s
	CROSS JOIN entry e INDEXED BY entry_trash ON e.store = s.number AND e.label = ?2` + joinOccurrence + trashPage,
	TrashOwner: `SELECT ` + candidateColumns + ` FROM store s
	CROSS JOIN entry e INDEXED BY entry_trash_owner ON e.store = s.number AND e.label = ?2 AND e.owner = ?3` + joinOccurrence + trashPage,
	TrashPath: `SELECT ` + candidateColumns + ` FROM store s
	CROSS JOIN entry e INDEXED BY entry_trash_path ON e.store = s.number AND e.label = ?2 AND e.namespace = ?7 AND e.key = ?8` +
		joinOccurrence + trashPage,
	Current: fromEntry + `WHERE e.id = ? AND e.state < 2`,
	// The columns of history have the names of entry's columns.
	Former: `SELECT ` + formerColumns + ` FROM
	(SELECT doc AS mine FROM entry WHERE id = ?1 AND state < 2) CROSS JOIN
	(SELECT h.*, ?1 AS id FROM history h) e ON e.doc = mine JOIN store s ON s.number = e.store
	WHERE e.version < ?2 AND e.updated_at <= ?4 ORDER BY e.version DESC LIMIT ?3`,
	Searchable: fromEntry + `WHERE e.id > ? AND e.state = 0 AND e.in_context AND NOT e.encrypted ORDER BY e.id LIMIT ?`,
	Names: `SELECT ` + withoutText + ` FROM entry e JOIN store s ON s.number = e.store` + joinFields + `
	WHERE e.id > ? AND e.state < 2 AND octet_length(e.namespace || e.key) > length(e.namespace || e.key)
	ORDER BY e.id LIMIT ?`,
	WithoutVectors: fromEntry + `WHERE e.id > ?6 AND ` + unembedded + ` ORDER BY e.id LIMIT ?7`,
	WithoutVectorsOf: `SELECT ` + withText + ` FROM json_each(?6) j
	CROSS JOIN entry e ON e.id = unhex(j.value) JOIN store s ON s.number = e.store` + joinFields + `WHERE ` + unembedded,
	EntryPage: fromEntry + `WHERE e.state < 2 AND e.id > ? ORDER BY e.id LIMIT ?`,
	VersionsOf: strings.Replace(`SELECT `+formerColumns, "e.id", "m.id", 1) + ` FROM json_each(?) j CROSS JOIN entry m ON m.id = unhex(j.value)
	CROSS JOIN history e ON e.doc = m.doc JOIN store s ON s.number = e.store ORDER BY m.id, e.version`,

	// An entry that is both deleted and expired counts once.
	CountErasable: `SELECT
	(SELECT count(*) FROM entry INDEXED BY entry_deleted WHERE deleted_at IS NOT NULL AND deleted_at < ?1) +
	(SELECT count(*) FROM entry INDEXED BY entry_swept
		WHERE state = 2 AND expires_at < ?1 AND (deleted_at IS NULL OR deleted_at >= ?1)) +
	(SELECT count(*) FROM entry INDEXED BY entry_due
		WHERE state < 2 AND expires_at < ?1 AND (deleted_at IS NULL OR deleted_at >= ?1))`,
	CountUnembedded: `SELECT count(*) FROM entry e WHERE ` + unembedded,

	Erasable: [...]string{
		`SELECT id FROM entry INDEXED BY entry_deleted WHERE deleted_at IS NOT NULL AND deleted_at < ? ORDER BY deleted_at LIMIT ?`,
		`SELECT id FROM entry INDEXED BY entry_swept WHERE state = 2 AND expires_at < ? ORDER BY expires_at LIMIT ?`,
		`SELECT id FROM entry INDEXED BY entry_due WHERE state < 2 AND expires_at < ? ORDER BY expires_at LIMIT ?`,
	},
	Due: `SELECT id, expires_at, coalesce(length(value), 0) FROM entry INDEXED BY entry_due WHERE state < 2 AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
	DueIn: `SELECT id, expires_at, coalesce(length(value), 0) FROM entry INDEXED BY entry_expiring
	WHERE store = (SELECT number FROM store WHERE id = ?1) AND label = ?2 AND state = 0 AND expires_at <= ?3
	ORDER BY expires_at LIMIT ?4`,

	OldestVersions: `SELECT version, coalesce(length(value), 0) + coalesce(length(source), 0) FROM history
	WHERE doc = ? ORDER BY version LIMIT ?`,
	DeleteVersions: "DELETE FROM history WHERE doc = ? AND version <= ?",

	ManyTerms: scopeTable + `SELECT 1 FROM scope WHERE ?4 = (SELECT count(*) FROM
	(SELECT DISTINCT p.term FROM posting p WHERE p.store = scope.store AND p.term >= ?2 AND p.term < ?3 AND p.label <= scope.ceiling LIMIT ?4))
	LIMIT 1`,
	// It seeks each term after the one before, past the blocks of its postings.
	ExpiredTerms: strings.Replace(selectTombstones[acl.Restricted], "d.length", "d.terms", 1),
	Terms: scopeTable + `, found (store, ceiling, term) AS (
	SELECT store, ceiling, (SELECT p.term FROM posting p WHERE p.store = scope.store AND p.term >= ?2 AND p.term < ?3 AND p.label <= scope.ceiling ORDER BY p.term LIMIT 1) FROM scope
	UNION ALL SELECT store, ceiling, (SELECT p.term FROM posting p WHERE p.store = found.store AND p.term > found.term AND p.term < ?3 AND p.label <= found.ceiling ORDER BY p.term LIMIT 1)
	FROM found WHERE term IS NOT NULL)
	SELECT term FROM found WHERE term IS NOT NULL LIMIT ?4`,
}

const (
	fromEntry     = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store` + joinFields
	selectAtPaths = `SELECT ` + withoutText + ` FROM json_each(?2) j CROSS JOIN store s ON s.id = ?1
	CROSS JOIN entry e ON e.store = s.number AND e.label IN ` + labels + ` AND e.namespace = j.value ->> 0 AND e.key = j.value ->> 1` + joinFields + `
	WHERE e.state = 0 AND e.label <= ?3`
	trashPage = `
	WHERE s.id = ?1 AND e.state = 1 AND (?3 = '' OR e.owner = ?3)
	AND (e.deleted_at, e.id) < (?4, ?5)
	ORDER BY e.deleted_at DESC, e.id DESC LIMIT ?6`
	// unembedded selects the entries without vectors of model ?1 at time ?2 that have none
	// of model ?3, or some of model ?4, with labels up to ?5.
	unembedded = `e.state = 0 AND e.label <= ?5 AND e.in_context AND NOT e.encrypted AND (e.expires_at IS NULL OR e.expires_at > ?2) AND NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = ?1)
	AND v.revision = e.revision) AND (NOT EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = ?3)
	AND v.revision = e.revision) OR EXISTS
	(SELECT 1 FROM vector v WHERE v.doc = e.doc AND v.model = (SELECT number FROM model WHERE fingerprint = ?4)))`
)

// pathList returns a JSON array of paths: [[namespace, key], …].
func pathList(paths []memory.Path) string {
	pairs := make([][2]string, len(paths))
	for i, p := range paths {
		pairs[i] = [2]string{p.Namespace, p.Key}
	}
	list, _ := json.Marshal(pairs) // of texts
	return string(list)
}

// successor returns the smallest string greater than all that start with prefix,
// or nil if there is none. It may be invalid UTF-8: SQLite compares bytes.
func successor(prefix string) any {
	for n := len(prefix); n > 0; n-- {
		if c := prefix[n-1]; c < 0xff {
			return prefix[:n-1] + string([]byte{c + 1})
		}
	}
	return nil
}
