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
	// Terms returns the distinct terms with the query's prefix in the searchable entries of the
	// scope, in byte order. If there are more than the query's limit, it returns none, and more
	// is true.
	Terms(ctx context.Context, scope acl.Scope, query TermQuery) (terms []string, more bool, err error)
	// ManyTerms reports whether some store of the scope has more terms with the query's prefix
	// than its limit.
	ManyTerms(ctx context.Context, scope acl.Scope, query TermQuery) (bool, error)
	// Lexical returns the entries of the scope that share a term with the query, scored by
	// lexical.Scorer, best first: the first Limit entries, and all that tie with the last of
	// them. Equal scores have no defined order. Term and document counts are those of the
	// scope's searchable entries. Entries expired at Now are neither counted nor returned. The
	// Scorer depends only on the scope, not on Limit and Only; it is not nil unless there is an
	// error.
	Lexical(ctx context.Context, scope acl.Scope, query LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error)
}

// LexicalQuery is a query of the lexical leg.
type LexicalQuery struct {
	Terms []lexical.QueryTerm
	Limit int         // 0: no hits, only the Scorer
	Only  []uuid.UUID // nil: all; otherwise Lexical returns only these (counts do not change)
	Now   time.Time
	// Known caches the IDs of entries: Lexical looks an ID up there before it reads it, and
	// adds the IDs that it reads. A Tx ignores Known, since what a Tx reads may be rolled back.
	Known DocumentIDs // nil: none
}

// DocumentIDs caches the IDs of entries by the document numbers that a storage gives them. The
// document number of a committed entry always belongs to that entry.
type DocumentIDs interface {
	// Get looks up documents 0 to n-1, and calls found for each that has a known entry. found
	// must not use the DocumentIDs.
	Get(n int, document func(i int) (store, doc int64), found func(i int, entry uuid.UUID))
	Put(store, doc int64, entry uuid.UUID)
}

// TermQuery asks for the terms of a scope that begin with a prefix.
type TermQuery struct {
	Prefix string
	Now    time.Time // excludes terms of entries that have expired at it
	// Limit bounds the total number of terms of the scope's stores. A term of several stores
	// counts for each.
	Limit int
}
