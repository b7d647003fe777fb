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

// writeBytes bounds the vectors of one request: Milvus takes messages of up
// to 64 MB, and cuts them into pieces of its own.
const writeBytes = 8 << 20

// Upsert implements vector.Index. Records that break its contract change
// nothing; where it fails later, some entries may be done, some of them in
// part: upsert them again.
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

// replace makes records the rows of their entries. It deletes and inserts:
// Milvus 2.3's own upsert chooses partitions by the primary key and not by
// the partition key, so that a search of the store does not find half of what
// it wrote; and it would leave the chunks that are no more.
func (x *Index) replace(ctx context.Context, entries []uuid.UUID, records []vector.Record) error {
	held, err := x.held(ctx, entries)
	if x.missed(err) {
		if err := x.remake(ctx); err != nil {
			return err
		}
		held, err = nil, nil
	}
	if err != nil {
		return err
	}
	if err := x.deleteRows(ctx, held); err != nil {
		return err
	}
	for part := range slices.Chunk(records, max(1, writeBytes/(4*x.config.Dim))) {
		if err := x.insertRows(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// held gives the keys of the rows that entries have. It sees everything that
// was written before.
func (x *Index) held(ctx context.Context, entries []uuid.UUID) ([]string, error) {
	var found client.ResultSet
	err := x.try(ctx, "look up", writeTries, x.config.Timeouts.Write, func(ctx context.Context) (err error) {
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
		err := x.try(ctx, "delete", writeTries, x.config.Timeouts.Write, func(ctx context.Context) error {
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
		ids[i], entries[i] = rowID(r.Entry, r.Chunk), r.Entry.String()
		stores[i], labels[i], chunks[i] = r.Store, int8(r.Label), int64(r.Chunk)
		vectors[i] = r.Vector.Floats()
	}
	return x.try(ctx, "insert", writeTries, x.config.Timeouts.Write, func(ctx context.Context) error {
		_, err := x.client.Insert(ctx, x.name, "",
			entity.NewColumnVarChar(fieldID, ids), entity.NewColumnVarChar(fieldEntry, entries),
			entity.NewColumnInt64(fieldStore, stores), entity.NewColumnInt8(fieldLabel, labels), entity.NewColumnInt64(fieldChunk, chunks),
			entity.NewColumnFloatVector(fieldVector, x.config.Dim, vectors))
		return err
	})
}
