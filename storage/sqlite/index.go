package sqlite

import (
	"context"
	"database/sql"

	"mneme/lexical/posting"
)

// flush writes the collected usage, totals, postings and words. It runs before the commit and
// before anything in the transaction that reads them.
func (w *writer) flush(ctx context.Context) error {
	if err := w.flushRows(ctx); err != nil {
		return err
	}
	for _, t := range w.postings.TakeTotals() {
		if _, err := w.exec(ctx, "posting.add_total", t.Store, t.Label, t.Documents, t.Length); err != nil {
			return err
		}
	}
	if err := w.postings.Flush(ctx, blocks{w}); err != nil {
		return err
	}
	for ; len(w.words) > 0; w.words = w.words[1:] {
		if _, err := w.exec(ctx, w.words[0].Text, w.words[0].Args...); err != nil {
			return err
		}
	}
	return nil
}

// flushRows writes the collected usage, counts of former versions and feed records, and counts
// an erasure if there was one. It does not write the index.
func (w *writer) flushRows(ctx context.Context) error {
	for _, flush := range [...]func(context.Context) error{w.flushUsage, w.flushPast, w.flushFeed} {
		if err := flush(ctx); err != nil {
			return err
		}
	}
	if !w.purged && !w.dropped {
		return nil
	}
	_, err := w.exec(ctx, "erasure.count", w.purged)
	return err
}

// blocks implements posting.PackedBlocks on table posting.
type blocks struct{ *writer }

var _ posting.PackedBlocks = blocks{}

// Find implements posting.PackedBlocks.
func (b blocks) Find(ctx context.Context, l posting.List, doc int64, read func(start int64, data []byte) error) error {
	return b.each(ctx, func(rows *sql.Rows) error {
		var start int64
		var data sql.RawBytes
		if err := rows.Scan(&start, &data); err != nil {
			return err
		}
		return read(start, data)
	}, "posting.at", l.Store, l.Term, l.Label, doc)
}

// NextStart implements posting.PackedBlocks.
func (b blocks) NextStart(ctx context.Context, l posting.List, doc int64) (start int64, found bool, err error) {
	found, err = b.one(ctx, []any{&start}, "posting.next", l.Store, l.Term, l.Label, doc)
	return start, found, err
}

// Insert implements posting.PackedBlocks.
func (b blocks) Insert(ctx context.Context, block posting.Block) error {
	_, err := b.exec(ctx, "posting.insert", block.Store, block.Term, block.Label, block.Start, block.Data)
	return err
}

// Update implements posting.PackedBlocks.
func (b blocks) Update(ctx context.Context, block posting.Block) error {
	_, err := b.exec(ctx, "posting.update", block.Data, block.Store, block.Term, block.Label, block.Start)
	return err
}

// Delete implements posting.PackedBlocks.
func (b blocks) Delete(ctx context.Context, l posting.List, start int64) error {
	_, err := b.exec(ctx, "posting.delete", l.Store, l.Term, l.Label, start)
	return err
}
