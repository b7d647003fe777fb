package milvus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"
)

// The collection's fields. One row is one chunk.
const (
	fieldID     = "id"       // primary key: rowID
	fieldEntry  = "entry"    // the entry's UUID
	fieldStore  = "store_id" // the store's internal number; partition key
	fieldLabel  = "label"    // acl.Label
	fieldChunk  = "chunk"
	fieldVector = "vector"
)

// metric is cosine as Milvus computes it, which divides by the lengths of
// both vectors. Scores are computed anew from the vectors where they must be exact (see rescore).
const metric = entity.COSINE

func (x *Index) schema() *entity.Schema {
	field := entity.NewField
	return entity.NewSchema().WithName(x.name).
		WithDescription("vectors of mneme by " + x.config.Fingerprint).
		WithField(field().WithName(fieldID).WithDataType(entity.FieldTypeVarChar).WithMaxLength(64).WithIsPrimaryKey(true)).
		WithField(field().WithName(fieldEntry).WithDataType(entity.FieldTypeVarChar).WithMaxLength(36)).
		WithField(field().WithName(fieldStore).WithDataType(entity.FieldTypeInt64).WithIsPartitionKey(true)).
		WithField(field().WithName(fieldLabel).WithDataType(entity.FieldTypeInt8)).
		WithField(field().WithName(fieldChunk).WithDataType(entity.FieldTypeInt64)).
		WithField(field().WithName(fieldVector).WithDataType(entity.FieldTypeFloatVector).WithDim(int64(x.config.Dim)))
}

// ready finds the collection or makes it, checks it, and has it loaded. It
// may be called again, and by several processes at once.
func (x *Index) ready(ctx context.Context) error {
	found, err := x.client.DescribeCollection(ctx, x.name)
	switch err = classify(ctx, "describe", err); {
	case errors.Is(err, ErrMissing):
		if found, err = x.create(ctx); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	if err := x.compare(found.Schema); err != nil {
		return err
	}
	if err := x.indexed(ctx); err != nil {
		return err
	}
	return x.load(ctx)
}

// create makes the collection. Another process may be doing the same.
func (x *Index) create(ctx context.Context) (*entity.Collection, error) {
	failed := classify(ctx, "create", x.client.CreateCollection(ctx, x.schema(), 1,
		client.WithPartitionNum(x.config.Partitions), client.WithConsistencyLevel(entity.ClBounded)))
	found, err := x.client.DescribeCollection(ctx, x.name)
	if err = classify(ctx, "describe", err); err != nil {
		return nil, errors.Join(failed, err)
	}
	if failed == nil {
		x.log.InfoContext(ctx, "made a vector collection", "collection", x.name)
	}
	return found, nil
}

// compare tells the first difference between the collection and what create
// would make.
func (x *Index) compare(found *entity.Schema) error {
	fields := make(map[string]*entity.Field, len(found.Fields))
	for _, f := range found.Fields {
		fields[f.Name] = f
	}
	for _, want := range x.schema().Fields {
		got := fields[want.Name]
		var difference string
		switch {
		case got == nil:
			difference = "lacks the field " + want.Name
		case got.DataType != want.DataType:
			difference = fmt.Sprintf("has the field %s as %s, not %s", want.Name, got.DataType.Name(), want.DataType.Name())
		case got.PrimaryKey != want.PrimaryKey:
			difference = "has another primary key than " + fieldID
		case got.IsPartitionKey != want.IsPartitionKey:
			difference = "has another partition key than " + fieldStore
		case got.TypeParams[entity.TypeParamDim] != want.TypeParams[entity.TypeParamDim]:
			difference = fmt.Sprintf("holds vectors of %s elements, not %d", got.TypeParams[entity.TypeParamDim], x.config.Dim)
		default:
			continue
		}
		return fmt.Errorf("milvus: collection %s %s: %w", x.name, difference, ErrMismatch)
	}
	return nil
}

// indexed makes the index over the vectors, or checks the one that is there.
func (x *Index) indexed(ctx context.Context) error {
	found, err := x.client.DescribeIndex(ctx, x.name, fieldVector)
	if err = classify(ctx, "describe index", err); errors.Is(err, errNoIndex) {
		found, err = nil, nil
	}
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return classify(ctx, "create index", x.client.CreateIndex(ctx, x.name, fieldVector, x.kind(), true))
	}
	has, want := found[0].Params(), x.kind().Params()
	for _, key := range []string{"index_type", "metric_type"} {
		if has[key] != want[key] {
			return fmt.Errorf("milvus: collection %s has %s %s, not %s: %w", x.name, key, has[key], want[key], ErrMismatch)
		}
	}
	return nil
}

// kind is the index over the vectors.
func (x *Index) kind() entity.Index {
	if x.config.Exact {
		return entity.NewGenericIndex("", entity.Flat, map[string]string{
			"index_type": string(entity.Flat), "metric_type": string(metric),
		})
	}
	return entity.NewGenericIndex("", entity.HNSW, map[string]string{
		"index_type": string(entity.HNSW), "metric_type": string(metric),
		"M": strconv.Itoa(x.config.HNSW.M), "efConstruction": strconv.Itoa(x.config.HNSW.EfConstruction),
	})
}

// load has Milvus hold the collection in memory, and waits until it does.
// Where ctx ends first, Milvus goes on loading.
func (x *Index) load(ctx context.Context) error {
	err := classify(ctx, "load", x.client.LoadCollection(ctx, x.name, true, client.WithReplicaNumber(x.config.Replicas)))
	if err != nil {
		return err
	}
	for {
		loaded, err := x.client.GetLoadingProgress(ctx, x.name, nil)
		if err = classify(ctx, "load", err); err != nil && !errors.Is(err, ErrUnavailable) {
			return err
		}
		if err == nil && loaded >= 100 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("milvus: load: %w: the collection is still loading: %w", ErrUnavailable, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// mendEvery is how often at most a missing or unloaded collection is set
// right while calls go on.
const mendEvery = time.Second

// reload asks Milvus to load a collection that somebody released; it does
// not wait. Failures show in the calls that follow.
func (x *Index) reload(ctx context.Context) {
	x.mending.Lock()
	defer x.mending.Unlock()
	if time.Since(x.mended) < mendEvery {
		return
	}
	x.mended = time.Now()
	x.log.WarnContext(ctx, "the vector collection was not loaded", "collection", x.name)
	_ = x.client.LoadCollection(ctx, x.name, true, client.WithReplicaNumber(x.config.Replicas))
}

// remake makes a collection anew that is gone: Milvus was wiped under a
// running service. Searches find only what is written from now on, until the
// rows' vectors are put back.
func (x *Index) remake(ctx context.Context) error {
	x.mending.Lock()
	defer x.mending.Unlock()
	ctx, cancel := context.WithTimeout(ctx, x.config.Timeouts.Open)
	defer cancel()
	x.log.WarnContext(ctx, "the vector collection is missing: making it anew, empty", "collection", x.name)
	return x.ready(ctx)
}
