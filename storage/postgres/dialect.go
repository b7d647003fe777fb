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
