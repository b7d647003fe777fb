package rest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// PutParticipant adds an agent to a chat.
func (s *Surface) PutParticipant(ctx context.Context, r api.PutParticipantRequestObject) (api.PutParticipantResponseObject, error) {
	if err := checkPair("chat", r.Chat, r.Agent); err != nil {
		return nil, err
	}
	err := s.service.Admin().PutParticipant(ctx, caller(ctx), r.Chat, r.Agent, duration(or(r.Body, api.Membership{}).Ttl))
	if err != nil {
		return nil, err
	}
	return api.PutParticipant204Response{}, nil
}

// DeleteParticipant removes an agent from a chat.
func (s *Surface) DeleteParticipant(ctx context.Context, r api.DeleteParticipantRequestObject) (api.DeleteParticipantResponseObject, error) {
	if err := checkPair("chat", r.Chat, r.Agent); err != nil {
		return nil, err
	}
	if err := s.service.Admin().DeleteParticipant(ctx, caller(ctx), r.Chat, r.Agent); err != nil {
		return nil, err
	}
	return api.DeleteParticipant204Response{}, nil
}

// PutSession opens an agent's session with a user.
func (s *Surface) PutSession(ctx context.Context, r api.PutSessionRequestObject) (api.PutSessionResponseObject, error) {
	if err := checkPair("user", r.User, r.Agent); err != nil {
		return nil, err
	}
	err := s.service.Admin().PutSession(ctx, caller(ctx), r.User, r.Agent, duration(or(r.Body, api.Membership{}).Ttl))
	if err != nil {
		return nil, err
	}
	return api.PutSession204Response{}, nil
}

// DeleteSession closes an agent's session with a user.
func (s *Surface) DeleteSession(ctx context.Context, r api.DeleteSessionRequestObject) (api.DeleteSessionResponseObject, error) {
	if err := checkPair("user", r.User, r.Agent); err != nil {
		return nil, err
	}
	if err := s.service.Admin().DeleteSession(ctx, caller(ctx), r.User, r.Agent); err != nil {
		return nil, err
	}
	return api.DeleteSession204Response{}, nil
}

func checkPair(field, of, agent string) error {
	if err := checkID(field, of); err != nil {
		return err
	}
	return checkID("agent", agent)
}

// GetSettings reads an agent's settings.
func (s *Surface) GetSettings(ctx context.Context, r api.GetSettingsRequestObject) (api.GetSettingsResponseObject, error) {
	if err := checkID("agent", r.Agent); err != nil {
		return nil, err
	}
	settings, err := s.service.Settings(ctx, caller(ctx), r.Agent)
	if err != nil {
		return nil, err
	}
	return api.GetSettings200JSONResponse(settingsOf(settings)), nil
}

// PutSettings writes an agent's settings.
func (s *Surface) PutSettings(ctx context.Context, r api.PutSettingsRequestObject) (api.PutSettingsResponseObject, error) {
	if err := checkID("agent", r.Agent); err != nil {
		return nil, err
	}
	settings := acl.Settings{
		Enabled: r.Body.Enabled, Self: r.Body.Self, Chat: r.Body.Chat, User: r.Body.User,
		DefaultTTL: or(duration(r.Body.DefaultTtl), 0),
	}
	err := s.service.PutSettings(ctx, caller(ctx), r.Agent, settings)
	if err == nil {
		settings, err = s.service.Settings(ctx, caller(ctx), r.Agent)
	}
	if err != nil {
		return nil, err
	}
	return api.PutSettings200JSONResponse(settingsOf(settings)), nil
}

// GetAgentAccess reports an agent's access.
func (s *Surface) GetAgentAccess(ctx context.Context, r api.GetAgentAccessRequestObject) (api.GetAgentAccessResponseObject, error) {
	if err := checkID("agent", r.Agent); err != nil {
		return nil, err
	}
	request := memory.AccessRequest{Agent: r.Agent, Taint: acl.Public, Chat: or(r.Params.Chat, ""), User: or(r.Params.User, "")}
	for field, id := range map[string]*string{"chat": r.Params.Chat, "user": r.Params.User} {
		if id == nil {
			continue
		}
		if err := checkID(field, *id); err != nil {
			return nil, err
		}
	}
	if r.Params.Taint != nil {
		request.Taint, _ = acl.ParseLabel(string(*r.Params.Taint)) // 0 is invalid and breaks a rule
	}
	found, err := s.service.Admin().Access(ctx, caller(ctx), request)
	if err != nil {
		return nil, err
	}
	out := api.AgentAccess{Agent: r.Agent, Taint: api.Label(request.Taint.String()), Settings: settingsOf(found.Settings), Stores: []api.AgentStore{}}
	for _, a := range found.Stores {
		one := api.AgentStore{Store: storeInfoOf(a.StoreInfo), MaxLabel: api.Label(a.MaxLabel.String()), Makers: append([]string{}, a.Makers...)}
		if a.Grant != nil {
			grant, err := grantOf(ctx, *a.Grant, true)
			if err != nil {
				return nil, err
			}
			one.Grant = &grant
		}
		out.Stores = append(out.Stores, one)
	}
	return api.GetAgentAccess200JSONResponse(out), nil
}

func settingsOf(s acl.Settings) api.Settings {
	out := api.Settings{Enabled: s.Enabled, Self: s.Self, Chat: s.Chat, User: s.User}
	if names := s.Locked.Names(); names != nil {
		out.Locked = &names
	}
	if s.DefaultTTL > 0 {
		seconds := int64(s.DefaultTTL / time.Second)
		out.DefaultTtl = &seconds
	}
	return out
}

// Purge erases deleted and expired entries.
func (s *Surface) Purge(ctx context.Context, r api.PurgeRequestObject) (api.PurgeResponseObject, error) {
	replay, err := s.replay(r.Params.IdempotencyKey, "POST /v1/admin/purge", nil, api.Purge{Before: r.Body.Before.UTC()})
	if err != nil {
		return nil, err
	}
	request := memory.PurgeRequest{Before: r.Body.Before, Wait: or(r.Body.Wait, false)}
	purged, err := s.service.Admin().Purge(ctx, caller(ctx), request, replay)
	if err != nil {
		return nil, err
	}
	out := api.Purged{Erased: len(purged.IDs), Ids: purged.IDs, ErasedOnDisk: wire.Time(purged.ErasedOnDisk)}
	if out.Ids == nil {
		out.Ids = []uuid.UUID{}
	}
	return api.Purge200JSONResponse(out), nil
}
