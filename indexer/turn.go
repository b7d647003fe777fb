package indexer

import "github.com/google/uuid"

// Work is a kind of queue row.
type Work int

// The kinds of work. Short and Long serve stores in turn and take the cheapest rows of each.
// Oldest takes the rows that were queued first, whatever their store and cost, so that no row
// starves behind cheaper ones.
const (
	Short Work = iota // rows of at most LongChunks
	Long              // other rows
	Oldest
)

// Turn bounds what a worker takes from the queue.
type Turn struct {
	Work Work
	// After is the number of the store at which the last turn ended. This turn begins with the
	// next store.
	After int64
	// Rows and Chunks are the maximum to take. A first row that costs more chunks is taken
	// alone.
	Rows, Chunks int
}

// Lease is one queue row that a worker has taken.
type Lease struct {
	Entry    uuid.UUID
	Revision int64 // of the entry when the row was queued
	Attempts int   // failed attempts so far
	Store    int64 // number of the store
	Chunks   int   // estimated cost
}

// work returns the kind of work of an entry.
func (l Lease) work() Work {
	if l.Chunks > LongChunks {
		return Long
	}
	return Short
}

// Walk takes rows from stores in turn: first about the same share of the turn from each store,
// then, while rows or chunks are left in the turn, more from the stores that have more. due
// returns the next rows of each of stores, at most limit per store, ordered by store. take
// leases rows. last is the store after which the next turn begins.
//
// Walk is the part of QueueWriter.Lease that all storages have in common.
func (t Turn) Walk(stores []int64, due func(stores []int64, limit int) ([]Lease, error), take func([]Lease) error) (leases []Lease, last int64, err error) {
	last = t.After
	for first := true; len(stores) > 0 && t.Rows > 0; first = false {
		limit := ceil(t.Rows, len(stores))
		rows, err := due(stores, limit)
		if err != nil {
			return nil, 0, err
		}
		var taken []Lease
		var more []int64
		full := false
		for i, store := range stores {
			n := 0
			for n < len(rows) && rows[n].Store == store {
				n++
			}
			of := rows[:n]
			rows = rows[n:]
			n = t.fit(of, ceil(t.Chunks, len(stores)-i), len(leases)+len(taken) == 0)
			for _, lease := range of[:n] {
				t.Rows--
				t.Chunks -= lease.Chunks
			}
			taken = append(taken, of[:n]...)
			if full = n == 0 && len(of) > 0; full {
				break
			}
			if first {
				last = store
			}
			if n < len(of) || len(of) == limit {
				more = append(more, store)
			}
		}
		if err := take(taken); err != nil {
			return nil, 0, err
		}
		leases = append(leases, taken...)
		if full {
			break
		}
		stores = more
	}
	return leases, last, nil
}

// First returns the first of rows, which are ordered oldest first: as many as the turn allows.
func (t Turn) First(rows []Lease) []Lease {
	return rows[:t.fit(rows, t.Chunks, true)]
}

// fit returns how many of a store's next rows to take: those whose chunks are within share, but
// at least one row. It takes no row that exceeds the chunks left in the turn, unless first is
// set: then it is the turn's first row.
func (t Turn) fit(rows []Lease, share int, first bool) (n int) {
	spent := 0
	for n < min(len(rows), t.Rows) {
		spent += rows[n].Chunks
		if spent > t.Chunks && !(n == 0 && first) || spent > share && n > 0 {
			break
		}
		n++
	}
	return n
}

func ceil(a, b int) int { return (a + b - 1) / b }
