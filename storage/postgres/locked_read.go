package postgres

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
)

// Reads of a writing transaction. Each holds the lock of the store that it reads and sees the
// writes that the transaction has collected.

// At implements memory.PathReader.
func (w *writeTx) At(ctx context.Context, q memory.AtPaths) ([]memory.Entry, error) {
	if len(q.Paths) == 1 && !q.InContext {
		if entries, known := w.prefetched.at(q.Paths[0], q.Ceiling); known {
			return entries, w.ready(ctx)
		}
	}
	return w.Reads.At(ctx, q)
}

// Searchable implements memory.BulkReader. It takes the database lock, since the caller indexes
// the returned entries again: nobody else may write them meanwhile.
func (w *writeTx) Searchable(ctx context.Context, after uuid.UUID, limit int) ([]memory.Entry, error) {
	if err := w.lockAll(ctx); err != nil {
		return nil, err
	}
	return w.Reads.Searchable(ctx, after, limit)
}

// Lexical implements memory.LexicalLeg.
func (w *writer) Lexical(ctx context.Context, scope acl.Scope, query memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error) {
	if err := w.flushScope(ctx, scope); err != nil {
		return nil, nil, err
	}
	query.Known = nil
	return w.reader.Lexical(ctx, scope, query)
}

// Terms implements memory.LexicalLeg.
func (w *writeTx) Terms(ctx context.Context, scope acl.Scope, query memory.TermQuery) (terms []string, more bool, err error) {
	if err := w.flushScope(ctx, scope); err != nil {
		return nil, false, err
	}
	return w.Reads.Terms(ctx, scope, query)
}

// ManyTerms implements memory.LexicalLeg.
func (w *writeTx) ManyTerms(ctx context.Context, scope acl.Scope, query memory.TermQuery) (bool, error) {
	if err := w.flushScope(ctx, scope); err != nil {
		return false, err
	}
	return w.Reads.ManyTerms(ctx, scope, query)
}

// flushScope acquires the locks of a scope's stores, and writes what the transaction has
// collected for the index, so that the next read finds it.
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
func (w *writeTx) Changes(ctx context.Context, after int64, limit int) ([]indexer.Change, bool, error) {
	w.flushChanges()
	return w.Reads.Changes(ctx, after, limit)
}

// VectorChanges implements memory.ScoreReader.
func (w *writeTx) VectorChanges(ctx context.Context, after int64, limit int) (memory.VectorChanges, error) {
	w.flushChanges()
	return w.Reads.VectorChanges(ctx, after, limit)
}
