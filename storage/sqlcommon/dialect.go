package sqlcommon

import (
	"math"

	"mneme/acl"
	"mneme/lexical/posting"
	"mneme/memory"
)

// Dialect says how a storage's statements take those parameters that differ between the
// databases.
type Dialect struct {
	// Lateral says that one statement can probe an index for each of several labels or stores.
	// Otherwise the statement runs once for each.
	Lateral bool
	// Scope returns the parameters for the stores of a scope. They are a statement's first ones.
	Scope func(stores []acl.Access) []any
	// Paths returns the parameters for a list of paths.
	Paths func(paths []memory.Path) []any
	// Successor returns the smallest text greater than all texts with a prefix, or null if
	// there is none.
	Successor func(prefix string) any
	// Term returns the parameter for a term.
	Term func(term string) any
	// Layout is the layout of postings and documents.
	Layout posting.Layout
}

// levels returns the labels for which a statement must run to cover all labels up to a ceiling:
// each of them, or only the ceiling if Lateral.
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

// Reads has the methods of memory.ReadTx and indexer.ReadTx that both storages share. The
// storages' transactions embed it.
type Reads struct {
	r   Reader
	leg Leg
	d   *Dialect
}

// NewReads returns the methods of a transaction that runs its statements by r.
func NewReads(r Reader, leg Leg, d *Dialect) Reads { return Reads{r, leg, d} }

// Writes has the methods of memory.Tx and indexer.Tx that both storages share.
type Writes struct {
	w     Writer
	reads Reads
	d     *Dialect
}

// NewWrites returns the methods of a writing transaction that runs its statements by w and
// reads by reads.
func NewWrites(w Writer, reads Reads, d *Dialect) Writes { return Writes{w, reads, d} }
