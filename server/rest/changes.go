package rest

import (
	"context"
	"time"

	"mneme/memory"
	"mneme/server"
	"mneme/server/rest/api"
)

// defaultChanges is the default limit of a page of changes.
const defaultChanges = 100

// ListChanges lists what has changed in a store.
func (s *Surface) ListChanges(ctx context.Context, r api.ListChangesRequestObject) (api.ListChangesResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	page, err := s.service.Changes(ctx, caller(ctx), memory.ChangesRequest{
		Store: store, Since: or(r.Params.Since, ""), Limit: or(r.Params.Limit, defaultChanges),
		Wait: time.Duration(or(r.Params.Wait, 0)) * time.Second, Stop: server.Stopping(ctx),
		Judge: func(ctx context.Context, ended bool) (memory.Caller, error) {
			p, err := server.Judge(ctx, ended)
			return memory.Caller{Principal: p, Internal: true}, err
		},
	})
	if err != nil {
		return nil, err
	}
	answer := api.ListChanges200JSONResponse{Changes: make([]api.Change, len(page.Changes)), NextCursor: page.Next}
	for i, c := range page.Changes {
		answer.Changes[i] = api.Change{Namespace: c.Namespace, Key: c.Key, Deleted: c.Version == 0, At: c.At.UTC()}
		if c.Version > 0 {
			answer.Changes[i].Version = &c.Version
		}
	}
	return answer, nil
}
