package search

import (
	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search/cache"
)

// snapshot is a consistent view of the stores for the steps of a search.
//
// SECURITY: its scope decides what is shown.
type snapshot struct {
	tx       memory.ReadTx
	scope    acl.Scope
	contents cache.ReadContents
	then     *formerEntries // for Request.AsOf; nil: the request has none
	// dropped collects the visible entries that were read but do not pass the filter.
	// nil: they are not needed.
	dropped map[uuid.UUID]*memory.Entry
}

// within returns a snapshot for the steps of a search, without the former entries.
func (s *Searcher) within(tx memory.ReadTx, scope acl.Scope, q *searchQuery) snapshot {
	return snapshot{tx: tx, scope: scope, contents: s.contents.Of(s.readers.Of(q.caller))}
}
