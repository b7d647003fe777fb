package vectortest

import (
	"context"
	"testing"

	"mneme/acl"
	"mneme/vector"
	"mneme/vector/flat"
)

// boundedIndex is an index whose searches consider the vectors of at most some entries.
type boundedIndex struct {
	vector.Index
	most int
}

func (x boundedIndex) Search(ctx context.Context, scope acl.Scope, query vector.Query) ([]vector.Hit, error) {
	hits, _, err := x.SearchBounded(ctx, scope, query)
	return hits, err
}

func (x boundedIndex) SearchBounded(ctx context.Context, scope acl.Scope, query vector.Query) (hits []vector.Hit, cut bool, err error) {
	limit := query.Limit
	query.Limit = min(limit, x.most)
	hits, err = x.Index.Search(ctx, scope, query)
	return hits, len(hits) == x.most && limit >= x.most, err
}

// This tests the suite's rule for bounded indexes without a Milvus server.
func TestABoundedIndexReportsCutAnswers(t *testing.T) {
	const most = 100
	open := func(_ testing.TB, dim int) vector.Index { return boundedIndex{flat.New(dim), most} }
	bounded(t, &fixture{open: open, options: Options{MaxChunks: most}})
}
