package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// Lexical implements memory.LexicalLeg. It evaluates the query exhaustively: it
// reads all postings of the terms within the scope, so that document counts are
// exact and entries outside the scope do not influence them.
func (r *reader) Lexical(ctx context.Context, scope acl.Scope, q memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || len(q.Terms) == 0 {
		return nil, lexical.NewScorer(lexical.Stats{}, q.Terms, make([]int64, len(q.Terms))), nil
	}
	evaluation := posting.NewEvaluation(posting.Packed, q.Terms)
	defer evaluation.Close()
	within := scopeList(stores)
	if err := r.readTotals(ctx, evaluation, within, highestCeiling(stores), micros(q.Now)); err != nil {
		return nil, nil, err
	}
	if err := r.readBlocks(ctx, evaluation, within); err != nil {
		return nil, nil, err
	}
	if q.Limit <= 0 {
		return nil, evaluation.Scorer(), nil
	}
	if q.Only != nil {
		docs, err := r.docKeys(ctx, q.Only)
		if err != nil {
			return nil, nil, err
		}
		evaluation.Restrict(docs)
	}
	ranked, err := evaluation.Rank(ctx, q.Limit)
	if err != nil {
		return nil, nil, err
	}
	hits, err := sqlcommon.Hits(ranked, q.Known, func(missing []posting.Scored, found func(i int, entry uuid.UUID)) error {
		return r.readIDs(ctx, missing, found)
	})
	return hits, evaluation.Scorer(), err
}

// readTotals reads the counts of the scope, and its documents that have expired but were not
// swept.
func (r *reader) readTotals(ctx context.Context, evaluation *posting.Evaluation, within string, ceiling acl.Label, now int64) error {
	totals, err := sqlcommon.KeptList(ctx, r, scanTotals, "posting.totals", within)
	if err != nil {
		return err
	}
	evaluation.AddTotal(totals[0].documents, totals[0].length)
	if !totals[0].expiring {
		return nil
	}
	return r.each(ctx, func(rows *sql.Rows) error {
		var doc posting.DocKey
		var length int64
		if err := rows.Scan(&doc.Store, &doc.Doc, &length); err != nil {
			return err
		}
		evaluation.Expire(doc, length)
		return nil
	}, "term.expired_lengths", within, ceiling, now)
}

// totals are the totals of a scope.
type totals struct {
	documents, length int64
	expiring          bool // some entries expire at some time
}

func scanTotals(row sqlcommon.Row) (t totals, err error) {
	err = row.Scan(&t.documents, &t.length, &t.expiring)
	return t, err
}

func highestCeiling(stores []acl.Access) (ceiling acl.Label) {
	for _, a := range stores {
		ceiling = max(ceiling, a.Ceiling)
	}
	return ceiling
}

// readBlocks reads the posting lists of the query's terms within the scope.
func (r *reader) readBlocks(ctx context.Context, evaluation *posting.Evaluation, within string) error {
	var store, start int64
	var term int
	var data sql.RawBytes
	dest := []any{&store, &term, &start, &data}
	return r.each(ctx, func(rows *sql.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		return evaluation.AddBlock(store, term, start, data)
	}, "posting.of_terms", within, jsonList(evaluation.TermKeys()))
}

// docKeys resolves IDs to documents. It omits IDs that do not exist.
func (r *reader) docKeys(ctx context.Context, ids []uuid.UUID) ([]posting.DocKey, error) {
	var docs []posting.DocKey
	err := r.each(ctx, func(rows *sql.Rows) error {
		var doc posting.DocKey
		err := rows.Scan(&doc.Store, &doc.Doc)
		docs = append(docs, doc)
		return err
	}, "entry.docs", idList(ids))
	return docs, err
}

// readIDs yields the IDs of documents' entries, with the documents' indexes.
func (r *reader) readIDs(ctx context.Context, ranked []posting.Scored, found func(i int, entry uuid.UUID)) error {
	indexes := make(map[int64]int, len(ranked))
	docs := make([]int64, len(ranked))
	for i, s := range ranked {
		docs[i], indexes[s.Doc] = s.Doc, i
	}
	slices.Sort(docs) // in page order
	var doc int64
	var id uuid.UUID
	dest := []any{&doc, (*idColumn)(&id)}
	return r.each(ctx, func(rows *sql.Rows) error {
		err := rows.Scan(dest...)
		if err == nil {
			found(indexes[doc], id)
		}
		return err
	}, "entry.ids", numberList(docs))
}

// Lexical implements memory.LexicalLeg.
func (w *writer) Lexical(ctx context.Context, scope acl.Scope, query memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error) {
	if err := w.flush(ctx); err != nil {
		return nil, nil, err
	}
	query.Known = nil
	return w.reader.Lexical(ctx, scope, query)
}
