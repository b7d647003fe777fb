package rest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/rest/api"
	"mneme/server/token"
)

// ManageKeys lets platform tokens list, create and revoke the keys of a keyring. Without
// it these calls report that the server has no keys. It must be called before the first
// request.
func (s *Surface) ManageKeys(keyring *token.Keyring) { s.keyring = keyring }

// ListAPIKeys lists API keys and tokens.
func (s *Surface) ListAPIKeys(ctx context.Context, r api.ListAPIKeysRequestObject) (api.ListAPIKeysResponseObject, error) {
	if r.Params.Agent != nil {
		if err := checkID("agent", *r.Params.Agent); err != nil {
			return nil, err
		}
	}
	if err := s.service.Admin().MayManageKeys(caller(ctx)); err != nil {
		return nil, err
	}
	if s.keyring == nil {
		return nil, errNoKeyring()
	}
	found, err := s.keyring.List(or(r.Params.Agent, ""), s.service.Instant())
	if err != nil {
		return nil, keyProblem(err)
	}
	out := api.APIKeyList{Keys: make([]api.IssuedKey, len(found))}
	for i, one := range found {
		out.Keys[i] = apiKeyOf(one)
	}
	return api.ListAPIKeys200JSONResponse(out), nil
}

// CreateAPIKey creates an API key.
//
// SECURITY: only this answer ever contains the secret. The secret is neither logged nor
// recorded, so the call takes no Idempotency-Key.
func (s *Surface) CreateAPIKey(ctx context.Context, r api.CreateAPIKeyRequestObject) (api.CreateAPIKeyResponseObject, error) {
	wanted := *r.Body
	p := acl.Principal{Agent: wanted.Agent, Taint: acl.Public, Chat: or(wanted.Chat, ""), User: or(wanted.User, "")}
	for field, id := range map[string]*string{"agent": &wanted.Agent, "chat": wanted.Chat, "user": wanted.User} {
		if id == nil {
			continue
		}
		if err := checkID(field, *id); err != nil {
			return nil, err
		}
	}
	broken := keyFacts(&p, wanted)
	if err := s.service.Admin().MayManageKeys(caller(ctx), p); err != nil {
		return nil, err
	}
	ttl := or(duration(wanted.Ttl), 0)
	name := or(wanted.Name, "")
	if broken == nil {
		broken = memory.CheckTTL(ttl)
	}
	if err := token.CheckName(name); broken == nil && err != nil {
		broken = problem.In(problem.Rule, "name", err.Error())
	}
	if broken != nil {
		return nil, broken
	}
	if err := s.service.Admin().CheckKeyHolder(ctx, caller(ctx), p.Agent); err != nil {
		return nil, err
	}
	if s.keyring == nil {
		return nil, errNoKeyring()
	}
	secret, made, err := s.keyring.Create(p, name, ttl, s.service.Instant())
	if err != nil {
		return nil, keyProblem(err)
	}
	return api.CreateAPIKey201JSONResponse{
		Body:    api.MadeAPIKey{Secret: secret, Key: apiKeyOf(made)},
		Headers: api.CreateAPIKey201ResponseHeaders{CacheControl: "no-store"},
	}, nil
}

// keyFacts reads the taint and the scopes of a key into its principal. The error is a problem.
func keyFacts(p *acl.Principal, wanted api.APIKeyRequest) error {
	if wanted.Taint != nil {
		taint, err := acl.ParseLabel(string(*wanted.Taint))
		if err != nil {
			return problem.In(problem.Rule, "taint", err.Error())
		}
		p.Taint = taint
	}
	for _, scope := range or(wanted.Scopes, nil) {
		if !slices.Contains(token.Scopes, string(scope)) {
			return problem.In(problem.Rule, "scopes", "must be some of: "+strings.Join(token.Scopes, ", "))
		}
		if err := token.SetScope(p, string(scope)); err != nil {
			return err
		}
	}
	return nil
}

// RevokeAPIKey revokes an API key or a token.
func (s *Surface) RevokeAPIKey(ctx context.Context, r api.RevokeAPIKeyRequestObject) (api.RevokeAPIKeyResponseObject, error) {
	if err := s.service.Admin().MayManageKeys(caller(ctx)); err != nil {
		return nil, err
	}
	if s.keyring == nil {
		return nil, errNoKeyring()
	}
	if err := s.keyring.Revoke(r.Id, s.service.Instant()); err != nil {
		return nil, keyProblem(err)
	}
	return api.RevokeAPIKey204Response{}, nil
}

// errNoKeyring is the error of servers whose credentials do not come from a data
// folder.
func errNoKeyring() error {
	return problem.New(problem.Conflict, "this server takes no API keys from a data folder; its tokens are issued elsewhere, and end there")
}

// keyProblem turns an error of the keyring into a problem.
func keyProblem(err error) error {
	switch {
	case errors.Is(err, token.ErrUnknownKey):
		return problem.New(problem.NotFound, token.ErrUnknownKey.Error()).Because(err)
	case errors.Is(err, token.ErrTooManyKeys):
		p := problem.New(problem.Quota, token.ErrTooManyKeys.Error()).Because(err)
		p.Limit = "api_keys"
		return p
	case token.IsUnwritable(err):
		return problem.New(problem.Conflict, "the server cannot write the keys in its data folder: run mneme token as a user who may, or make the folder writable for the server").Because(err)
	}
	return problem.New(problem.Unavailable, "the keys in the data folder cannot be read or written at the moment; mneme doctor says why").Because(err)
}

func apiKeyOf(k token.Listed) api.IssuedKey {
	out := api.IssuedKey{
		Id: k.ID, Kind: api.IssuedKeyKind(k.Kind), Agent: k.Agent, Taint: api.Label(k.Taint.String()), Scopes: make([]api.Scope, len(k.Scopes)),
		State: api.IssuedKeyState(k.State), IssuedAt: k.IssuedAt.UTC(), ExpiresAt: utc(k.Expires), LastUsedAt: utc(k.LastUse),
	}
	for i, scope := range k.Scopes {
		out.Scopes[i] = api.Scope(scope)
	}
	for to, text := range map[**string]string{&out.Name: k.Name, &out.Chat: k.Chat, &out.User: k.User} {
		if text != "" {
			*to = &text
		}
	}
	return out
}

// utc returns a time in UTC, or nil for nil.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}
