package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/vector"
)

// PathReader reads the rows at paths.
type PathReader interface {
	// At returns entries at paths that are not deleted, with Size in place of Value
	// and Source, in no defined order, each once.
	At(ctx context.Context, query PathQuery) ([]Entry, error)
}

// PathQuery is an AtPaths or a Siblings.
type PathQuery interface{ pathQuery() }

// AtPaths asks for the entries at paths, of any owner and of labels up to a ceiling.
// Entries above the ceiling and values must cost no time: it would tell a caller that
// they are there.
type AtPaths struct {
	Paths     []Path // of one store
	Ceiling   acl.Label
	InContext bool // no others
}

// At returns the query for a single path.
func (p Path) At(ceiling acl.Label) AtPaths { return AtPaths{Paths: []Path{p}, Ceiling: ceiling} }

// Siblings asks for every in-context entry of the scope, without TypeBy and
// DescriptionBy, that has the path of one of IDs: what is needed to resolve these
// paths. IDs outside the scope are ignored.
type Siblings struct {
	Scope acl.Scope
	IDs   []uuid.UUID
}

func (AtPaths) pathQuery()  {}
func (Siblings) pathQuery() {}

// EntryReader reads rows.
type EntryReader interface {
	PathReader
	// Get returns the entries with these ids that are in the database,
	// deleted ones too, in no defined order.
	Get(ctx context.Context, ids []uuid.UUID) ([]Entry, error)
	// List returns a range of entries in the order of the query.
	List(ctx context.Context, query ListQuery) ([]Entry, error)
	// Usage counts the live entries in a store at a label that an agent wrote
	// last, and the bytes of their values. Entries expired at now do not
	// count, but each is read; at the zero time all count until they are swept.
	Usage(ctx context.Context, store, writer string, label acl.Label, now time.Time) (Usage, error)
}

// ContentQuery lists ID, Value, TypeBy and DescriptionBy of entries, deleted ones too, in
// no defined order. Rows that CandidateReader reads lack the last three.
type ContentQuery struct{ Entries []uuid.UUID }

// ListQuery is a ScanQuery, TrashQuery, HistoryQuery, SearchableQuery, NamesQuery or
// ContentQuery.
type ListQuery interface{ listQuery() }

func (ScanQuery) listQuery()       {}
func (TrashQuery) listQuery()      {}
func (HistoryQuery) listQuery()    {}
func (SearchableQuery) listQuery() {}
func (NamesQuery) listQuery()      {}
func (ContentQuery) listQuery()    {}

// Preparer reads ahead and locks in one step, for a storage behind a network.
type Preparer interface {
	// Prepare says what the transaction is about to do. It changes the result of no
	// other call, but those that the plan names may be answered from what it read.
	Prepare(ctx context.Context, plan Plan) error
}

// Plan is a WritePlan or a VectorPlan.
type Plan interface{ plan() }

// WritePlan says that an agent is about to write at paths of one store, at a label. At
// of these paths up to the label, Usage of the agent at the label and the zero time, its
// Settings and StoreFacts may be answered from what was read.
type WritePlan struct {
	Store string
	Paths []Path
	Label acl.Label
	Agent string
}

// VectorPlan says that vectors of these entries are about to be saved, if settings of the
// database stay as they are: Meta of these may be answered from what was read, and none
// is set before the transaction ends.
type VectorPlan struct {
	Entries  []uuid.UUID
	Settings []string
}

func (WritePlan) plan()  {}
func (VectorPlan) plan() {}

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

// ScoreReader reads what a search's candidates are scored by, within a scope.
// Entries outside the scope and deleted ones are ignored.
type ScoreReader interface {
	// Evidence yields what entries are scored by, in no defined order: for each
	// entry one Evidence per chunk and fingerprint of the query that it has a vector
	// under, or one without a vector. What a yielded Evidence refers to
	// is valid only until yield returns, and yield must not use the
	// transaction. An error of yield ends it and is returned.
	Evidence(ctx context.Context, scope acl.Scope, q EvidenceQuery, yield func(Evidence) error) error
	// ChunkCodes returns the codes of the tokens of chunks under a fingerprint,
	// in the order of chunks: nil for one that has none.
	ChunkCodes(ctx context.Context, scope acl.Scope, fingerprint string, chunks []vector.ChunkID) ([][]byte, error)
	// TermCounter returns what counts a query's terms in the Terms of Evidence that this
	// storage yielded, in this transaction or in an earlier one.
	TermCounter(query []lexical.QueryTerm) TermCounter
	// VectorChanges returns which entries' vectors have changed since a position, at
	// most limit of them. Entries of all scopes are among them: they say what to read
	// again, and must be shown to nobody.
	VectorChanges(ctx context.Context, after int64, limit int) (VectorChanges, error)
}

// TermCounter counts a query's terms in the terms of entries.
type TermCounter interface {
	// Count returns how often each term of the query is among an entry's terms, as
	// Evidence.Counts does, in buffer if that has room. It fails if the terms are damaged.
	Count(buffer []int, terms []byte) ([]int, error)
	// Keys yields a key of each of an entry's terms, in the storage's order: terms are the
	// same if their keys are. A key is valid until yield returns. It fails if the terms are
	// damaged.
	Keys(terms []byte, yield func(key []byte)) error
}

// VectorChanges are changes of entries' vectors. Positions count them, in the order in
// which they were committed.
type VectorChanges struct {
	Last    int64       // the position of the last change in the snapshot; 0: there is none
	Entries []uuid.UUID // what the changes after the given position were of, each at least once
	// Partial says that the entries are not known: there are more than the limit, or the
	// records of some were removed.
	Partial bool
}

// EvidenceQuery asks for what entries are scored by.
type EvidenceQuery struct {
	Terms        []lexical.QueryTerm
	Fingerprints [2]string // of the vectors, by model; "": none are read
	Entries      []uuid.UUID
	VectorsOnly  bool // neither Counts, Length nor Codes are read
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
	// Terms are all terms of the entry, as the storage encodes them, where Counts is not
	// nil: see ScoreReader.TermCounter.
	Terms  []byte
	Model  int         // of the vector: 0 or 1, by the query's Fingerprints
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

// ScanQuery asks for the in-context entries of a store that are not deleted, with Size
// in place of Value and Source, in (namespace, key, label, owner) order. Labels are
// ordered by rank here.
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

// TrashQuery asks for the deleted entries of a store, those that are not in context
// too, with Size in place of Value and Source, and without TypeBy and DescriptionBy,
// latest deletion first, ties by id descending.
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

// HistoryQuery asks for the versions of an entry, newest first. The current row is the
// newest of them.
type HistoryQuery struct {
	Entry  uuid.UUID
	Before int       // a version; 0: all
	Until  time.Time // those written later are left out; the zero time: none
	Limit  int
}

// SearchableQuery asks for the searchable entries that are not deleted, in the order of
// their ids.
type SearchableQuery struct {
	After uuid.UUID
	Limit int
	// Without, unless nil, leaves out those that have expired at its Now, and those that
	// have vectors of their current revision under its fingerprint. If it is nil, they do
	// not change until a writing transaction ends that asks for them.
	Without *Unembedded
	// Among, unless nil, asks Without for those of these entries, in no defined order,
	// whatever After and Limit are.
	Among []uuid.UUID
}

// NamesQuery asks for the entries, deleted ones too, whose namespace or key has other
// characters than those of ASCII, with Size in place of Value and Source, in the order of
// their ids.
type NamesQuery struct {
	After uuid.UUID
	Limit int
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
	// PutDocument replaces the terms and forms of an entry that a SearchableQuery of the
	// transaction returned. If queuedAt is not the zero time, the entry gets new vectors,
	// too.
	PutDocument(ctx context.Context, entry Entry, doc lexical.Document, queuedAt time.Time) error
}

// LexicalLeg ranks entries by the words of a query.
type LexicalLeg interface {
	// Terms returns the distinct terms of the query's searchable entries, in byte
	// order. more says that there are more than the query's limit: then it returns none.
	Terms(ctx context.Context, scope acl.Scope, query TermQuery) (terms []string, more bool, err error)
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
// document that was committed is that of the same entry for good.
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
	// several have counts for each; or, with InSomeStore, one of them alone.
	Limit int
	// InSomeStore asks whether some store has more than the limit. No terms are returned.
	InSomeStore bool
}
