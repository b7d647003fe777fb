package milvus

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"mneme/vector"
)

// maxWriteBytes is the maximum size of one request's vectors. Milvus accepts
// messages of up to 64 MB.
const maxWriteBytes = 8 << 20

// Upsert implements vector.Index. If a record violates its contract, nothing is written. After
// any other error some entries may have been written, some of them only in part: upsert all of
// them again.
func (x *Index) Upsert(ctx context.Context, records []vector.Record) error {
	if err := vector.CheckRecords(records, x.config.Dim); err != nil {
		return err
	}
	byEntry := make(map[uuid.UUID][]vector.Record)
	var order []uuid.UUID
	for _, r := range records {
		if byEntry[r.Entry] == nil {
			order = append(order, r.Entry)
		}
		byEntry[r.Entry] = append(byEntry[r.Entry], r)
	}
	for batch := range slices.Chunk(order, maxInIDs) {
		var rows []vector.Record
		for _, id := range batch {
			rows = append(rows, byEntry[id]...)
		}
		if err := x.replace(ctx, batch, rows); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Delete implements vector.Index.
func (x *Index) Delete(ctx context.Context, entries []uuid.UUID) error {
	for batch := range slices.Chunk(entries, maxInIDs) {
		if err := x.replace(ctx, batch, nil); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// replace replaces the rows of the entries with records, by a delete and an insert. Milvus has
// an upsert, but that of version 2.3 assigns partitions by the primary key instead of the
// partition key, so that searches of a store would miss rows. It also would not remove chunks
// that an entry no longer has.
func (x *Index) replace(ctx context.Context, entries []uuid.UUID, records []vector.Record) error {
	old, err := x.rowIDs(ctx, entries)
	if x.noteMissing(err) {
		if err := x.recreate(ctx); err != nil {
			return err
		}
		old, err = nil, nil
	}
	if err != nil {
		return err
	}
	if err := x.deleteRows(ctx, old); err != nil {
		return err
	}
	for part := range slices.Chunk(records, max(1, maxWriteBytes/(4*x.config.Dim))) {
		if err := x.insertRows(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// rowIDs returns the primary keys of the entries' rows, including those that were written just
// before.
func (x *Index) rowIDs(ctx context.Context, entries []uuid.UUID) ([]string, error) {
	var found client.ResultSet
	err := x.retry(ctx, "look up", writeAttempts, x.config.Timeouts.Write, func(ctx context.Context) (err error) {
		found, err = x.client.Query(ctx, x.name, nil, inEntries(entries), []string{fieldID},
			client.WithSearchQueryConsistencyLevel(entity.ClStrong))
		return err
	})
	if err != nil {
		return nil, err
	}
	ids, ok := found.GetColumn(fieldID).(*entity.ColumnVarChar)
	if !ok {
		return nil, fmt.Errorf("milvus: look up: %w: the reply lacks columns", ErrRefused)
	}
	return ids.Data(), nil
}

func (x *Index) deleteRows(ctx context.Context, ids []string) error {
	for part := range slices.Chunk(ids, maxInIDs) {
		err := x.retry(ctx, "delete", writeAttempts, x.config.Timeouts.Write, func(ctx context.Context) error {
			return x.client.Delete(ctx, x.name, "", inRows(part))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) insertRows(ctx context.Context, records []vector.Record) error {
	ids, entries := make([]string, len(records)), make([]string, len(records))
	stores, labels, chunks := make([]int64, len(records)), make([]int8, len(records)), make([]int64, len(records))
	vectors := make([][]float32, len(records))
	for i, r := range records {
		ids[i], entries[i] = rowID(r), r.Entry.String()
		stores[i], labels[i], chunks[i] = r.Store, int8(r.Label), int64(r.Chunk)
		vectors[i] = r.Vector.Floats()
	}
	return x.retry(ctx, "insert", writeAttempts, x.config.Timeouts.Write, func(ctx context.Context) error {
		_, err := x.client.Insert(ctx, x.name, "",
			entity.NewColumnVarChar(fieldID, ids), entity.NewColumnVarChar(fieldEntry, entries),
			entity.NewColumnInt64(fieldStore, stores), entity.NewColumnInt8(fieldLabel, labels), entity.NewColumnInt64(fieldChunk, chunks),
			entity.NewColumnFloatVector(fieldVector, x.config.Dim, vectors))
		return err
	})
}
