package sqlcommon

import (
	"math"

	"mneme/acl"
	"mneme/lexical/posting"
	"mneme/memory"
)

// Dialect is how the statements of a storage take their parameters.
type Dialect struct {
	// Lateral says that a statement can probe an index for each of several labels or
	// stores. Otherwise it is run for one at a time.
	Lateral bool
	// Scope returns the parameters for a scope, the first ones of a statement.
	Scope func(stores []acl.Access) []any
	// Paths returns the parameters for a list of paths.
	Paths func(paths []memory.Path) []any
	// Successor returns the smallest text greater than all that begin with a prefix,
	// null if there is none.
	Successor func(prefix string) any
	// Term returns the parameter for a term.
	Term func(term string) any
	// Layout is of postings and documents.
	Layout posting.Layout
}

// levels returns the labels for which a statement about labels up to a ceiling is run.
func (d *Dialect) levels(ceiling acl.Label) []acl.Label {
	ceiling = labelBound(ceiling)
	if d.Lateral {
		return []acl.Label{ceiling}
	}
	var labels []acl.Label
	for label := acl.Public; label <= ceiling; label++ {
		labels = append(labels, label)
	}
	return labels
}

// noStore is greater than the number of any store.
const noStore = int64(math.MaxInt64)

// Reads are the methods of memory.ReadTx and indexer.ReadTx that both storages have in
// common, for their transactions to embed.
type Reads struct {
	r   Reader
	leg Leg
	d   *Dialect
}

// NewReads returns the methods of a transaction whose statements r runs.
func NewReads(r Reader, leg Leg, d *Dialect) Reads { return Reads{r, leg, d} }

// Writes are the methods of memory.Tx and indexer.Tx that both storages have in common.
type Writes struct {
	w     Writer
	reads Reads
	d     *Dialect
}

// NewWrites returns the methods of a writing transaction whose statements w runs, and which
// reads by reads.
func NewWrites(w Writer, reads Reads, d *Dialect) Writes { return Writes{w, reads, d} }
