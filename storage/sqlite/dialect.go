package sqlite

import (
	"encoding/json"

	"mneme/acl"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// sqlDialect says how SQLite takes those parameters of statements that differ between the
// databases.
var sqlDialect = sqlcommon.Dialect{
	Scope:     func(stores []acl.Access) []any { return []any{scopeList(stores)} },
	Paths:     func(paths []memory.Path) []any { return []any{pathList(paths)} },
	Successor: successor,
	Term:      func(term string) any { return term },
	Layout:    posting.Packed,
}

// pathList returns a JSON array of paths: [[namespace, key], …].
func pathList(paths []memory.Path) string {
	pairs := make([][2]string, len(paths))
	for i, p := range paths {
		pairs[i] = [2]string{p.Namespace, p.Key}
	}
	list, _ := json.Marshal(pairs) // strings have a JSON form
	return string(list)
}

// successor returns the smallest string greater than all strings with a prefix, or nil if there
// is none. It may be invalid UTF-8: SQLite compares bytes.
func successor(prefix string) any {
	for n := len(prefix); n > 0; n-- {
		if c := prefix[n-1]; c < 0xff {
			return prefix[:n-1] + string([]byte{c + 1})
		}
	}
	return nil
}
