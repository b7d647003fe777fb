package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/acl"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

var selectDocs = scoped{"entry.docs_in_one", "entry.docs"}

// Lexical implements memory.LexicalLeg. It evaluates the query exhaustively: it reads all
// postings of the terms within the scope, so that document counts are exact and entries outside
// the scope do not influence them.
func (r *reader) Lexical(ctx context.Context, scope acl.Scope, q memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || len(q.Terms) == 0 {
		return nil, lexical.NewScorer(lexical.Stats{}, q.Terms, make([]int64, len(q.Terms))), nil
	}
	evaluation := posting.NewEvaluation(posting.Aligned, q.Terms)
	defer evaluation.Close()
	r.setRLSScope(stores)
	if err := r.readPostings(ctx, evaluation, stores, q); err != nil {
		return nil, nil, err
	}
	if q.Limit <= 0 {
		return nil, evaluation.Scorer(), nil
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

// readPostings reads, in one round trip, the counts of the scope, its documents that have
// expired but were not swept, the posting lists of the query's terms, and the documents of
// q.Only.
func (r *reader) readPostings(ctx context.Context, evaluation *posting.Evaluation, stores []acl.Access, q memory.LexicalQuery) error {
	numbers, ceilings := scopeLists(stores)
	var terms [][]byte
	for _, key := range evaluation.TermKeys() {
		terms = append(terms, []byte(key))
	}
	var store, ordinal int64
	var number int32
	var data pgtype.DriverBytes
	dest := []any{&store, &ordinal, &number, &data}
	queries := []batchQuery{
		{"posting.totals", []any{numbers, ceilings}, func(rows pgx.Rows) error {
			var documents, length int64
			err := rows.Scan(&documents, &length)
			evaluation.AddTotal(documents, length)
			return err
		}},
		{"term.expired_lengths", []any{numbers, ceilings, q.Now}, func(rows pgx.Rows) error {
			var doc posting.DocKey
			var length int64
			if err := rows.Scan(&doc.Store, &doc.Doc, &length); err != nil {
				return err
			}
			evaluation.Expire(doc, length)
			return nil
		}},
		{"posting.of_terms", []any{numbers, ceilings, terms}, func(rows pgx.Rows) error {
			if err := rows.Scan(dest...); err != nil {
				return err
			}
			return evaluation.AddBlock(store, int(ordinal-1), posting.AlignedStart(number), data)
		}},
	}
	if q.Only == nil {
		return r.queryBatch(ctx, queries)
	}
	var docs []posting.DocKey
	queries = append(queries, batchQuery{selectDocs.in(stores), []any{numbers, ceilings, idList(q.Only)}, func(rows pgx.Rows) error {
		var doc posting.DocKey
		err := rows.Scan(&doc.Store, &doc.Doc)
		docs = append(docs, doc)
		return err
	}})
	err := r.queryBatch(ctx, queries)
	evaluation.Restrict(docs)
	return err
}

// readIDs yields the IDs of documents' entries, with the documents' indexes.
func (r *reader) readIDs(ctx context.Context, ranked []posting.Scored, found func(i int, entry uuid.UUID)) error {
	stores, docs := make([]int64, len(ranked)), make([]int64, len(ranked))
	for i, s := range ranked {
		stores[i], docs[i] = s.Store, s.Doc
	}
	return r.each(ctx, func(rows pgx.Rows) error {
		var ordinal int64
		var id uuid.UUID
		err := rows.Scan(&ordinal, (*[16]byte)(&id))
		if err == nil {
			found(int(ordinal-1), id)
		}
		return err
	}, "entry.ids", stores, docs)
}
