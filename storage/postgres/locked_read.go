package postgres

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
)

// Reads of a writing transaction. Each holds the lock of the store that it reads
// and sees the writes that the transaction has collected.

// At implements memory.EntryReader.
func (w *writer) At(ctx context.Context, path memory.Path, ceiling acl.Label) ([]memory.Entry, error) {
	if entries, known := w.prefetched.at(path, ceiling); known {
		return entries, w.ready(ctx)
	}
	if err := w.lock(ctx, storeKey(path.Store)); err != nil {
		return nil, err
	}
	return w.reader.At(ctx, path, ceiling)
}

// Get implements memory.EntryReader.
func (w *writer) Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error) {
	if err := w.lockEntries(ctx, ids); err != nil {
		return nil, err
	}
	return w.reader.Get(ctx, ids)
}

// Scan implements memory.EntryReader.
func (w *writer) Scan(ctx context.Context, query memory.ScanQuery) ([]memory.Entry, error) {
	if err := w.lock(ctx, storeKey(query.Store)); err != nil {
		return nil, err
	}
	return w.reader.Scan(ctx, query)
}

// Trash implements memory.EntryReader.
func (w *writer) Trash(ctx context.Context, query memory.TrashQuery) ([]memory.Entry, error) {
	if err := w.lock(ctx, storeKey(query.Store)); err != nil {
		return nil, err
	}
	return w.reader.Trash(ctx, query)
}

// History implements memory.EntryReader.
func (w *writer) History(ctx context.Context, id uuid.UUID, before, limit int) ([]memory.Entry, error) {
	if err := w.lockEntries(ctx, []uuid.UUID{id}); err != nil {
		return nil, err
	}
	return w.reader.History(ctx, id, before, limit)
}

// Lexical implements memory.LexicalLeg.
func (w *writer) Lexical(ctx context.Context, scope acl.Scope, query memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error) {
	if err := w.flushScope(ctx, scope); err != nil {
		return nil, nil, err
	}
	return w.reader.Lexical(ctx, scope, query)
}

// ManyTerms implements memory.LexicalLeg.
func (w *writer) ManyTerms(ctx context.Context, scope acl.Scope, prefix string, limit int) (bool, error) {
	if err := w.flushScope(ctx, scope); err != nil {
		return false, err
	}
	return w.reader.ManyTerms(ctx, scope, prefix, limit)
}

// TermsWith implements memory.LexicalLeg.
func (w *writer) TermsWith(ctx context.Context, scope acl.Scope, prefix string, limit int) (terms []string, more bool, err error) {
	if err := w.flushScope(ctx, scope); err != nil {
		return nil, false, err
	}
	return w.reader.TermsWith(ctx, scope, prefix, limit)
}

// flushScope acquires the locks of a scope's stores and writes the postings.
func (w *writer) flushScope(ctx context.Context, scope acl.Scope) error {
	var keys []int64
	for _, a := range scope.Indexed() {
		keys = append(keys, storeKey(a.Store))
	}
	if err := w.lock(ctx, keys...); err != nil {
		return err
	}
	return w.flushIndex(ctx)
}

// Changes implements indexer.VectorReader.
func (w *writer) Changes(ctx context.Context, after int64, limit int) ([]indexer.Change, bool, error) {
	w.flushChanges()
	return w.reader.Changes(ctx, after, limit)
}

// LastChange implements indexer.VectorReader.
func (w *writer) LastChange(ctx context.Context) (int64, error) {
	w.flushChanges()
	return w.reader.LastChange(ctx)
}
