package rest

import (
	"context"
	"errors"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/wire"
)

// ListStores lists the stores that the caller can access.
func (s *Surface) ListStores(ctx context.Context, _ ListStoresRequestObject) (ListStoresResponseObject, error) {
	infos, err := s.service.Stores(ctx, caller(ctx), "", "")
	if err != nil {
		return nil, err
	}
	out := Stores{Stores: make([]StoreInfo, len(infos))}
	for i, info := range infos {
		out.Stores[i] = StoreInfo{
			StoreId: info.Store, Kind: StoreInfoKind(info.Kind), Level: Level(info.Level.String()), ExpiresAt: wire.Time(info.ExpiresAt),
		}
	}
	return ListStores200JSONResponse(out), nil
}

// ListGrants lists a store's grants.
func (s *Surface) ListGrants(ctx context.Context, r ListGrantsRequestObject) (ListGrantsResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	grants, err := s.service.Grants(ctx, caller(ctx), store)
	if err != nil {
		return nil, err
	}
	out := Grants{Grants: make([]Grant, len(grants))}
	for i, g := range grants {
		out.Grants[i] = grantOf(g)
	}
	return ListGrants200JSONResponse(out), nil
}

// PutGrant shares a store.
func (s *Surface) PutGrant(ctx context.Context, r PutGrantRequestObject) (PutGrantResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	if err := checkID("agent", r.Agent); err != nil {
		return nil, err
	}
	body := or(r.Body, Share{})
	request := memory.ShareRequest{Store: store, Grantee: r.Agent, TTL: duration(body.Ttl)}
	unknownLabel := false
	if body.Level != nil {
		if request.Level, err = acl.ParseLevel(string(*body.Level)); err != nil {
			request.Level = wire.NoLevel
		}
	}
	if body.MaxLabel != nil {
		if request.MaxLabel, err = acl.ParseLabel(string(*body.MaxLabel)); err != nil {
			request.Level, unknownLabel = wire.NoLevel, true
		}
	}
	grant, err := s.service.Share(ctx, caller(ctx), request)
	var broken *memory.RuleError
	if unknownLabel && errors.As(err, &broken) && broken.Field == "level" {
		return nil, &memory.RuleError{Field: "max_label", Rule: "must be PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED"}
	}
	if err != nil {
		return nil, err
	}
	return PutGrant200JSONResponse(grantOf(grant)), nil
}

// DeleteGrant revokes a grant.
func (s *Surface) DeleteGrant(ctx context.Context, r DeleteGrantRequestObject) (DeleteGrantResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	if err := checkID("agent", r.Agent); err != nil {
		return nil, err
	}
	if err := s.service.Unshare(ctx, caller(ctx), store, r.Agent); err != nil {
		return nil, err
	}
	return DeleteGrant204Response{}, nil
}

func grantOf(g acl.Grant) Grant {
	return Grant{
		StoreId: g.Store, Grantee: g.Grantee, Level: Level(g.Level.String()), MaxLabel: Label(g.MaxLabel.String()),
		Maker: g.Maker, ByPlatform: g.ByPlatform, CreatedAt: g.CreatedAt.UTC(), ExpiresAt: wire.Time(g.ExpiresAt),
	}
}
