package main

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"

	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/cmd/mneme/foldersync"
	"mneme/memory"
)

// syncStore is the store of a synchronized folder, over the API.
type syncStore struct{ *entrySource }

// Entries implements foldersync.Store.
func (s syncStore) Entries(ctx context.Context) iter.Seq2[*memory.Entry, error] {
	return s.entries(ctx)
}

// Changes implements foldersync.Store.
func (s syncStore) Changes(ctx context.Context, since string) iter.Seq2[foldersync.Page, error] {
	return func(yield func(foldersync.Page, error) bool) {
		for page, err := range s.client.Changes(ctx, s.store, since) {
			if client.StatusOf(err) == http.StatusGone {
				err = errors.Join(foldersync.ErrFeed, err)
			}
			out := foldersync.Page{Next: page.NextCursor}
			for _, change := range page.Changes {
				out.Paths = append(out.Paths, memory.Path{Store: s.store, Namespace: change.Namespace, Key: change.Key})
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// Read implements foldersync.Store. It requests entries again if their values did not fit
// into an answer.
func (s syncStore) Read(ctx context.Context, paths []memory.Path) ([]*foldersync.Found, error) {
	found := make([]*foldersync.Found, len(paths))
	left := make([]int, len(paths))
	for n := range paths {
		left[n] = n
	}
	for len(left) > 0 {
		items := make([]api.BatchItem, len(left))
		for i, n := range left {
			items[i] = itemOf(api.BatchItemOp("get"), paths[n])
		}
		outcomes, err := s.batch(ctx, items)
		if err != nil {
			return nil, err
		}
		var again []int
		for i, o := range outcomes {
			n := left[i]
			switch {
			case o.Status == http.StatusNotFound:
			case o.Status == http.StatusRequestEntityTooLarge && i > 0:
				again = append(again, n)
			case o.Status == http.StatusRequestEntityTooLarge: // too large for any batch
				found[n], err = s.readAlone(ctx, paths[n])
			case o.Entry == nil || o.Etag == nil:
				err = errors.New(reasonOfItem(o))
			default:
				found[n], err = foundOf(*o.Entry, *o.Etag)
			}
			if err != nil {
				return nil, err
			}
		}
		left = again
	}
	return found, nil
}

// readAlone reads one entry with a separate call. Batches return entity tags with their
// quotes, which Get removes.
func (s syncStore) readAlone(ctx context.Context, path memory.Path) (*foldersync.Found, error) {
	e, etag, err := s.client.Get(ctx, pathOf(path))
	switch {
	case client.IsAbsent(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return foundOf(e, `"`+etag+`"`)
}

// foundOf returns an entry of the API; nil if it is not listed.
func foundOf(from api.Entry, etag string) (*foldersync.Found, error) {
	if !from.InContext {
		return nil, nil
	}
	e, err := entryOf(from, nil)
	if err != nil {
		return nil, err
	}
	return &foldersync.Found{Entry: e, ETag: etag}, nil
}

// Write implements foldersync.Store.
func (s syncStore) Write(ctx context.Context, writes []foldersync.Write) ([]foldersync.Outcome, error) {
	items := make([]api.BatchItem, len(writes))
	for n, w := range writes {
		items[n] = writeItem(w)
	}
	outcomes, err := s.batch(ctx, items)
	if err != nil {
		return nil, err
	}
	all := make([]foldersync.Outcome, len(writes))
	for n, o := range outcomes {
		switch {
		case o.Status < http.StatusMultipleChoices:
			if o.Etag != nil {
				all[n].ETag = *o.Etag
			}
		case o.Status == http.StatusPreconditionFailed, writes[n].Delete && o.Status == http.StatusNotFound:
			all[n].Changed = true
		default:
			all[n].Refused = reasonOfItem(o)
		}
	}
	return all, nil
}

// Rename implements foldersync.Store.
func (s syncStore) Rename(ctx context.Context, from, to memory.Path, etag string) (out foldersync.Outcome, err error) {
	err = s.patiently(ctx, func() error {
		_, tag, err := s.client.Rename(ctx, pathOf(from), pathOf(to), client.Conditions{Match: strings.Trim(etag, `"`)})
		out.ETag = `"` + tag + `"`
		return err
	})
	switch client.StatusOf(err) {
	case http.StatusPreconditionFailed, http.StatusNotFound:
		return foldersync.Outcome{Changed: true}, nil
	}
	out.Refused, err = refusalOf(err)
	return out, err
}

// maxTrashRead is the maximum number of deleted entries to search for one.
const maxTrashRead = 2000

// Trashed implements foldersync.Store. The latest deleted entries come first.
func (s syncStore) Trashed(ctx context.Context, id string) (at *memory.Path, later []string, err error) {
	count := 0
	others := make(map[memory.Path][]string)
	for e, err := range s.trash(ctx) {
		switch count++; {
		case err != nil:
			return nil, nil, err
		case e.ID.String() == id:
			return &e.Path, others[e.Path], nil
		case count == maxTrashRead:
			return nil, nil, nil
		}
		others[e.Path] = append(others[e.Path], e.ID.String())
	}
	return nil, nil, nil
}

// Restore implements foldersync.Store.
func (s syncStore) Restore(ctx context.Context, path memory.Path) (found *foldersync.Found, err error) {
	err = s.patiently(ctx, func() error {
		e, tag, err := s.client.Undelete(ctx, pathOf(path))
		if err != nil {
			return err
		}
		entry, err := entryOf(e, nil)
		found = &foldersync.Found{Entry: entry, ETag: `"` + tag + `"`}
		return err
	})
	if _, err := refusalOf(err); err != nil {
		return nil, err
	}
	return found, nil
}

// patiently makes a call, and repeats it while the server asks to wait.
func (s syncStore) patiently(ctx context.Context, call func() error) error {
	for waits := 0; ; waits++ {
		err := call()
		var refused *client.Error
		if !errors.As(err, &refused) || refused.RetryAfter == 0 || waits == maxWaits {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(refused.RetryAfter):
		}
	}
}

// maxWaits bounds how often a call waits for a busy server.
const maxWaits = 5

// batch sends items to the server. If a busy server asks to wait, it waits and sends them
// again.
func (s syncStore) batch(ctx context.Context, items []api.BatchItem) ([]api.BatchOutcome, error) {
	if len(items) == 0 {
		return nil, nil
	}
	var outcomes []api.BatchOutcome
	err := s.patiently(ctx, func() (err error) {
		outcomes, err = s.client.Batch(ctx, s.store, items, false, "")
		return err
	})
	if err == nil && len(outcomes) != len(items) {
		err = errMiscounted
	}
	return outcomes, err
}

func itemOf(op api.BatchItemOp, path memory.Path) api.BatchItem {
	item := api.BatchItem{Op: op, Key: path.Key}
	if path.Namespace != "" {
		item.Namespace = &path.Namespace
	}
	return item
}

// writeItem converts a write to an item of a batch.
func writeItem(w foldersync.Write) api.BatchItem {
	op := api.BatchItemOp("put")
	if w.Delete {
		op = "delete"
	}
	item := itemOf(op, w.Put.Path)
	if star := "*"; w.ETag == "" {
		item.IfNoneMatch = &star
	} else {
		item.IfMatch = &w.ETag
	}
	if w.Delete {
		return item
	}
	line := importLine(w.Put)
	item.Value, item.Type, item.Description, item.Tags, item.InContext = line.Value, line.Type, line.Description, line.Tags, line.InContext
	item.Encrypted, item.TTL, item.OccurredAt, item.Source = line.Encrypted, line.TTL, line.OccurredAt, line.Source
	return item
}

// reasonOfItem returns why an item was refused.
func reasonOfItem(o api.BatchOutcome) string {
	switch {
	case o.Problem == nil:
		return "the server's response cannot be read"
	case o.Problem.Detail != nil:
		return *o.Problem.Detail
	}
	return o.Problem.Title
}
