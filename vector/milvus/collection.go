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

// metric is cosine as Milvus computes it: the dot product divided by the lengths of both
// vectors. In an exact index it only selects candidates; rescore computes their scores.
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

// prepare finds the collection or creates it, checks its schema and index, and loads it. It may
// be repeated, and several processes may do so at the same time.
func (x *Index) prepare(ctx context.Context) error {
	found, err := x.client.DescribeCollection(ctx, x.name)
	switch err = classify(ctx, "describe", err); {
	case errors.Is(err, ErrMissing):
		if found, err = x.create(ctx); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	if err := x.checkSchema(found.Schema); err != nil {
		return err
	}
	if err := x.ensureIndex(ctx); err != nil {
		return err
	}
	return x.load(ctx)
}

// create creates the collection. If it exists afterwards, create succeeds: another process may
// have created it at the same time.
func (x *Index) create(ctx context.Context) (*entity.Collection, error) {
	failed := classify(ctx, "create", x.client.CreateCollection(ctx, x.schema(), 1,
		client.WithPartitionNum(x.config.Partitions), client.WithConsistencyLevel(entity.ClBounded)))
	found, err := x.client.DescribeCollection(ctx, x.name)
	if err = classify(ctx, "describe", err); err != nil {
		return nil, errors.Join(failed, err)
	}
	if failed == nil {
		x.log.InfoContext(ctx, "created a vector collection", "collection", x.name)
	}
	return found, nil
}

// checkSchema returns ErrMismatch with the first difference between the
// collection and what create would create.
func (x *Index) checkSchema(found *entity.Schema) error {
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
			difference = fmt.Sprintf("has a field %s of type %s, not %s", want.Name, got.DataType.Name(), want.DataType.Name())
		case got.PrimaryKey != want.PrimaryKey:
			difference = "has a primary key other than " + fieldID
		case got.IsPartitionKey != want.IsPartitionKey:
			difference = "has a partition key other than " + fieldStore
		case got.TypeParams[entity.TypeParamDim] != want.TypeParams[entity.TypeParamDim]:
			difference = fmt.Sprintf("holds vectors of %s elements, not %d", got.TypeParams[entity.TypeParamDim], x.config.Dim)
		default:
			continue
		}
		return fmt.Errorf("milvus: collection %s %s: %w", x.name, difference, ErrMismatch)
	}
	return nil
}

// ensureIndex creates the index on the vectors, or checks the existing one. If two processes
// create it at the same time, some servers return an error to one of them: ensureIndex then
// checks the index of the other.
func (x *Index) ensureIndex(ctx context.Context) error {
	found, err := x.describeIndex(ctx)
	if err == nil && len(found) == 0 {
		failed := classify(ctx, "create index", x.client.CreateIndex(ctx, x.name, fieldVector, x.indexType(), true))
		if failed == nil {
			return nil
		}
		if found, err = x.describeIndex(ctx); err == nil && len(found) == 0 {
			return failed
		}
	}
	if err != nil {
		return err
	}
	has, want := found[0].Params(), x.indexType().Params()
	for _, key := range []string{"index_type", "metric_type"} {
		if has[key] != want[key] {
			return fmt.Errorf("milvus: collection %s has %s %s, not %s: %w", x.name, key, has[key], want[key], ErrMismatch)
		}
	}
	return nil
}

// describeIndex returns the indexes on the vectors: one, or none before it is created.
func (x *Index) describeIndex(ctx context.Context) ([]entity.Index, error) {
	found, err := x.client.DescribeIndex(ctx, x.name, fieldVector)
	if err = classify(ctx, "describe index", err); errors.Is(err, errNoIndex) {
		return nil, nil
	}
	return found, err
}

// indexType returns the type and parameters of the index on the vectors.
func (x *Index) indexType() entity.Index {
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

// load makes Milvus load the collection into memory, and waits until it is loaded. If ctx ends
// first, Milvus continues loading.
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

// reloadInterval is the minimum time between two attempts to load a released
// collection.
const reloadInterval = time.Second

// reload asks Milvus to load a collection that was released from memory. It does not wait for
// that, and returns no error: the following calls fail if the collection is not loaded.
func (x *Index) reload(ctx context.Context) {
	x.repairing.Lock()
	defer x.repairing.Unlock()
	if time.Since(x.reloaded) < reloadInterval {
		return
	}
	x.reloaded = time.Now()
	x.log.WarnContext(ctx, "the vector collection was not loaded", "collection", x.name)
	_ = x.client.LoadCollection(ctx, x.name, true, client.WithReplicaNumber(x.config.Replicas))
}

// recreate creates an empty collection if Milvus lost it while the service was running. Until
// the vectors in the database are written to it again, searches find only what is written from
// now on.
func (x *Index) recreate(ctx context.Context) error {
	x.repairing.Lock()
	defer x.repairing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, x.config.Timeouts.Open)
	defer cancel()
	x.log.WarnContext(ctx, "the vector collection is missing: creating an empty one", "collection", x.name)
	return x.prepare(ctx)
}
