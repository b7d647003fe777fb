package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"mneme/lexical/posting"
)

const (
	// maxPostings bounds the postings that are collected before a flush. maxPendingBlocks
	// bounds the queued statements of a flush: each writes thousands of blocks.
	maxPostings      = 1_000_000
	maxPendingBlocks = 40
	// For more than manyPostings postings, PostgreSQL plans each statement of flushPostings again:
	// a plan cached while the table was empty would read the whole table for each block.
	manyPostings = 500
)

// flushIndex writes the collected totals, usage and postings. It runs before the commit and
// before anything in the transaction that reads them. The transaction holds the locks of their
// stores, so that no other transaction changes the rows meanwhile.
func (w *writer) flushIndex(ctx context.Context) error {
	w.setRLSAll()
	var stores, documents, lengths []int64
	var labels []int16
	for _, t := range w.postings.TakeTotals() {
		stores, labels = append(stores, t.Store), append(labels, int16(t.Label))
		documents, lengths = append(documents, t.Documents), append(lengths, t.Length)
	}
	switch len(stores) {
	case 0:
	case 1:
		w.queueStatement("posting.add_total", stores[0], labels[0], documents[0], lengths[0])
	default:
		w.queueStatement("posting.add_totals", stores, labels, documents, lengths)
	}
	w.flushUsage()
	return w.flushPostings(ctx)
}

// flushPostings writes the collected postings, but not the totals.
func (w *writer) flushPostings(ctx context.Context) error {
	if w.postings.Size() > manyPostings {
		w.queueStatement("server.plan_each")
	}
	if err := w.postings.Flush(ctx, blocks{w}); err != nil {
		return err
	}
	for _, row := range w.stores {
		row.freshDoc = row.nextDoc
	}
	return nil
}

// blocks implements posting.AlignedBlocks on table posting.
type blocks struct{ *writer }

var _ posting.AlignedBlocks = blocks{}

// Append implements posting.AlignedBlocks. A block whose docIDs were all assigned by this
// transaction since its last flush has no row yet: Append inserts it without looking for one,
// which takes half the time. If there is a row nevertheless, the insertion fails, and Update
// runs the transaction again.
func (b blocks) Append(ctx context.Context, list []posting.Block) error {
	fresh := make(map[int64]int64, len(b.stores)) // by store, the first docID without blocks
	for _, row := range b.stores {
		fresh[row.number] = row.freshDoc
	}
	var inserted, appended []posting.Block
	for _, block := range list {
		if first, known := fresh[block.Store]; known && block.Start >= first && !b.careful {
			inserted = append(inserted, block)
		} else {
			appended = append(appended, block)
		}
	}
	if len(inserted) > 0 {
		b.unchecked = true
		if err := b.write(ctx, "posting.insert", append(keyColumns(inserted), dataColumn(inserted))); err != nil {
			return err
		}
	}
	if len(appended) == 0 {
		return nil
	}
	return b.write(ctx, "posting.append", append(keyColumns(appended), dataColumn(appended)))
}

// Read implements posting.AlignedBlocks.
func (b blocks) Read(ctx context.Context, list []posting.Block) error {
	return b.each(ctx, func(rows pgx.Rows) error {
		var i int64
		var data []byte
		if err := rows.Scan(&i, &data); err != nil {
			return err
		}
		list[i-1].Data = data
		return nil
	}, "posting.blocks", keyColumns(list)...)
}

// Replace implements posting.AlignedBlocks.
func (b blocks) Replace(ctx context.Context, list []posting.Block) error {
	return b.write(ctx, "posting.replace", append(keyColumns(list), dataColumn(list)))
}

// Delete implements posting.AlignedBlocks.
func (b blocks) Delete(ctx context.Context, list []posting.Block) error {
	return b.write(ctx, "posting.delete", keyColumns(list))
}

func (b blocks) write(ctx context.Context, query string, columns []any) error {
	b.queueStatement(query, columns...)
	if b.pendingBatch.Len() > maxPendingBlocks {
		return b.flushBatch(ctx)
	}
	return nil
}

// keyColumns returns the parameters of {posting.keys}.
func keyColumns(list []posting.Block) []any {
	stores, labels := make([]int64, len(list)), make([]int16, len(list))
	numbers, terms := make([]int32, len(list)), make([][]byte, len(list))
	for i, b := range list {
		stores[i], labels[i], numbers[i], terms[i] = b.Store, int16(b.Label), posting.AlignedNumber(b.Start), []byte(b.Term)
	}
	return []any{stores, labels, numbers, terms}
}

func dataColumn(list []posting.Block) [][]byte {
	data := make([][]byte, len(list))
	for i, b := range list {
		data[i] = b.Data
	}
	return data
}
