package milvus

import (
	"context"
	"errors"
	"fmt"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"mneme/acl"
	"mneme/vector"
)

// listPage is how many rows one query of List reads.
const listPage = 8192

// List implements vector.Lister. It reads the rows in the order of their keys
// and sees everything that was written before it began.
func (x *Index) List(ctx context.Context, yield func(vector.IndexedEntry) error) error {
	var now vector.IndexedEntry
	last := ""
	for {
		page, err := x.page(ctx, last)
		if errors.Is(err, ErrMissing) && last == "" {
			return x.remake(ctx) // it holds nothing
		}
		if err != nil {
			return err
		}
		for _, r := range page {
			if r.Entry != now.Entry {
				if now.Chunks > 0 {
					if err := yield(now); err != nil {
						return err
					}
				}
				now = r.IndexedEntry
				continue
			}
			now.Chunks++
			now.Inconsistent = now.Inconsistent || r.Store != now.Store || r.Label != now.Label
		}
		if len(page) < listPage {
			break
		}
		last = page[len(page)-1].id
	}
	if now.Chunks > 0 {
		return yield(now)
	}
	return nil
}

// heldRow is one row of a page, as an entry of one chunk.
type heldRow struct {
	vector.IndexedEntry
	id string
}

// page reads the rows that follow a key, in key order. An entry's rows lie
// side by side, since their keys begin with its id.
func (x *Index) page(ctx context.Context, after string) ([]heldRow, error) {
	var found client.ResultSet
	err := x.try(ctx, "list", writeTries, x.config.Timeouts.Write, func(ctx context.Context) (err error) {
		found, err = x.client.Query(ctx, x.name, nil, fieldID+` > "`+after+`"`, []string{fieldID, fieldStore, fieldLabel},
			client.WithLimit(listPage), client.WithSearchQueryConsistencyLevel(entity.ClStrong))
		return err
	})
	if err != nil {
		return nil, err
	}
	ids, ok := found.GetColumn(fieldID).(*entity.ColumnVarChar)
	stores, also := found.GetColumn(fieldStore).(*entity.ColumnInt64)
	labels, too := found.GetColumn(fieldLabel).(*entity.ColumnInt8)
	if !ok || !also || !too || ids.Len() != stores.Len() || ids.Len() != labels.Len() {
		return nil, fmt.Errorf("milvus: list: %w: the reply lacks columns", ErrRefused)
	}
	page := make([]heldRow, ids.Len())
	for i, id := range ids.Data() {
		entry, err := entryOf(id)
		if err != nil {
			return nil, fmt.Errorf("milvus: list: %w: a row has a strange key", ErrMismatch)
		}
		if id <= after {
			return nil, fmt.Errorf("milvus: list: %w: rows came out of order", ErrRefused)
		}
		after = id
		page[i] = heldRow{vector.IndexedEntry{Entry: entry, Chunks: 1, Store: stores.Data()[i], Label: acl.Label(labels.Data()[i])}, id}
	}
	return page, nil
}

// Settle implements vector.Settler: Milvus answers a query at Strong
// consistency only after it has taken in all that was written before.
func (x *Index) Settle(ctx context.Context) error {
	err := x.try(ctx, "settle", searchTries, x.config.Timeouts.Write, func(ctx context.Context) error {
		_, err := x.client.Query(ctx, x.name, nil, fieldStore+" == 0", []string{fieldID},
			client.WithLimit(1), client.WithSearchQueryConsistencyLevel(entity.ClStrong))
		return err
	})
	if x.missed(err) {
		return x.remake(ctx)
	}
	return err
}
