package milvus

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"
	"golang.org/x/sync/errgroup"

	"mneme/acl"
	"mneme/vector"
)

// maxParallel is the maximum number of concurrent requests of one search.
const maxParallel = 4

// Search implements vector.Index. Its errors are those of vector.Query.Check, of ctx, and this
// package's (ErrUnavailable and so on).
func (x *Index) Search(ctx context.Context, scope acl.Scope, query vector.Query) ([]vector.Hit, error) {
	hits, _, err := x.SearchBounded(ctx, scope, query)
	return hits, err
}

// SearchBounded implements vector.Bounded. Its errors are those of Search.
func (x *Index) SearchBounded(ctx context.Context, scope acl.Scope, query vector.Query) (hits []vector.Hit, cut bool, err error) {
	if err := query.Check(x.config.Dim); err != nil {
		return nil, false, err
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	if query.Only != nil && len(query.Only) == 0 {
		return nil, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, x.config.Timeouts.Search)
	defer cancel()
	parts := filters(scope, query.Only)
	found := make([][]row, len(parts))
	var full atomic.Bool // a request returned as many rows as Milvus allows
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for i, filter := range parts {
		group.Go(func() (err error) {
			found[i], err = x.nearest(groupCtx, filter, query)
			if len(found[i]) == maxTopK {
				full.Store(true)
			}
			if err == nil && x.config.Exact {
				found[i], err = x.rescore(groupCtx, filter, query.Vector, found[i])
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		x.noteMissing(err)
		return nil, false, err
	}
	var rows []row
	for _, part := range found {
		rows = append(rows, part...)
	}
	all := bestPerEntry(rows)
	hits = x.truncate(all, query.Limit)
	return hits, full.Load() && len(hits) == len(all), nil
}

// truncate returns the first limit hits. If the index is exact, it also returns all hits that
// tie with the last of them.
func (x *Index) truncate(hits []vector.Hit, limit int) []vector.Hit {
	n := min(limit, len(hits))
	for x.config.Exact && n < len(hits) && hits[n].Score == hits[n-1].Score {
		n++
	}
	return hits[:n]
}

// nearest returns the nearest rows: at least those of the query.Limit nearest entries. An entry
// may have several near chunks, and Milvus 2.3 cannot group by entry, so nearest requests more
// and more rows until they belong to enough entries.
func (x *Index) nearest(ctx context.Context, filter string, query vector.Query) ([]row, error) {
	const growth = 4
	for count := min(maxTopK, query.Limit+query.Limit/4+16); ; count = min(maxTopK, count*growth) {
		rows, err := x.rows(ctx, filter, query.Vector, count)
		if err != nil {
			return nil, err
		}
		if len(rows) < count || count == maxTopK || x.sufficient(rows, query.Limit) {
			return rows, nil
		}
	}
}

// cosineError is twice the maximum difference between a cosine by Milvus and the dot product
// with the stored vector. They differ because Milvus divides by the length of the stored
// vector: rounding to half precision changes this length by a factor of up to 1 ± 2^-11.
const cosineError = 2.0 / (1 << 11)

// sufficient reports whether rows, which are ordered best first, belong to at least limit
// entries. For an exact index, the last row must also score so much less that no row beyond it
// can tie with a result.
func (x *Index) sufficient(rows []row, limit int) bool {
	entries := make(map[uuid.UUID]bool, limit)
	for _, r := range rows {
		entries[r.entry] = true
		if len(entries) == limit {
			return !x.config.Exact || r.score-rows[len(rows)-1].score > cosineError
		}
	}
	return false
}

// rows returns the count rows nearest to a vector.
func (x *Index) rows(ctx context.Context, filter string, query []float32, count int) ([]row, error) {
	params, err := x.searchParams(count)
	if err != nil {
		return nil, fmt.Errorf("milvus: search: %w: ef is out of range", ErrRefused)
	}
	var found []client.SearchResult
	err = x.retry(ctx, "search", searchAttempts, x.config.Timeouts.Search, func(ctx context.Context) (err error) {
		found, err = x.client.Search(ctx, x.name, nil, filter, nil,
			[]entity.Vector{entity.FloatVector(query)}, fieldVector, metric, count, params,
			client.WithSearchQueryConsistencyLevel(x.config.Consistency.level()))
		return err
	})
	if err != nil || len(found) == 0 || found[0].ResultCount == 0 {
		return nil, err
	}
	return readRows(found[0])
}

func readRows(found client.SearchResult) ([]row, error) {
	ids, ok := found.IDs.(*entity.ColumnVarChar)
	if found.Err != nil || !ok || ids.Len() < found.ResultCount || len(found.Scores) < found.ResultCount {
		return nil, fmt.Errorf("milvus: search: %w: the reply lacks columns", ErrRefused)
	}
	rows := make([]row, found.ResultCount)
	for i := range rows {
		id := ids.Data()[i]
		entry, chunk, _, err := parseRowID(id)
		if err != nil {
			return nil, fmt.Errorf("milvus: search: %w: invalid primary key", ErrMismatch)
		}
		rows[i] = row{id, entry, chunk, found.Scores[i]}
	}
	return rows, nil
}

// rescore reads the vectors of rows and scores them as package vector/flat does, so that both
// exact indexes rank alike. Milvus could return vectors with the hits, but it reads them in a
// second step, and fails the whole search if a row was deleted in between; rescore leaves out
// such a row. It applies the filter again, since a row's store or label may have changed
// meanwhile.
func (x *Index) rescore(ctx context.Context, filter string, query []float32, rows []row) ([]row, error) {
	scored := make([]row, 0, len(rows))
	for part := range slices.Chunk(rows, maxInIDs) {
		ids := make([]string, len(part))
		for i, r := range part {
			ids[i] = r.id
		}
		vectors, err := x.vectors(ctx, filter+" and "+inRows(ids))
		if err != nil {
			return nil, err
		}
		for _, r := range part {
			if v, ok := vectors[r.id]; ok {
				scored = append(scored, row{r.id, r.entry, r.chunk, dot(query, v)})
			}
		}
	}
	return scored, nil
}

// vectors returns the vectors of the rows that a filter selects, by primary
// key.
func (x *Index) vectors(ctx context.Context, filter string) (map[string][]float32, error) {
	var found client.ResultSet
	err := x.retry(ctx, "read vectors", searchAttempts, x.config.Timeouts.Search, func(ctx context.Context) (err error) {
		found, err = x.client.Query(ctx, x.name, nil, filter, []string{fieldID, fieldVector},
			client.WithSearchQueryConsistencyLevel(x.config.Consistency.level()))
		return err
	})
	if err != nil {
		return nil, err
	}
	ids, ok := found.GetColumn(fieldID).(*entity.ColumnVarChar)
	vectors, ok2 := found.GetColumn(fieldVector).(*entity.ColumnFloatVector)
	if !ok || !ok2 || ids.Len() != vectors.Len() {
		return nil, fmt.Errorf("milvus: read vectors: %w: the reply lacks columns", ErrRefused)
	}
	byID := make(map[string][]float32, ids.Len())
	for i, id := range ids.Data() {
		byID[id] = vectors.Data()[i]
	}
	return byID, nil
}

// searchParams returns the index parameters of a search for count rows. In a search of a graph,
// ef must be at least count. maxTopK is below the SDK's maximum for ef, 32,768.
func (x *Index) searchParams(count int) (entity.SearchParam, error) {
	if x.config.Exact {
		return entity.NewIndexFlatSearchParam()
	}
	return entity.NewIndexHNSWSearchParam(max(x.config.HNSW.Ef, count))
}

// level returns the SDK's constant.
func (c Consistency) level() entity.ConsistencyLevel {
	if c == Strong {
		return entity.ClStrong
	}
	return entity.ClBounded
}
