package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/vector"
)

// VectorReader reads the vectors stored with the rows. Vector indexes are derived from them.
type VectorReader interface {
	// Vectors yields the vectors of entries under a fingerprint, without their codes. yield
	// must not use the transaction. An error from yield ends the call and is returned.
	Vectors(ctx context.Context, fingerprint string, entries []uuid.UUID, yield func(vector.Record) error) error
	// AllVectors is Vectors for all entries. It yields each entry's chunks consecutively.
	AllVectors(ctx context.Context, fingerprint string, yield func(vector.Record) error) error
	// Stores returns the numbers of all stores.
	Stores(ctx context.Context) ([]int64, error)
	// StoreEntries returns the live entries of a store that may have vectors, in no defined
	// order.
	StoreEntries(ctx context.Context, store int64) ([]uuid.UUID, error)
	// Changes returns the changes of vectors after a position, oldest first, at most limit.
	// Positions grow in commit order. reset=true means that some changes after the position are
	// no longer recorded, or that the position is beyond the last one, for example after a
	// restored backup. The reader must then reload from the rows.
	Changes(ctx context.Context, after int64, limit int) (changes []Change, reset bool, err error)
	// VectorChanges is as in memory.ScoreReader.
	VectorChanges(ctx context.Context, after int64, limit int) (memory.VectorChanges, error)
	// Dropped returns the fingerprints that DropVectors dropped and RemoveDropped has not yet
	// forgotten.
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

// lastChange returns the position of the last change of vectors, or 0 if there is none.
func lastChange(ctx context.Context, tx VectorReader) (int64, error) {
	changes, err := tx.VectorChanges(ctx, 0, 0)
	return changes.Last, err
}

// Dropped is a fingerprint whose vectors were dropped.
type Dropped struct {
	Name        string // a storage's own name for the dropped vectors
	Fingerprint string
	Again       bool // new vectors have been made under the fingerprint since
}

// Change says that an entry's vectors may have changed.
type Change struct {
	Position int64
	Entry    uuid.UUID
}

// VectorWriter writes the vectors stored with the rows.
type VectorWriter interface {
	// PrepareVectors announces that SaveVectors is about to be called for entries, after a
	// check of some settings. A storage may read and lock these settings at once, and answer
	// later calls of Meta from what it read: no other transaction sets them before this one
	// ends. No other call gives a different result.
	PrepareVectors(ctx context.Context, entries []uuid.UUID, settings []string) error
	// SaveVectors replaces an entry's vectors and codes under a fingerprint, if the row is
	// still at the revision from which they were made, and reports whether it did. Without
	// records, it removes them.
	SaveVectors(ctx context.Context, id uuid.UUID, revision int64, fingerprint string, records []vector.Record) (bool, error)
	// DropVectors drops all vectors under fingerprints other than keep. They are gone for
	// readers at once; RemoveDropped erases them.
	DropVectors(ctx context.Context, keep []string) error
	// RemoveDropped erases the vectors of dropped fingerprints, given by name, from the next
	// limit entries after a given one, in order of their IDs, and returns the last of these
	// entries. If there are none, it forgets the names and returns uuid.Nil.
	RemoveDropped(ctx context.Context, dropped []string, after uuid.UUID, limit int) (last uuid.UUID, err error)
	// TrimChanges removes about limit records of changes before a time, and reports whether
	// there may be more. A record later than now, written while a clock was ahead, counts as
	// old as the records next to it.
	TrimChanges(ctx context.Context, before, now time.Time, limit int) (more bool, err error)
}
