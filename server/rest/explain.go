package rest

import (
	"context"

	"mneme/memory"
	"mneme/search"
	"mneme/server"
	"mneme/server/problem"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// addExplain sets what a search explains: its hits, or also the entry that the
// option names.
func addExplain(ctx context.Context, to *search.Request, option *api.ExplainOption) error {
	if option == nil {
		return nil
	}
	explain, entry, err := wire.ParseExplain(*option)
	if err != nil {
		return problem.In(problem.Malformed, "explain", err.Error())
	}
	if to.Explain = explain; entry == nil {
		return nil
	}
	path := memory.Path{Store: server.Principal(ctx).Agent, Namespace: entry.Namespace, Key: entry.Key}
	if entry.Store != nil {
		if path.Store, err = storeID(ctx, "explain.store", *entry.Store); err != nil {
			return err
		}
	}
	to.ExplainEntry = &path
	return nil
}
