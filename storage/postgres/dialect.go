package postgres

import (
	"unicode/utf8"

	"mneme/acl"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// sqlDialect says how PostgreSQL takes those parameters of statements that differ between the
// databases.
var sqlDialect = sqlcommon.Dialect{
	Lateral: true,
	Scope: func(stores []acl.Access) []any {
		numbers, ceilings := scopeLists(stores)
		return []any{numbers, ceilings}
	},
	Paths:     pathLists,
	Successor: successor,
	Term:      func(term string) any { return []byte(term) },
	Layout:    posting.Aligned,
}

// pathLists returns the namespaces and the keys of paths.
func pathLists(paths []memory.Path) []any {
	namespaces, keys := make([]string, len(paths)), make([]string, len(paths))
	for i, p := range paths {
		namespaces[i], keys[i] = p.Namespace, p.Key
	}
	return []any{namespaces, keys}
}

// successor returns the smallest string greater than all strings with a prefix, or nil if there
// is none. UTF-8 sorts by bytes in code point order.
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
