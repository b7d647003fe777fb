package client

import (
	"context"
	"iter"
)

// pageLimit is the page size of the iterators: the server's maximum.
const pageLimit = 100

// List yields a store's entries, ordered by namespace and key. params filters them
// and may be nil; its Limit and Cursor are ignored. The iteration ends at the
// first error.
func (c *Client) List(ctx context.Context, store string, params *ListMemoriesParams) iter.Seq2[Entry, error] {
	var query ListMemoriesParams
	if params != nil {
		query = *params
	}
	return pages(func(cursor *Cursor, limit *Limit) ([]Entry, *NextCursor, error) {
		if err := checkSegments(store); err != nil {
			return nil, nil, err
		}
		query.Cursor, query.Limit = cursor, limit
		page, err := Decode[Page](c.ListMemories(ctx, store, &query))
		return page.Items, page.NextCursor, err
	})
}

// Versions yields the history of an entry, newest first.
func (c *Client) Versions(ctx context.Context, path Path) iter.Seq2[Entry, error] {
	return pages(func(cursor *Cursor, limit *Limit) ([]Entry, *NextCursor, error) {
		if err := path.check(); err != nil {
			return nil, nil, err
		}
		page, err := Decode[Page](c.ListVersions(ctx, path.Store, path.Key,
			&ListVersionsParams{Namespace: &path.Namespace, Cursor: cursor, Limit: limit}))
		return page.Items, page.NextCursor, err
	})
}

// Trash yields the deleted entries that the caller may restore, latest
// deletion first.
func (c *Client) Trash(ctx context.Context, store string) iter.Seq2[Trashed, error] {
	return pages(func(cursor *Cursor, limit *Limit) ([]Trashed, *NextCursor, error) {
		if err := checkSegments(store); err != nil {
			return nil, nil, err
		}
		page, err := Decode[TrashPage](c.ListTrash(ctx, store, &ListTrashParams{Cursor: cursor, Limit: limit}))
		return page.Items, page.NextCursor, err
	})
}

// pages yields the items of all pages. read returns the page at a cursor, which is
// nil for the first page.
func pages[T any](read func(*Cursor, *Limit) ([]T, *NextCursor, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var cursor *Cursor
		limit := pageLimit
		for {
			items, next, err := read(cursor, &limit)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			cursor = next
		}
	}
}
