package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"net/http"
	"time"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/memory"
)

// entrySource reads and writes one store as one agent.
type entrySource struct {
	client *client.Client
	store  string
}

// source returns a store, accessed as the given agent.
func (c *connection) source(agent, store string) (*entrySource, error) {
	as, err := c.client(agent)
	if err != nil {
		return nil, err
	}
	return &entrySource{client: as, store: store}, nil
}

// print writes, as NDJSON, the entries that the agent can list and that pass a filter,
// ordered by namespace and key.
func (s *entrySource) print(ctx context.Context, out io.Writer, filter *api.ExportMemoriesParams) error {
	lines, err := s.client.ExportLines(ctx, s.store, filter)
	if err != nil {
		return err
	}
	defer lines.Close()
	_, err = io.Copy(out, lines)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return client.ErrCutShort
	}
	return err
}

// entries yields the entries that the agent can list, ordered by namespace and
// key.
func (s *entrySource) entries(ctx context.Context) iter.Seq2[*memory.Entry, error] {
	return entriesOf(s.client.Export(ctx, s.store, nil), func(e api.Entry) (*memory.Entry, error) { return entryOf(e, nil) })
}

// trash yields the deleted entries that the agent may restore, latest deletion
// first. It yields nothing if the agent lacks write access.
func (s *entrySource) trash(ctx context.Context) iter.Seq2[*memory.Entry, error] {
	all := entriesOf(s.client.Trash(ctx, s.store), func(t api.Trashed) (*memory.Entry, error) {
		return entryOf(api.Entry{
			ID: t.ID, StoreID: t.StoreID, OwnerID: t.OwnerID, Namespace: t.Namespace, Key: t.Key, Label: t.Label,
			Value: t.Value, Type: t.Type, Description: t.Description, Tags: t.Tags, InContext: t.InContext,
			Encrypted: t.Encrypted, Source: t.Source, ExpiresAt: t.ExpiresAt, Version: t.Version,
			CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, UpdatedBy: t.UpdatedBy,
			TypeBy: t.TypeBy, DescriptionBy: t.DescriptionBy, OccurredAt: t.OccurredAt,
		}, &t.DeletedAt)
	})
	return func(yield func(*memory.Entry, error) bool) {
		for e, err := range all {
			if client.StatusOf(err) == http.StatusForbidden {
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// entriesOf converts the entries of an iterator, and stops at the first error.
func entriesOf[T any](all iter.Seq2[T, error], convert func(T) (*memory.Entry, error)) iter.Seq2[*memory.Entry, error] {
	return func(yield func(*memory.Entry, error) bool) {
		for one, err := range all {
			var e *memory.Entry
			if err == nil {
				e, err = convert(one)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// entryOf converts an entry of the API to the Service's type.
func entryOf(e api.Entry, deletedAt *time.Time) (*memory.Entry, error) {
	label, err := acl.ParseLabel(string(e.Label))
	if err != nil {
		return nil, client.ErrUnreadable
	}
	out := &memory.Entry{
		ID: e.ID, Path: memory.Path{Store: e.StoreID, Namespace: e.Namespace, Key: e.Key}, Owner: e.OwnerID, Label: label,
		Value: e.Value, Type: e.Type, Description: e.Description, Tags: e.Tags, InContext: e.InContext,
		Encrypted: e.Encrypted, Version: e.Version, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, UpdatedBy: e.UpdatedBy,
		TypeBy: e.OwnerID, DescriptionBy: e.OwnerID,
	}
	if e.TypeBy != nil {
		out.TypeBy = *e.TypeBy
	}
	if e.DescriptionBy != nil {
		out.DescriptionBy = *e.DescriptionBy
	}
	if e.Source != nil {
		out.Source = *e.Source
	}
	if e.ExpiresAt != nil {
		out.ExpiresAt = *e.ExpiresAt
	}
	if e.OccurredAt != nil {
		if out.OccurredAt, err = memory.ParseMoment(*e.OccurredAt); err != nil {
			return nil, client.ErrUnreadable
		}
	}
	if deletedAt != nil {
		out.DeletedAt = *deletedAt
	}
	return out, nil
}

// occupied is the reason why a deleted entry is refused if a live entry has its key.
const occupied = "a live entry has this key, so the deleted one cannot be restored to the trash"

// restoreToTrash creates an entry and deletes it. If it cannot, refused is the reason. It
// does not change a live entry with the same key.
func (s *entrySource) restoreToTrash(ctx context.Context, put memory.PutRequest) (refused string, err error) {
	line := importLine(put)
	if put.ExpiresAt != nil {
		left := time.Until(*put.ExpiresAt)
		if left <= 0 {
			return "expires_at: is in the past", nil
		}
		line.TTL = new(int64(math.Ceil(left.Seconds())))
	}
	stored, err := s.client.Put(ctx, pathOf(put.Path), api.Write{
		Value: line.Value, Type: line.Type, Description: line.Description, Tags: line.Tags,
		InContext: line.InContext, Encrypted: line.Encrypted, TTL: line.TTL, OccurredAt: line.OccurredAt, Source: line.Source,
	}, client.Conditions{New: len(put.If.NoneMatch) > 0})
	switch {
	case client.StatusOf(err) == http.StatusPreconditionFailed, err == nil && !stored.Created:
		return occupied, nil
	case err != nil:
		return refusalOf(err)
	}
	match := stored.ETag
	if put.ExpiresAt != nil {
		// Set the exact expiry by an import, since Put takes only whole seconds from now:
		// with a rounded expiry, the next import would not recognize the entry in the
		// trash. Put comes first because an import has no preconditions, and could
		// overwrite a live entry.
		_, err := s.client.Import(ctx, s.store, func(yield func(api.ImportLine, error) bool) { yield(importLine(put), nil) })
		if _, err := refusalOf(err); err != nil {
			return "", err
		}
		e, etag, err := s.client.Get(ctx, pathOf(put.Path))
		if err == nil && e.ID == stored.ID && e.Version == stored.Version+1 {
			match = etag
		}
	}
	return refusalOf(s.client.Delete(ctx, pathOf(put.Path), client.Conditions{Match: match}))
}

// remove deletes an entry. If the server refuses, refused is the reason.
func (s *entrySource) remove(ctx context.Context, path memory.Path) (refused string, err error) {
	return refusalOf(s.client.Delete(ctx, pathOf(path), client.Conditions{}))
}

func pathOf(p memory.Path) client.Path {
	return client.Path{Store: p.Store, Namespace: p.Namespace, Key: p.Key}
}

// refusalOf returns the reason if err concerns a single entry, or else err, which ends the
// command.
func refusalOf(err error) (refused string, _ error) {
	var problem *client.Error
	if errors.As(err, &problem) {
		switch problem.Status {
		case http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed,
			http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests:
			return problem.Reason(), nil
		}
	}
	return "", err
}
