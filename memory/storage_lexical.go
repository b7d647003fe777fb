package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
)

// LexicalLeg ranks entries by the words of a query.
type LexicalLeg interface {
	// Terms returns the distinct terms of the query's searchable entries, in byte
	// order. more says that there are more than the query's limit: then it returns none.
	Terms(ctx context.Context, scope acl.Scope, query TermQuery) (terms []string, more bool, err error)
	// ManyTerms reports whether some store of the scope has more of the query's terms than
	// its limit.
	ManyTerms(ctx context.Context, scope acl.Scope, query TermQuery) (bool, error)
	// Lexical returns the entries of the scope that share a term with the
	// query, scored by lexical.Scorer, best first: the first Limit, and all
	// that tie with the last of these. Equal scores have no defined order.
	// Term and document counts are those of the scope's searchable entries.
	// Entries expired at Now are neither counted nor returned. The Scorer is that
	// of the scope, whatever Limit and Only are; it is not nil unless there is an
	// error.
	Lexical(ctx context.Context, scope acl.Scope, query LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error)
}

// LexicalQuery is a query of the lexical leg.
type LexicalQuery struct {
	Terms []lexical.QueryTerm
	Limit int         // 0: no hits, only the Scorer
	Only  []uuid.UUID // nil: all; else only these are returned (counts are not changed)
	Now   time.Time
	// Known has entries that need not be read again, and learns those that are read. A Tx
	// ignores it, since what it reads may be undone.
	Known DocumentIDs // nil: none
}

// DocumentIDs has the IDs of the entries whose documents a storage has numbered. A
// committed document always belongs to the same entry.
type DocumentIDs interface {
	// Get looks up the documents of the numbers below n, and calls found with those numbers
	// that have an entry. found must not use the DocumentIDs.
	Get(n int, document func(i int) (store, doc int64), found func(i int, entry uuid.UUID))
	Put(store, doc int64, entry uuid.UUID)
}

// TermQuery asks for the terms of a scope that begin with a prefix.
type TermQuery struct {
	Prefix string
	Now    time.Time // terms of entries that have expired at it are none
	// Limit is how many the stores of the scope may have together, where one that
	// several have counts for each.
	Limit int
}
