package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
)

// PathReader reads the rows at paths.
type PathReader interface {
	// At returns the undeleted entries at paths, with Size instead of Value and Source, in no
	// defined order, each once. Its duration must not depend on entries above the ceiling or on
	// the size of values: otherwise it would tell a caller that they exist.
	At(ctx context.Context, at AtPaths) ([]Entry, error)
	// Siblings returns all entries that are needed to resolve the paths of the entries ids:
	// every in-context, undeleted entry of the scope that has one of these paths. It returns
	// them like At, but without TypeBy and DescriptionBy, and ignores ids outside the scope.
	Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]Entry, error)
}

// AtPaths selects the entries at paths, of any owner and with labels up to a ceiling.
type AtPaths struct {
	Paths     []Path // in one store
	Ceiling   acl.Label
	InContext bool // only entries in context
}

// At returns the entries at a single path.
func (p Path) At(ceiling acl.Label) AtPaths { return AtPaths{Paths: []Path{p}, Ceiling: ceiling} }

// EntryReader reads rows and their former versions.
type EntryReader interface {
	PathReader
	HistoryReader
	// Get returns the stored entries with these ids, including deleted ones, in no defined
	// order.
	Get(ctx context.Context, ids []uuid.UUID) ([]Entry, error)
	// Contents returns ID, Value, TypeBy and DescriptionBy of entries, including deleted ones,
	// in no defined order. Rows that a CandidateReader returned lack the last three of these.
	Contents(ctx context.Context, ids []uuid.UUID) ([]Entry, error)
	// Scan returns the in-context, undeleted entries of a store, with Size instead of Value and
	// Source, in (namespace, key, label, owner) order. Labels are ordered by rank.
	Scan(ctx context.Context, query ScanQuery) ([]Entry, error)
	// Trash returns the deleted entries of a store, including those that are not in context,
	// with Size instead of Value and Source and without TypeBy and DescriptionBy, latest
	// deletion first, ties by id descending.
	Trash(ctx context.Context, query TrashQuery) ([]Entry, error)
	// Usage counts the live entries of a store, at a label, that an agent was the last to
	// write, and the bytes of their values. It reads the entries that are expired at now and
	// excludes them. If now is the zero time, it reads none, and counts expired entries until
	// they are swept.
	Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (Usage, error)
}

// ScanQuery is a range of a store's entries.
type ScanQuery struct {
	Store     string
	Ceiling   acl.Label // the highest label to return
	Namespace *string   // nil: all
	Prefix    string    // of the key
	// AfterNamespace and AfterKey are the path after which the range begins; only if After is
	// set.
	After                    bool
	AfterNamespace, AfterKey string
	Limit                    int
	Sources                  bool // return Source too
}

// TrashQuery is a range of a store's deleted entries.
type TrashQuery struct {
	Store string
	Label acl.Label // exactly this label
	Owner string    // "": any; else this owner's, in-context or not
	// AfterTime and AfterID are the deletion time and id of the entry after which the range
	// begins, if AfterTime is set.
	AfterTime time.Time
	AfterID   uuid.UUID
	Limit     int
	Path      *Path // nil: all
}

// Usage counts the entries of a store, at one label, that an agent was the last to write.
type Usage struct {
	Entries int64
	Bytes   int64 // of their values
}

// accessReader reads entries and the facts that decide who may see them.
type accessReader interface {
	acl.Facts
	EntryReader
}

// CandidateReader reads the rows of a search's candidates within a scope.
type CandidateReader interface {
	PathReader
	// Matching returns the ids of the in-context, undeleted entries of the scope that pass the
	// filter, in no defined order, each once. Unless ids is nil, it considers only these. If
	// there are more than limit, it returns none of them, and more is true. The filter's times
	// must not be relative.
	Matching(ctx context.Context, scope acl.Scope, filter Filter, ids []uuid.UUID, limit int) (found []uuid.UUID, more bool, err error)
}

// BulkReader reads the entries of the whole database, ordered by id: at most limit entries
// after the given id. The first call gives uuid.Nil, which is before all.
type BulkReader interface {
	// Searchable returns the searchable, undeleted entries. In a writing transaction, they do
	// not change until it ends.
	Searchable(ctx context.Context, after uuid.UUID, limit int) ([]Entry, error)
	// CountSearchable returns how many entries Searchable would return after an id without a
	// limit.
	CountSearchable(ctx context.Context, after uuid.UUID) (int64, error)
	// NonASCIINames returns the entries, including deleted ones, whose namespace or key has
	// non-ASCII characters, with Size instead of Value and Source.
	NonASCIINames(ctx context.Context, after uuid.UUID, limit int) ([]Entry, error)
}

// EntryWriter writes rows.
type EntryWriter interface {
	// PrepareWrite announces what the transaction will write, so that a storage behind a
	// network can prefetch and lock the rows in one step. It does not change the result of
	// other calls. But these calls may be answered from the prefetched rows: At for the plan's
	// paths up to its label, Usage of the agent at the label with the zero time, the agent's
	// Settings, and StoreFacts.
	PrepareWrite(ctx context.Context, plan WritePlan) error
	// Put writes the new state of an entry that was created, edited, renamed, deleted or
	// restored: the row, its history, its lexical terms and forms and a queue row. doc is empty
	// unless the entry is searchable and not deleted. Revision must be one more than the row's,
	// 0 if there is no row, and the entry must not be swept; otherwise the error is ErrStale.
	// If Version grew, the row's former state becomes history. A deleted entry loses its terms
	// and vectors at once. For an entry in context, the feed gets a record of its path, and of
	// its former path if the path changed. The error is ErrExists if another undeleted entry
	// has its path, owner and label.
	Put(ctx context.Context, entry Entry, doc lexical.Document) error
}

// WritePlan says that an agent will write at paths of one store, at a label.
type WritePlan struct {
	Store string
	Paths []Path
	Label acl.Label
	Agent string
}

// DocumentWriter replaces the terms and forms of entries (lexical.Document) in the whole
// database.
type DocumentWriter interface {
	// PutDocument replaces the terms and forms of an entry that Searchable returned in the same
	// transaction. If queuedAt is not the zero time, it also queues the entry for new vectors.
	PutDocument(ctx context.Context, entry Entry, doc lexical.Document, queuedAt time.Time) error
}
