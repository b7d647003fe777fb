package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
)

// While a transaction writes, others wait: on SQLite all of them, on PostgreSQL those of
// its store. What it costs is counted in terms of documents: on SQLite about ten
// microseconds of a processor for each that is written or removed.
const (
	// partCost bounds the transactions of what need not be one: batches that are not
	// atomic, imports, and the removal of what has expired.
	partCost = 20_000
	// wholeCost bounds those of what is done as a whole or not at all.
	wholeCost = 300_000

	entryCost    = 10  // of an entry's rows
	bytesPerCost = 128 // of values that are written: they are analyzed
	bytesPerTerm = 8   // of values whose terms are not known: half as many as in English
)

// guessCost returns about what it costs to write or remove an entry with a value of so many bytes.
func guessCost(size int) int { return entryCost + size/bytesPerTerm }

// costed counts what a transaction costs.
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

// full reports whether the transaction should not write another value of so many bytes.
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

// part returns how many of n entries, with values of the given sizes, are one transaction:
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
