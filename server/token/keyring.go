package token

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"mneme/acl"
	"mneme/internal/system"
)

// The kinds of credentials of a data directory.
const (
	KindAPIKey = "api-key"
	KindToken  = "token"
)

// The states of credentials.
const (
	StateValid   = "valid"
	StateExpired = "expired"
	StateRevoked = "revoked"
)

// Keyring lists and revokes the API keys and the issued tokens of a data directory, and
// creates API keys. It is safe for concurrent use, also by several processes.
type Keyring struct {
	keys   *APIKeys
	issued *Issued // nil: tokens of the local key are refused
	uses   *Uses   // nil: no use is recorded
}

// OpenKeyring opens the keyring of a data directory, which need not exist.
func OpenKeyring(dir string) (*Keyring, error) {
	keys, err := OpenAPIKeys(dir)
	if err != nil {
		return nil, err
	}
	issued, err := OpenIssued(dir)
	if err != nil {
		return nil, err
	}
	return &Keyring{keys, issued, OpenUses(dir)}, nil
}

// Keyring returns the keyring of the API keys and tokens that v verifies; v observes its
// changes at once. It is nil if v accepts no API keys.
func (v *Verifier) Keyring() *Keyring {
	if v.apiKeys == nil {
		return nil
	}
	return &Keyring{v.apiKeys, v.issued, v.uses}
}

// Listed is an API key or an issued token without its secret and the secret's hash.
type Listed struct {
	ID       string     `json:"id"`
	Name     string     `json:"name,omitempty"`
	Kind     string     `json:"kind"` // KindAPIKey or KindToken
	Agent    string     `json:"agent"`
	Taint    acl.Label  `json:"taint"`
	Scopes   []string   `json:"scopes"`
	Chat     string     `json:"chat,omitempty"`
	User     string     `json:"user,omitempty"`
	State    string     `json:"state"` // StateValid, StateExpired or StateRevoked
	IssuedAt time.Time  `json:"issued_at"`
	Expires  *time.Time `json:"expires_at,omitempty"` // nil: never
	LastUse  *time.Time `json:"last_used_at,omitempty"`
}

// List returns the API keys and tokens of an agent, or of all agents for "",
// oldest first.
func (r *Keyring) List(agent string, now time.Time) ([]Listed, error) {
	var uses map[string]time.Time
	if r.uses != nil {
		var err error
		if uses, err = r.uses.List(); err != nil {
			return nil, err
		}
	}
	list := []Listed{}
	add := func(kind string, read func() ([]APIKey, error)) error {
		found, err := read()
		for _, k := range found {
			if agent == "" || k.Agent == agent {
				list = append(list, k.listed(kind, uses, now))
			}
		}
		return err
	}
	if err := add(KindAPIKey, r.keys.List); err != nil {
		return nil, err
	}
	if r.issued != nil {
		if err := add(KindToken, r.issued.List); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b Listed) int { return a.IssuedAt.Compare(b.IssuedAt) }) // the files are in order of creation
	return list, nil
}

// Create creates an API key, as APIKeys.Create does. The credential is not listed.
func (r *Keyring) Create(p acl.Principal, name string, ttl time.Duration, now time.Time) (credential string, made Listed, err error) {
	credential, key, err := r.keys.create(p, name, ttl, now)
	if err != nil {
		return "", Listed{}, err
	}
	return credential, key.listed(KindAPIKey, nil, now), nil
}

// Revoke revokes the API key or the token with an ID. Revoking it again has no effect.
// The error is ErrUnknownKey if there is none.
func (r *Keyring) Revoke(id string, now time.Time) error {
	err := r.keys.Revoke(id, now)
	if r.issued == nil || !errors.Is(err, ErrUnknownKey) {
		return err
	}
	return r.issued.Revoke(id, now)
}

// IsUnwritable reports whether an error means that this process cannot write the files of
// a data directory.
func IsUnwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || system.IsReadOnly(err)
}

func (k APIKey) listed(kind string, uses map[string]time.Time, now time.Time) Listed {
	one := Listed{
		ID: k.ID, Name: k.Name, Kind: kind, Agent: k.Agent, Taint: k.Taint, Scopes: ScopesOf(k.Principal()), Chat: k.Chat, User: k.User,
		State: k.state(now), IssuedAt: k.CreatedAt,
	}
	if !k.ExpiresAt.IsZero() {
		one.Expires = new(k.ExpiresAt.Truncate(time.Second))
	}
	if at, used := uses[k.ID]; used {
		one.LastUse = &at
	}
	return one
}
