package client

import (
	"context"
	"iter"

	"mneme/clients/go/api"
)

// pageLimit is the page size of the iterators: the server's maximum.
const pageLimit = 100

// List yields a store's entries, ordered by namespace and key. params filters them
// and may be nil; its Limit and Cursor are ignored. The iteration ends at the
// first error.
func (c *Client) List(ctx context.Context, store string, params *api.ListMemoriesParams) iter.Seq2[api.Entry, error] {
	var query api.ListMemoriesParams
	if params != nil {
		query = *params
	}
	return pages(func(cursor *api.Cursor, limit *api.Limit) ([]api.Entry, *api.NextCursor, error) {
		if err := checkSegments(store); err != nil {
			return nil, nil, err
		}
		query.Cursor, query.Limit = cursor, limit
		page, err := Decode[api.Page](c.ListMemories(ctx, store, &query))
		return page.Items, page.NextCursor, err
	})
}

// Versions yields the history of an entry, newest first.
func (c *Client) Versions(ctx context.Context, path Path) iter.Seq2[api.Entry, error] {
	return pages(func(cursor *api.Cursor, limit *api.Limit) ([]api.Entry, *api.NextCursor, error) {
		if err := path.check(); err != nil {
			return nil, nil, err
		}
		page, err := Decode[api.Page](c.ListVersions(ctx, path.Store, path.Key,
			&api.ListVersionsParams{Namespace: &path.Namespace, Cursor: cursor, Limit: limit}))
		return page.Items, page.NextCursor, err
	})
}

// Trash yields the deleted entries that the caller may restore, latest
// deletion first.
func (c *Client) Trash(ctx context.Context, store string) iter.Seq2[api.Trashed, error] {
	return pages(func(cursor *api.Cursor, limit *api.Limit) ([]api.Trashed, *api.NextCursor, error) {
		if err := checkSegments(store); err != nil {
			return nil, nil, err
		}
		page, err := Decode[api.TrashPage](c.ListTrash(ctx, store, &api.ListTrashParams{Cursor: cursor, Limit: limit}))
		return page.Items, page.NextCursor, err
	})
}

// changeWait is how long a request of Changes waits for a change, in seconds: the
// server's maximum.
const changeWait = 30

// Changes follows a store from a cursor, the NextCursor of an earlier page; ""
// means from now on. It yields the first page, which is empty for a cursor of "",
// and then each page with changes, waiting for them until ctx ends. Store the
// cursor of a page after applying its changes. The iteration ends at the first
// error. An error of status 410 means that the store must be read again, and
// followed from a new cursor.
func (c *Client) Changes(ctx context.Context, store, since string) iter.Seq2[api.ChangePage, error] {
	return func(yield func(api.ChangePage, error) bool) {
		limit, wait := 1000, 0
		for first := true; ; first = false {
			var page api.ChangePage
			err := checkSegments(store)
			if err == nil {
				params := api.ListChangesParams{Limit: &limit, Wait: &wait}
				if since != "" {
					params.Since = &since
				}
				page, err = Decode[api.ChangePage](c.ListChanges(ctx, store, &params))
			}
			if err != nil {
				yield(api.ChangePage{}, err)
				return
			}
			if (first || len(page.Changes) > 0) && !yield(page, nil) {
				return
			}
			since, wait = page.NextCursor, changeWait
		}
	}
}

// pages yields the items of all pages. read returns the page at a cursor, which is
// nil for the first page.
func pages[T any](read func(*api.Cursor, *api.Limit) ([]T, *api.NextCursor, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var cursor *api.Cursor
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
