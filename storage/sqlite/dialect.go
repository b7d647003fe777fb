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
