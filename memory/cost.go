package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
)

// While a transaction writes, others wait: on SQLite all of them, on PostgreSQL those of the
// same store. So the cost of a transaction is bounded. A cost of 1 is one document written or
// removed in the index of words, about ten microseconds of CPU on SQLite.
const (
	// partCost bounds the transactions of work that may be split: batches that are not atomic,
	// imports, and the removal of expired entries.
	partCost = 20_000
	// wholeCost bounds the transactions of work that must be done completely or not at all.
	wholeCost = 300_000

	entryCost    = 10  // of an entry's rows
	bytesPerCost = 128 // of values that are written: they are analyzed
	bytesPerTerm = 8   // of values whose terms are not known: half of the average for English
)

// guessCost estimates the cost to write or remove an entry with a value of size bytes.
func guessCost(size int) int { return entryCost + size/bytesPerTerm }

// costed tracks the cost of a transaction.
type costed struct {
	Tx
	spent int
	sizes map[uuid.UUID]int // of values that were read
}

func newCosted(tx Tx) *costed { return &costed{Tx: tx, sizes: make(map[uuid.UUID]int)} }

// At implements PathReader.
func (c *costed) At(ctx context.Context, at AtPaths) ([]Entry, error) {
	entries, err := c.Tx.At(ctx, at)
	c.see(entries)
	return entries, err
}

// Siblings implements PathReader.
func (c *costed) Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]Entry, error) {
	entries, err := c.Tx.Siblings(ctx, scope, ids)
	c.see(entries)
	return entries, err
}

func (c *costed) see(entries []Entry) {
	for i := range entries {
		c.sizes[entries[i].ID] = entries[i].bytes()
	}
}

// full reports whether the transaction must end before a write of another value of size bytes.
func (c *costed) full(size int) bool { return c.spent > 0 && c.spent+guessCost(size) > partCost }

// Put implements EntryWriter.
func (c *costed) Put(ctx context.Context, e Entry, doc lexical.Document) error {
	c.spent += entryCost + len(doc.Terms) + len(e.Value)/bytesPerCost + c.sizes[e.ID]/bytesPerTerm
	c.sizes[e.ID] = e.bytes()
	return c.Tx.Put(ctx, e, doc)
}

// Sweep implements Eraser.
func (c *costed) Sweep(ctx context.Context, ids []uuid.UUID, now time.Time) error {
	for _, id := range ids {
		c.spent += guessCost(c.sizes[id])
	}
	return c.Tx.Sweep(ctx, ids, now)
}

// part returns how many of n entries, with values of the given sizes, fit into one transaction:
// at least one if n > 0.
func part(n int, size func(int) int) int {
	total := 0
	for i := range n {
		if total += guessCost(size(i)); total > partCost && i > 0 {
			return i
		}
	}
	return n
}
