package posting

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// PackedBlocks is the block store of a PackedWriter. A PackedWriter returns its
// errors unchanged.
type PackedBlocks interface {
	// Find calls read with the last block of the list that starts at or
	// before doc, and does not call it if there is none. It returns the error
	// of read. read does not retain data.
	Find(ctx context.Context, list List, doc int64, read func(start int64, data []byte) error) error
	// NextStart returns the Start of the first block of the list that starts
	// after doc. found reports whether there is one.
	NextStart(ctx context.Context, list List, doc int64) (start int64, found bool, err error)
	// Insert adds a block that does not exist.
	Insert(ctx context.Context, block Block) error
	// Update replaces the Data of an existing block.
	Update(ctx context.Context, block Block) error
	// Delete removes an existing block.
	Delete(ctx context.Context, list List, start int64) error
}

// PackedWriter collects the changes of one transaction to a Packed index, or of a part of
// it that may be rolled back: see Follow. It is not safe for concurrent use.
type PackedWriter struct {
	Changes
	before *PackedWriter // the writer of the previous parts; nil: none
	newest int64         // the last docID passed to Created; 0: none
	// flushed is the last docID before the transaction or the last flush. No
	// stored block has a greater docID.
	flushed int64
	buffer  []Posting // reused for the postings of a block
}

// NewPackedWriter returns a writer without changes.
func NewPackedWriter() *PackedWriter { return &PackedWriter{Changes: Changes{layout: Packed}} }

// Created records that doc was assigned to a new entry. It must be greater than
// all docIDs before it.
func (w *PackedWriter) Created(doc int64) {
	if w.newest == 0 {
		w.flushed = doc - 1
	}
	w.newest = doc
}

// Follow makes w, a new writer, collect the next part of a transaction: its TakeTotals and
// Flush also write the changes that before collected. before retains its changes, since
// the part may be rolled back together with what it wrote.
func (w *PackedWriter) Follow(before *PackedWriter) { w.before = before }

// Collected returns the changes of w and of the writer that it follows, to be written at
// the end of the transaction. It modifies both writers: the caller must use only the
// result afterwards.
func (w *PackedWriter) Collected() *PackedWriter {
	if w.before == nil {
		return w
	}
	w.before.addAll(w)
	return w.before
}

// addAll adds the changes of o, which follow those of w. It does not retain memory of o.
func (w *PackedWriter) addAll(o *PackedWriter) {
	if w.newest == 0 {
		w.flushed = o.flushed
	}
	w.newest = max(w.newest, o.newest)
	w.Changes.addAll(&o.Changes)
}

// takeOver copies the changes of the previous writer.
func (w *PackedWriter) takeOver() {
	if w.before == nil {
		return
	}
	all := NewPackedWriter()
	all.addAll(w.before)
	all.addAll(w)
	*w = *all
}

// TakeTotals is Changes.TakeTotals.
func (w *PackedWriter) TakeTotals() []Total {
	w.takeOver()
	return w.Changes.TakeTotals()
}

// Flush writes and forgets the collected postings. Totals are taken by
// TakeTotals.
func (w *PackedWriter) Flush(ctx context.Context, blocks PackedBlocks) error {
	w.takeOver()
	for _, list := range w.lists() {
		if err := w.writeList(ctx, blocks, list, lastChanges(w.postings[list])); err != nil {
			return err
		}
	}
	w.resetPostings()
	w.flushed = max(w.flushed, w.newest)
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
		// The block takes the changes up to the start of the next block. For a
		// new docID there is no next block.
		n := len(changes)
		isNew := w.newest != 0 && doc > w.flushed
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

// writeBlock applies changes to the old postings of a block and inserts, updates,
// splits or deletes it. known reports whether the block exists.
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

// merge applies changes to postings. Both are in docID order, with each docID
// once.
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

// lastChanges sorts changes by docID, in place, and keeps the last change of each
// docID.
func lastChanges(changes []Posting) []Posting {
	sortByDoc(changes)
	kept := changes[:0]
	for i, c := range changes {
		if i+1 == len(changes) || changes[i+1].Doc != c.Doc {
			kept = append(kept, c)
		}
	}
	return kept
}
