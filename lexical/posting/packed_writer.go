package posting

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// PackedBlocks is where a PackedWriter keeps its blocks.
type PackedBlocks interface {
	// Find calls read with the last block of the list that starts at or
	// before doc, if there is one. read does not retain data.
	Find(ctx context.Context, list List, doc int64, read func(start int64, data []byte) error) error
	// NextStart returns the Start of the first block of the list that starts
	// after doc.
	NextStart(ctx context.Context, list List, doc int64) (start int64, found bool, err error)
	// Insert adds a block.
	Insert(ctx context.Context, block Block) error
	// Update replaces the Data of a block.
	Update(ctx context.Context, block Block) error
	// Delete removes a block.
	Delete(ctx context.Context, list List, start int64) error
}

// PackedWriter collects the changes of one transaction to a Packed index. It
// is for one goroutine.
type PackedWriter struct {
	Changes
	newest int64 // the last docID that was given out; 0: none
	// settled is the last docID from before the transaction, or from before
	// the last flush: no block starts or holds anything above it.
	settled int64
	buffer  []Posting // of Find
}

// NewPackedWriter returns a writer without changes.
func NewPackedWriter() *PackedWriter { return &PackedWriter{Changes: Changes{layout: Packed}} }

// Created notes that doc was given out. It is above all docIDs before it.
func (w *PackedWriter) Created(doc int64) {
	if w.newest == 0 {
		w.settled = doc - 1
	}
	w.newest = doc
}

// Flush writes the collected postings. Totals are taken separately.
func (w *PackedWriter) Flush(ctx context.Context, blocks PackedBlocks) error {
	for _, list := range w.lists() {
		if err := w.writeList(ctx, blocks, list, settle(w.postings[list])); err != nil {
			return err
		}
	}
	w.forget()
	w.settled = max(w.settled, w.newest)
	return nil
}

// writeList applies the changes of one list, sorted by docID, to its blocks.
func (w *PackedWriter) writeList(ctx context.Context, blocks PackedBlocks, list List, changes []Posting) error {
	for len(changes) > 0 {
		doc := changes[0].Doc
		start, known := doc, false
		w.buffer = w.buffer[:0]
		err := blocks.Find(ctx, list, doc, func(found int64, data []byte) (err error) {
			start, known = found, true
			w.buffer, err = Packed.DecodeBlock(w.buffer, found, data)
			return err
		})
		if err != nil {
			return err
		}
		// The block takes the changes up to the next one. There is none after
		// a new docID.
		n := len(changes)
		isNew := w.newest != 0 && doc > w.settled
		if n > 1 && !isNew {
			next, found, err := blocks.NextStart(ctx, list, max(start, doc))
			if err != nil {
				return err
			}
			if !found {
				next = math.MaxInt64
			}
			n, _ = slices.BinarySearchFunc(changes, next, func(p Posting, next int64) int { return cmp.Compare(p.Doc, next) })
		}
		if err := writeBlock(ctx, blocks, Block{List: list, Start: start}, known, w.buffer, changes[:n]); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// writeBlock applies changes to the old postings of one block: its row is
// inserted, updated, split or deleted.
func writeBlock(ctx context.Context, blocks PackedBlocks, block Block, known bool, old, changes []Posting) error {
	merged := merge(old, changes)
	appended := len(old) == 0 || len(merged) > 0 && merged[len(merged)-1].Doc > old[len(old)-1].Doc
	packed := packBlocks(block.List, block.Start, merged, appended)
	if known && len(packed) == 0 {
		return blocks.Delete(ctx, block.List, block.Start)
	}
	for i, b := range packed {
		write := blocks.Insert
		if known && i == 0 {
			write = blocks.Update
		}
		if err := write(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// merge applies changes, sorted by docID and each docID once, to postings in
// docID order.
func merge(postings, changes []Posting) []Posting {
	merged := make([]Posting, 0, len(postings)+len(changes))
	for len(postings) > 0 || len(changes) > 0 {
		switch {
		case len(changes) == 0 || len(postings) > 0 && postings[0].Doc < changes[0].Doc:
			merged, postings = append(merged, postings[0]), postings[1:]
			continue
		case len(postings) > 0 && postings[0].Doc == changes[0].Doc:
			postings = postings[1:]
		}
		if changes[0].Count > 0 {
			merged = append(merged, changes[0])
		}
		changes = changes[1:]
	}
	return merged
}

// settle sorts changes by docID and keeps the last of each.
func settle(changes []Posting) []Posting {
	sortByDoc(changes)
	kept := changes[:0]
	for i, c := range changes {
		if i+1 == len(changes) || changes[i+1].Doc != c.Doc {
			kept = append(kept, c)
		}
	}
	return kept
}
