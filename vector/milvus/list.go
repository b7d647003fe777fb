package milvus

import (
	"context"
	"errors"
	"fmt"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"mneme/vector"
)

// listPageSize is the number of rows that one query of List reads.
const listPageSize = 8192

// List implements vector.Lister. It lists every write that ended before the call.
func (x *Index) List(ctx context.Context, yield func(vector.IndexedEntry) error) error {
	var current *vector.IndexedEntry
	last := ""
	for {
		page, err := x.page(ctx, last)
		if errors.Is(err, ErrMissing) && last == "" {
			return x.recreate(ctx) // there is nothing to list
		}
		if err != nil {
			return err
		}
		for _, r := range page {
			if current != nil && r.Entry == current.Entry {
				current.Digest += r.Digest
				continue
			}
			if current != nil {
				if err := yield(*current); err != nil {
					return err
				}
			}
			current = &r.IndexedEntry
		}
		if len(page) < listPageSize {
			break
		}
		last = page[len(page)-1].id
	}
	if current != nil {
		return yield(*current)
	}
	return nil
}

// listRow is one row of a page. Its IndexedEntry has the digest of this row only.
type listRow struct {
	vector.IndexedEntry
	id string
}

// page reads the rows whose primary keys follow a given one, in key order.
func (x *Index) page(ctx context.Context, after string) ([]listRow, error) {
	var found client.ResultSet
	err := x.retry(ctx, "list", writeAttempts, x.config.Timeouts.Write, func(ctx context.Context) (err error) {
		found, err = x.client.Query(ctx, x.name, nil, fieldID+` > "`+after+`"`, []string{fieldID},
			client.WithLimit(listPageSize), client.WithSearchQueryConsistencyLevel(entity.ClStrong))
		return err
	})
	if err != nil {
		return nil, err
	}
	ids, ok := found.GetColumn(fieldID).(*entity.ColumnVarChar)
	if !ok {
		return nil, fmt.Errorf("milvus: list: %w: the reply lacks columns", ErrRefused)
	}
	page := make([]listRow, ids.Len())
	for i, id := range ids.Data() {
		entry, _, digest, err := parseRowID(id)
		if err != nil {
			return nil, fmt.Errorf("milvus: list: %w: invalid primary key", ErrMismatch)
		}
		if id <= after {
			return nil, fmt.Errorf("milvus: list: %w: rows out of order", ErrRefused)
		}
		after = id
		page[i] = listRow{vector.IndexedEntry{Entry: entry, Digest: digest}, id}
	}
	return page, nil
}

// Settle implements vector.Settler. Milvus answers a query at Strong
// consistency only after every earlier write is visible.
func (x *Index) Settle(ctx context.Context) error {
	err := x.retry(ctx, "settle", searchAttempts, x.config.Timeouts.Write, func(ctx context.Context) error {
		_, err := x.client.Query(ctx, x.name, nil, fieldStore+" == 0", []string{fieldID},
			client.WithLimit(1), client.WithSearchQueryConsistencyLevel(entity.ClStrong))
		return err
	})
	if x.noteMissing(err) {
		return x.recreate(ctx)
	}
	return err
}
