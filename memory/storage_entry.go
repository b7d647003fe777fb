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
	// At returns the entries at paths that are not deleted, with Size in place of Value
	// and Source, in no defined order, each once. Entries above the ceiling and values
	// must cost no time: it would tell a caller that they are there.
	At(ctx context.Context, at AtPaths) ([]Entry, error)
	// Siblings returns every in-context entry of the scope that is not deleted and has
	// the path of one of ids: what is needed to resolve these paths. It returns them like
	// At, but without TypeBy and DescriptionBy. IDs outside the scope are ignored.
	Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]Entry, error)
}

// AtPaths are the entries at paths, of any owner and of labels up to a ceiling.
type AtPaths struct {
	Paths     []Path // of one store
	Ceiling   acl.Label
	InContext bool // no others
}

// At returns the entries at a single path.
func (p Path) At(ceiling acl.Label) AtPaths { return AtPaths{Paths: []Path{p}, Ceiling: ceiling} }

// EntryReader reads rows, and their former versions.
type EntryReader interface {
	PathReader
	HistoryReader
	// Get returns the entries with these ids that are in the database,
	// deleted ones too, in no defined order.
	Get(ctx context.Context, ids []uuid.UUID) ([]Entry, error)
	// Contents returns ID, Value, TypeBy and DescriptionBy of entries, deleted ones too, in
	// no defined order. Rows that CandidateReader reads lack the last three.
	Contents(ctx context.Context, ids []uuid.UUID) ([]Entry, error)
	// Scan returns the in-context entries of a store that are not deleted, with Size in
	// place of Value and Source, in (namespace, key, label, owner) order. Labels are
	// ordered by rank here.
	Scan(ctx context.Context, query ScanQuery) ([]Entry, error)
	// Trash returns the deleted entries of a store, those that are not in context too,
	// with Size in place of Value and Source, and without TypeBy and DescriptionBy,
	// latest deletion first, ties by id descending.
	Trash(ctx context.Context, query TrashQuery) ([]Entry, error)
	// Usage counts the live entries in a store at a label that an agent wrote
	// last, and the bytes of their values. Entries expired at now do not
	// count, but each is read; at the zero time all count until they are swept.
	Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (Usage, error)
}

// ScanQuery is a range of a store's entries.
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
	Sources                  bool // Source too
}

// TrashQuery is a range of a store's deleted entries.
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

// Usage counts the entries in a store at one label that an agent wrote last.
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
	// Matching returns the ids of the in-context, undeleted entries of the scope
	// that pass the filter, in no defined order, each once: of all, or if ids is
	// not nil, of these. If there are more than limit it returns none of them,
	// and more is true. The filter's times must not be relative.
	Matching(ctx context.Context, scope acl.Scope, filter Filter, ids []uuid.UUID, limit int) (found []uuid.UUID, more bool, err error)
}

// BulkReader reads the entries of the whole database in the order of their ids: at most
// limit of those that follow an id, uuid.Nil for the first ones.
type BulkReader interface {
	// Searchable returns the searchable entries that are not deleted. They do not change
	// until a writing transaction ends that asks for them.
	Searchable(ctx context.Context, after uuid.UUID, limit int) ([]Entry, error)
	// CountSearchable returns how many Searchable would list after an id without a limit.
	CountSearchable(ctx context.Context, after uuid.UUID) (int64, error)
	// NonASCIINames returns the entries, deleted ones too, whose namespace or key has other
	// characters than those of ASCII, with Size in place of Value and Source.
	NonASCIINames(ctx context.Context, after uuid.UUID, limit int) ([]Entry, error)
}

// EntryWriter writes rows.
type EntryWriter interface {
	// PrepareWrite says what the transaction is about to write, so that a storage behind a
	// network reads ahead and locks in one step. It changes the result of no other call,
	// but At of the plan's paths up to its label, Usage of the agent at the label and the
	// zero time, its Settings and StoreFacts may be answered from what it read.
	PrepareWrite(ctx context.Context, plan WritePlan) error
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

// WritePlan says that an agent is about to write at paths of one store, at a label.
type WritePlan struct {
	Store string
	Paths []Path
	Label acl.Label
	Agent string
}

// DocumentWriter fills a database with the terms and forms of its entries
// (lexical.Document).
type DocumentWriter interface {
	// PutDocument replaces the terms and forms of an entry that Searchable returned in
	// the transaction. If queuedAt is not the zero time, the entry gets new vectors,
	// too.
	PutDocument(ctx context.Context, entry Entry, doc lexical.Document, queuedAt time.Time) error
}
