package rest

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
	"mneme/meter"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// ListStores lists the stores that the caller can access.
func (s *Surface) ListStores(ctx context.Context, _ api.ListStoresRequestObject) (api.ListStoresResponseObject, error) {
	infos, err := s.service.Stores(ctx, caller(ctx), "", "")
	if err != nil {
		return nil, err
	}
	out := api.Stores{Stores: make([]api.StoreInfo, len(infos))}
	for i, info := range infos {
		out.Stores[i] = storeInfoOf(info)
	}
	return api.ListStores200JSONResponse{Body: out}, nil
}

func storeInfoOf(info memory.StoreInfo) api.StoreInfo {
	out := api.StoreInfo{
		StoreId: info.Store, Kind: api.StoreInfoKind(info.Kind), Level: api.Level(info.Level.String()), ExpiresAt: wire.Time(info.ExpiresAt),
		Accepted: wire.Accepted(info),
	}
	if info.Level >= acl.Read {
		read := storeLanguageOf(info)
		out.Language, out.Models, out.Why, out.Reading = &read.Language, &read.Models, &read.Why, read.Reading
	}
	return out
}

func storeLanguageOf(info memory.StoreInfo) api.StoreLanguage {
	out := api.StoreLanguage{
		StoreId: info.Store, Language: api.Language(info.Reading.Language.String()), Models: append([]string{}, info.Models...), Why: whyModels(info),
	}
	if p := info.Progress; p != nil {
		out.Reading = &api.ReadingProgress{Done: p.Done, Total: p.Total}
	}
	return out
}

// PutLanguage chooses which models read a store.
func (s *Surface) PutLanguage(ctx context.Context, r api.PutLanguageRequestObject) (api.PutLanguageResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	language, err := choice.ParseLanguage(string(r.Body.Language))
	if err != nil {
		language = wire.NoLanguage
	}
	info, err := s.service.SetLanguage(ctx, caller(ctx), store, language)
	if err != nil {
		return nil, err
	}
	return api.PutLanguage200JSONResponse(storeLanguageOf(info)), nil
}

// ListGrants lists a store's grants.
func (s *Surface) ListGrants(ctx context.Context, r api.ListGrantsRequestObject) (api.ListGrantsResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	grants, err := s.service.Grants(ctx, caller(ctx), store)
	if err != nil {
		return nil, err
	}
	out := api.Grants{}
	if out.Grants, err = grantsOf(ctx, grants); err != nil {
		return nil, err
	}
	return api.ListGrants200JSONResponse{Body: out}, nil
}

// grantsOf returns grants as answers show them.
func grantsOf(ctx context.Context, grants []memory.GrantInfo) (out []api.Grant, err error) {
	out = make([]api.Grant, len(grants))
	for i, g := range grants {
		if out[i], err = grantOf(ctx, g.Grant, g.InEffect); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// PutGrant shares a store.
func (s *Surface) PutGrant(ctx context.Context, r api.PutGrantRequestObject) (api.PutGrantResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	if err := checkID("agent", r.Agent); err != nil {
		return nil, err
	}
	body := or(r.Body, api.Share{})
	request := memory.ShareRequest{Store: store, Grantee: r.Agent, TTL: duration(body.Ttl), Caps: capsOf(body.Caps)}
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
	out, err := grantOf(ctx, grant, true)
	return api.PutGrant200JSONResponse(out), err
}

// AcceptGrant accepts a store shared with the caller.
func (s *Surface) AcceptGrant(ctx context.Context, r api.AcceptGrantRequestObject) (api.AcceptGrantResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	grant, err := s.service.AcceptGrant(ctx, caller(ctx), store)
	if err != nil {
		return nil, err
	}
	out, err := grantOf(ctx, grant, true)
	return api.AcceptGrant200JSONResponse(out), err
}

// DeleteGrant revokes a grant that the caller made, or ends or refuses one that was made to it.
func (s *Surface) DeleteGrant(ctx context.Context, r api.DeleteGrantRequestObject) (api.DeleteGrantResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	if err := checkID("agent", r.Agent); err != nil {
		return nil, err
	}
	cascade := or(r.Params.Cascade, false)
	dependents, err := s.service.Revoke(ctx, caller(ctx), store, r.Agent, cascade)
	if err != nil {
		return nil, err
	}
	if len(dependents) == 0 {
		return api.DeleteGrant204Response{}, nil
	}
	out := api.Revoked{Ended: cascade}
	if out.Dependents, err = grantsOf(ctx, dependents); err != nil {
		return nil, err
	}
	return api.DeleteGrant200JSONResponse(out), nil
}

// grantOf returns a grant as answers show it.
func grantOf(ctx context.Context, g acl.Grant, inEffect bool) (api.Grant, error) {
	out := api.Grant{
		Label: api.Label(g.Label.String()), InEffect: inEffect,
		StoreId: g.Store, Grantee: g.Grantee, Level: api.Level(g.Level.String()), MaxLabel: api.Label(g.MaxLabel.String()),
		Maker: g.Maker, ByPlatform: g.ByPlatform, CreatedAt: g.CreatedAt.UTC(), ExpiresAt: wire.Time(g.ExpiresAt),
	}
	// SECURITY: the sharing agent must not learn whether the grantee has used the
	// grant.
	if c := caller(ctx); c.Agent == g.Grantee {
		accepted := g.Accepted.CanFlowTo(c.Taint)
		out.Accepted = &accepted
	}
	if caps := g.Caps; caps != (acl.Caps{}) {
		out.Caps = &api.Caps{SearchesPerHour: positive(caps.SearchesPerHour), EntriesPerDay: positive(caps.EntriesPerDay)}
	}
	if g.Offer == "" {
		return out, nil
	}
	offer, err := uuid.Parse(g.Offer)
	if err != nil {
		return api.Grant{}, err
	}
	var terms meter.Terms
	if err := json.Unmarshal([]byte(g.Terms), &terms); err != nil {
		return api.Grant{}, err
	}
	shown := termsOf(terms)
	out.Offer, out.Terms = &offer, &shown
	return out, nil
}

// positive returns n, or nil if n stands for a default.
func positive(n int64) *int64 {
	if n <= 0 {
		return nil
	}
	return &n
}

// capsOf returns the caps of a request to share. A cap that is 0 or less
// becomes -1, which the service refuses: for the service, 0 means the default.
func capsOf(c *api.Caps) acl.Caps {
	if c == nil {
		return acl.Caps{}
	}
	given := func(n *int64) int64 {
		if n != nil && *n <= 0 {
			return -1
		}
		return or(n, 0)
	}
	return acl.Caps{SearchesPerHour: given(c.SearchesPerHour), EntriesPerDay: given(c.EntriesPerDay)}
}
