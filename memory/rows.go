package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/vector"
)

// EntryReader reads rows.
type EntryReader interface {
	// At returns every entry at path that is not deleted, of any owner and of
	// labels up to ceiling, with Size in place of Value and Source, in no
	// defined order. Entries above the ceiling and values must cost no time: it
	// would reveal that they exist.
	At(ctx context.Context, path Path, ceiling acl.Label) ([]Entry, error)
	// Get returns the entries with these ids that are in the database,
	// deleted ones too, in no defined order.
	Get(ctx context.Context, ids []uuid.UUID) ([]Entry, error)
	// Scan returns the in-context entries of a store that are not deleted,
	// with Size in place of Value and Source, in (namespace, key, label, owner) order.
	// Labels are ordered by rank here.
	Scan(ctx context.Context, query ScanQuery) ([]Entry, error)
	// Trash returns deleted entries of a store, those that are not in context
	// too, with Size in place of Value and Source, and without TypeBy and
	// DescriptionBy, latest deletion first, ties by id descending.
	Trash(ctx context.Context, query TrashQuery) ([]Entry, error)
	// History returns the versions of an entry before a version (0: all),
	// newest first, at most limit. The current row is the newest of them.
	History(ctx context.Context, id uuid.UUID, before, limit int) ([]Entry, error)
	// Usage counts the live entries in a store at a label that an agent wrote
	// last, and the bytes of their values. Entries expired at now do not
	// count.
	Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (Usage, error)
}

// Prefetcher reads ahead, for a storage behind a network.
type Prefetcher interface {
	// Prefetch says that an agent is about to write at paths of one store, at a
	// label. It changes the result of no other call, but At of these paths up to
	// the label, and Usage of the agent at the label and at now, may be answered
	// from what it read.
	Prefetch(ctx context.Context, store string, paths []Path, label acl.Label, agent string, now time.Time) error
}

// accessReader reads entries and the facts that decide who may see them.
type accessReader interface {
	acl.Facts
	EntryReader
}

// CandidateReader reads the rows of a search's candidates within a scope.
type CandidateReader interface {
	// Siblings returns, with Size in place of Value and Source, and without
	// TypeBy and DescriptionBy, every in-context entry of the scope that is
	// not deleted and has the path of one of ids: what is needed to resolve
	// these paths. Ids outside the scope are ignored. In no defined order,
	// each once.
	Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]Entry, error)
	// Matching returns the ids of the in-context, undeleted entries of the scope
	// that pass the filter, in no defined order, each once: of all, or if ids is
	// not nil, of these. If there are more than limit it returns none of them,
	// and more is true. The filter's times must not be relative.
	Matching(ctx context.Context, scope acl.Scope, filter Filter, ids []uuid.UUID, limit int) (found []uuid.UUID, more bool, err error)
}

// ScoreReader reads what a search's candidates are scored by, within a scope.
// Entries outside the scope and deleted ones are ignored.
type ScoreReader interface {
	// Evidence yields what entries are scored by, in no defined order: for each
	// entry one Evidence per chunk that has a vector under the query's
	// fingerprint, or one without a vector. What a yielded Evidence refers to
	// is valid only until yield returns, and yield must not use the
	// transaction. An error of yield ends it and is returned.
	Evidence(ctx context.Context, scope acl.Scope, q EvidenceQuery, yield func(Evidence) error) error
	// ChunkCodes returns the codes of the tokens of chunks under a fingerprint,
	// in the order of chunks: nil for one that has none.
	ChunkCodes(ctx context.Context, scope acl.Scope, fingerprint string, chunks []vector.ChunkID) ([][]byte, error)
}

// EvidenceQuery asks for what entries are scored by.
type EvidenceQuery struct {
	Terms       []lexical.QueryTerm
	Fingerprint string // of the vectors; "": none are read
	Entries     []uuid.UUID
}

// Evidence is what an entry and one of its chunks are scored by.
type Evidence struct {
	Entry uuid.UUID
	// Counts are how often a searchable entry contains each of the query's
	// terms, and Length is its length in tokens. lexical.Scorer.Score of them
	// has the bits of the score by which Lexical ranks the entry. They come
	// with the entry's first chunk, or without any; Counts is nil otherwise.
	Counts []int
	Length int
	Chunk  int         // from 0
	Vector vector.Half // of the chunk; empty: the entry has no vectors
	// Codes are those of the chunk's tokens if it is the first one, so that
	// entries of one chunk, which are most, are read at once.
	Codes []byte
}

// Usage counts the entries in a store at one label that an agent wrote last.
type Usage struct {
	Entries int64
	Bytes   int64 // of their values
}

// ScanQuery asks for a range of a store's entries.
type ScanQuery struct {
	Store     string
	Ceiling   acl.Label // the highest label returned
	Namespace *string   // nil: all
	Prefix    string    // of the key
	// AfterNamespace and AfterKey, if After is set, are the path after which
	// the range begins.
	After                    bool
	AfterNamespace, AfterKey string
	Limit                    int
}

// TrashQuery asks for a range of a store's deleted entries.
type TrashQuery struct {
	Store string
	Label acl.Label // exactly
	Owner string    // "": any; else this owner's, in-context or not
	// AfterTime and AfterID, if AfterTime is set, are the deletion time and id
	// of the entry after which the range begins.
	AfterTime time.Time
	AfterID   uuid.UUID
	Limit     int
	Path      *Path // nil: all
}

// EntryWriter writes rows.
type EntryWriter interface {
	// Put writes the new state of an entry that was created, edited, renamed,
	// deleted or restored: the row, its history, its lexical terms and forms and a
	// queue row. doc is empty unless the entry is searchable and not deleted.
	// Revision must be one more than the row's, 0 for none, and the entry must
	// not be swept, else ErrStale. If Version grew, the row's former state
	// becomes history. A deleted entry loses its terms and vectors at once. The
	// feed gets a record of the path of an entry in context, and of its former path
	// if that was another.
	// ErrExists if another undeleted entry has its path, owner and label.
	Put(ctx context.Context, entry Entry, doc lexical.Document) error
}

// DocumentWriter fills a database with the terms and forms of its entries
// (lexical.Document).
type DocumentWriter interface {
	// SearchableAfter returns up to limit searchable, undeleted entries by ID,
	// after an ID, expired ones too. They do not change until the transaction ends.
	SearchableAfter(ctx context.Context, after uuid.UUID, limit int) ([]Entry, error)
	// PutDocument replaces the terms and forms of an entry that SearchableAfter
	// returned. If queuedAt is not the zero time, the entry gets new vectors, too.
	PutDocument(ctx context.Context, entry Entry, doc lexical.Document, queuedAt time.Time) error
}

// HistoryLimits bound what is kept of an entry's versions.
type HistoryLimits struct {
	Versions int   // the current one included
	Bytes    int64 // of the values and sources of the former ones
}

// Former returns how many former versions may be kept, at least one.
func (l HistoryLimits) Former() int64 { return max(1, int64(l.Versions)-1) }

// HistoryTrimmer erases former versions beyond the limits.
type HistoryTrimmer interface {
	// TrimHistory erases the oldest former versions of an entry until the
	// others are within the limits. The newest former version stays. Its cost
	// does not depend on the number or size of the versions that stay.
	TrimHistory(ctx context.Context, id uuid.UUID, keep HistoryLimits) error
	// ExcessHistory returns up to limit entries of which TrimHistory would
	// erase versions, in an order of the storage's own. after is the last of
	// an earlier call's, uuid.Nil for the first call.
	ExcessHistory(ctx context.Context, keep HistoryLimits, after uuid.UUID, limit int) ([]uuid.UUID, error)
}

// Sweeper removes what has expired.
type Sweeper interface {
	// Expired lists expired entries, deleted ones too, that were not swept yet,
	// oldest first.
	Expired(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error)
	// Sweep removes the terms and vectors of expired entries and hides their
	// rows until a purge. It raises the revision and queues the entry, so that
	// it leaves the vector index too, and adds a record of entries in context that
	// were not deleted to the feed. Entries not expired at now are left
	// alone.
	Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error
	// ExpiredIn lists such entries of a store at labels up to a ceiling, but none
	// that are deleted.
	ExpiredIn(ctx context.Context, store string, ceiling acl.Label, now time.Time, limit int) ([]uuid.UUID, error)
	// SweepFacts removes grants, memberships and idempotency records that have
	// expired.
	SweepFacts(ctx context.Context, now time.Time) error
}

// Purger erases for good.
type Purger interface {
	// Purge erases up to limit entries that were deleted or expired before
	// cutoff, exclusively: row, history, terms, vectors, queue rows, the paths in
	// the feed, and the idempotency records that name them. It returns their ids. Call it until
	// it returns none.
	Purge(ctx context.Context, cutoff time.Time, limit int) ([]uuid.UUID, error)
}

// PurgeCounter counts what a purge would erase.
type PurgeCounter interface {
	// CountErasable counts the entries that Purge with this cutoff would erase in all.
	CountErasable(ctx context.Context, cutoff time.Time) (int64, error)
}

// LexicalLeg ranks entries by the words of a query.
type LexicalLeg interface {
	// ManyTerms reports whether the searchable entries of some store of the scope
	// have more than limit distinct terms that begin with prefix.
	ManyTerms(ctx context.Context, scope acl.Scope, prefix string, limit int) (bool, error)
	// TermsWith returns the distinct terms that begin with prefix of the searchable
	// entries of the scope, in byte order. more says that its stores have more than limit
	// together, one that several have counted for each: then it returns none.
	TermsWith(ctx context.Context, scope acl.Scope, prefix string, limit int) (terms []string, more bool, err error)
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
}
