package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/vector"
)

// VectorReader reads the vectors stored with the rows, from which vector
// indexes are derived.
type VectorReader interface {
	// Vectors yields vectors of entries under a fingerprint, without codes. yield must not
	// use the transaction. An error of it ends the call and is returned.
	Vectors(ctx context.Context, fingerprint string, entries []uuid.UUID, yield func(vector.Record) error) error
	// AllVectors yields so those of all entries, each entry's chunks together.
	AllVectors(ctx context.Context, fingerprint string, yield func(vector.Record) error) error
	// Stores returns the numbers of all stores.
	Stores(ctx context.Context) ([]int64, error)
	// StoreEntries returns the live entries of a store that may have vectors, in
	// no defined order.
	StoreEntries(ctx context.Context, store int64) ([]uuid.UUID, error)
	// Changes returns what happened to vectors after a position, oldest
	// first, at most limit. Positions grow in commit order. reset=true means
	// that the changes after the position are no longer all known, or that it
	// lies beyond the last, as after a restored backup: the reader must start
	// from the rows.
	Changes(ctx context.Context, after int64, limit int) (changes []Change, reset bool, err error)
	// VectorChanges is that of memory.ScoreReader.
	VectorChanges(ctx context.Context, after int64, limit int) (memory.VectorChanges, error)
	// Dropped returns the fingerprints that DropVectors dropped and that RemoveDropped
	// has yet to forget.
	Dropped(ctx context.Context) ([]Dropped, error)
}

// vectorsOf returns the vectors of entries under a fingerprint.
func vectorsOf(ctx context.Context, tx VectorReader, fingerprint string, entries []uuid.UUID) (records []vector.Record, err error) {
	err = tx.Vectors(ctx, fingerprint, entries, func(r vector.Record) error {
		records = append(records, r)
		return nil
	})
	return records, err
}

// lastChange returns the position of the last change of vectors; 0: there is none.
func lastChange(ctx context.Context, tx VectorReader) (int64, error) {
	changes, err := tx.VectorChanges(ctx, 0, 0)
	return changes.Last, err
}

// Dropped is a fingerprint whose vectors were dropped.
type Dropped struct {
	Name        string // in place of the fingerprint
	Fingerprint string
	Again       bool // set if the fingerprint has other vectors since
}

// Change says that an entry's vectors may have changed.
type Change struct {
	Position int64
	Entry    uuid.UUID
}

// VectorWriter writes the vectors stored with the rows.
type VectorWriter interface {
	// PrepareVectors says that vectors of entries are about to be saved, if settings of the
	// database stay as they are. It changes the result of no other call, but Meta of these
	// may be answered from what was read, and none is set before the transaction ends.
	PrepareVectors(ctx context.Context, entries []uuid.UUID, settings []string) error
	// SaveVectors replaces an entry's vectors and codes under a fingerprint, if the row
	// is still at the revision from which they were made, and reports whether
	// it did. No records removes them.
	SaveVectors(ctx context.Context, id uuid.UUID, revision int64, fingerprint string, records []vector.Record) (bool, error)
	// DropVectors drops all vectors of other fingerprints than these: no fingerprint
	// has them any more, and RemoveDropped removes them.
	DropVectors(ctx context.Context, keep []string) error
	// RemoveDropped removes the vectors of dropped fingerprints, by their names, from
	// the limit entries that follow one in the order of their IDs, and returns the last
	// of these. If none follows, it forgets the names and returns uuid.Nil.
	RemoveDropped(ctx context.Context, dropped []string, after uuid.UUID, limit int) (last uuid.UUID, err error)
	// TrimChanges removes records of changes of before a time, limit or so of them, and
	// reports whether there may be more. A record of later than now, which was written by a
	// clock that was ahead, is as old as those around it.
	TrimChanges(ctx context.Context, before, now time.Time, limit int) (more bool, err error)
}
