package rest

import (
	"context"
	"math"
	"net/http"
	"slices"
	"time"

	"mneme/memory"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// PutMemory writes an entry.
func (s *Surface) PutMemory(ctx context.Context, r api.PutMemoryRequestObject) (api.PutMemoryResponseObject, error) {
	path, err := entryPath(ctx, r.Store, r.Params.Namespace, r.Key)
	if err != nil {
		return nil, err
	}
	holds, err := conditions(r.Params.IfMatch, r.Params.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	wait, similar := r.Params.Wait != nil, or(r.Params.Similar, false)
	written, err := s.service.Put(ctx, caller(ctx), memory.PutRequest{
		Path: path, Value: r.Body.Value, Type: r.Body.Type, Description: r.Body.Description, Tags: r.Body.Tags,
		InContext: r.Body.InContext, Encrypted: r.Body.Encrypted, TTL: duration(r.Body.Ttl),
		OccurredAt: r.Body.OccurredAt, Timezone: or(r.Body.Timezone, ""), Source: or(r.Body.Source, nil),
		If: holds, Wait: wait, Similar: similar,
	})
	if err != nil {
		return nil, err
	}
	var indexed *bool
	if wait || similar {
		indexed = &written.Indexed
	}
	body, err := encodeWritten(&written.Entry, indexed, similarOf(written.Similar))
	if err != nil {
		return nil, err
	}
	answer := reply{status: http.StatusOK, body: body, etag: written.ETag}
	if written.Created {
		answer.status, answer.location = http.StatusCreated, location(written.Path)
	}
	return answer, nil
}

// GetMemory reads an entry.
func (s *Surface) GetMemory(ctx context.Context, r api.GetMemoryRequestObject) (api.GetMemoryResponseObject, error) {
	path, err := entryPath(ctx, r.Store, r.Params.Namespace, r.Key)
	if err != nil {
		return nil, err
	}
	holds, err := conditions(nil, r.Params.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	var found memory.Found
	if r.Params.AsOf == nil {
		found, err = s.service.Get(ctx, caller(ctx), path)
	} else {
		found, err = s.service.GetAsOf(ctx, caller(ctx), path, *r.Params.AsOf, or(r.Params.Timezone, ""))
	}
	if err != nil {
		return nil, err
	}
	if slices.Contains(holds.NoneMatch, "*") || slices.Contains(holds.NoneMatch, found.ETag) {
		return reply{status: http.StatusNotModified, etag: found.ETag}, nil
	}
	body, err := encodeEntry(&found.Entry)
	return reply{status: http.StatusOK, body: body, etag: found.ETag}, err
}

// DeleteMemory deletes an entry.
func (s *Surface) DeleteMemory(ctx context.Context, r api.DeleteMemoryRequestObject) (api.DeleteMemoryResponseObject, error) {
	path, err := entryPath(ctx, r.Store, r.Params.Namespace, r.Key)
	if err != nil {
		return nil, err
	}
	holds, err := conditions(r.Params.IfMatch, r.Params.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	if err := s.service.Delete(ctx, caller(ctx), path, holds); err != nil {
		return nil, err
	}
	return api.DeleteMemory204Response{}, nil
}

// ListMemories lists a store's entries.
func (s *Surface) ListMemories(ctx context.Context, r api.ListMemoriesRequestObject) (api.ListMemoriesResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	where, err := parseWhere(r.Params.Where)
	if err != nil {
		return nil, err
	}
	request := memory.ListRequest{
		Store:  store,
		Filter: memory.Filter{Namespace: r.Params.Namespace, Tags: or(r.Params.Tag, nil), Type: or(r.Params.Type, ""), Where: where, Timezone: or(r.Params.Timezone, "")},
		AsOf:   or(r.Params.AsOf, ""),
		Prefix: or(r.Params.Prefix, ""), Limit: or(r.Params.Limit, wire.DefaultPage), Cursor: or(r.Params.Cursor, ""),
	}
	if err := addMatch(&request.Filter, r.Params.Match); err != nil {
		return nil, err
	}
	return listing(func(yield func(memory.Found) error) (string, error) {
		return s.service.EachListed(ctx, caller(ctx), request, yield)
	}, encodeEntry), nil
}

// ListVersions lists an entry's history.
func (s *Surface) ListVersions(ctx context.Context, r api.ListVersionsRequestObject) (api.ListVersionsResponseObject, error) {
	path, err := entryPath(ctx, r.Store, r.Params.Namespace, r.Key)
	if err != nil {
		return nil, err
	}
	return listing(func(yield func(memory.Found) error) (string, error) {
		return s.service.EachVersion(ctx, caller(ctx), path, or(r.Params.Limit, wire.DefaultPage), or(r.Params.Cursor, ""), yield)
	}, encodeEntry), nil
}

// ListTrash lists deleted entries.
func (s *Surface) ListTrash(ctx context.Context, r api.ListTrashRequestObject) (api.ListTrashResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	request := memory.TrashRequest{Store: store, Limit: or(r.Params.Limit, wire.DefaultPage), Cursor: or(r.Params.Cursor, "")}
	return listing(func(yield func(memory.Found) error) (string, error) {
		return s.service.EachTrashed(ctx, caller(ctx), request, yield)
	}, encodeTrashed), nil
}

// RestoreMemory restores an older version or a deleted entry.
func (s *Surface) RestoreMemory(ctx context.Context, r api.RestoreMemoryRequestObject) (api.RestoreMemoryResponseObject, error) {
	path, err := entryPath(ctx, r.Store, r.Params.Namespace, r.Key)
	if err != nil {
		return nil, err
	}
	holds, err := conditions(r.Params.IfMatch, r.Params.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	body := or(r.Body, api.Restore{})
	replay, err := s.replay(r.Params.IdempotencyKey, "POST /v1/stores/{store}/memories/{key}/restore",
		[]string{path.Store, path.Namespace, path.Key}, body)
	if err != nil {
		return nil, err
	}
	restored, err := s.service.Restore(ctx, caller(ctx), memory.RestoreRequest{Path: path, Version: body.Version, If: holds, Idempotency: replay})
	if err != nil {
		return nil, err
	}
	text, err := encodeEntry(&restored.Entry)
	return reply{status: http.StatusOK, body: text, etag: restored.ETag}, err
}

// RenameMemory moves an entry.
func (s *Surface) RenameMemory(ctx context.Context, r api.RenameMemoryRequestObject) (api.RenameMemoryResponseObject, error) {
	path, err := entryPath(ctx, r.Store, r.Params.Namespace, r.Key)
	if err != nil {
		return nil, err
	}
	to, toStore := memory.NormalName(r.Body.To), path.Store
	if r.Body.ToStore != nil {
		if toStore, err = storeID(ctx, "to_store", *r.Body.ToStore); err != nil {
			return nil, err
		}
	}
	holds, err := conditions(r.Params.IfMatch, r.Params.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	replay, err := s.replay(r.Params.IdempotencyKey, "POST /v1/stores/{store}/memories/{key}/rename",
		[]string{path.Store, path.Namespace, path.Key}, api.Rename{To: to, ToNamespace: r.Body.ToNamespace, ToStore: &toStore})
	if err != nil {
		return nil, err
	}
	moved, err := s.service.Rename(ctx, caller(ctx), memory.RenameRequest{Path: path, To: to, ToNamespace: r.Body.ToNamespace, ToStore: toStore, If: holds, Idempotency: replay})
	if err != nil {
		return nil, err
	}
	body, err := encodeEntry(&moved.Entry)
	return reply{status: http.StatusOK, body: body, etag: moved.ETag, location: location(moved.Path)}, err
}

// duration converts a time to live in seconds. A value that overflows becomes
// the longest Duration, which the service refuses as too long.
func duration(seconds *api.Ttl) *time.Duration {
	if seconds == nil {
		return nil
	}
	d := time.Duration(math.MaxInt64)
	switch most := int64(math.MaxInt64 / time.Second); {
	case *seconds < -most:
		d = -1
	case *seconds <= most:
		d = time.Duration(*seconds) * time.Second
	}
	return &d
}
