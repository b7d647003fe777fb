package tool

import (
	"context"
	"errors"
	"strings"
	"time"

	"mneme/acl"
	"mneme/internal/condition"
	"mneme/memory"
	"mneme/server/wire"
)

// search searches all accessible stores, or the store that the call names, below its
// path.
func (m *memoryCall) search(ctx context.Context) (Result, error) {
	limit := wire.DefaultHits
	if m.given["limit"] {
		limit = m.limit
	}
	var stores []string
	var below memory.Filter
	if m.store != "" || m.given["path"] {
		p, err := m.storeNamed()
		if err != nil {
			return Result{}, err
		}
		if p.path != root { // the bare root names no store
			stores = []string{p.store}
		}
		if !p.top() {
			below = filterBelow(p)
		}
	}
	r, err := m.options.request(m.call, m.given, limit, stores)
	if err != nil {
		return Result{}, err
	}
	r.Filter.Namespace, r.Filter.Where = below.Namespace, condition.All(r.Filter.Where, below.Where)
	answer, err := m.hits(ctx, "", r, m.given["cursor"], m.searchHit)
	if err != nil {
		return Result{}, err
	}
	return asText(answer)
}

// filterBelow selects the entries that a delete of the path could delete: the entry and
// the entries below it.
func filterBelow(p resolvedPath) memory.Filter {
	below := condition.Compare(condition.Key, condition.Prefix, condition.Text(p.key+"/"))
	if !p.folder {
		below = condition.Any(below, condition.Compare(condition.Key, condition.Eq, condition.Text(p.key)))
	}
	return memory.Filter{Namespace: &defaultNamespace, Where: below}
}

// asText returns an object as a text result; the tool memory has no structured
// results.
func asText(object any) (Result, error) {
	text, err := encode(object)
	return Result{Text: text}, err
}

// pathOf returns the path of a key, or of the store's root if key is "".
func (m *memoryCall) pathOf(store, key string) string {
	path := root
	first, _, _ := strings.Cut(key, "/")
	if store != m.caller.Agent || first == shared {
		path += "/" + shared + "/" + store
	}
	if key != "" {
		path += "/" + key
	}
	return path
}

// storeNamed returns the store that the call names by path or by store, or
// otherwise the caller's own. The path may also name an entry or folder in
// it.
func (m *memoryCall) storeNamed() (resolvedPath, error) {
	path := root
	if m.given["path"] {
		path = m.path
	}
	p, err := m.parse(path)
	if err == nil && p.stores {
		err = refuse("Error: The path %s names no store; use /memories/shared/<store>/", p.path)
	}
	return p, err
}

// share grants a store to another agent.
func (m *memoryCall) share(ctx context.Context) (Result, error) {
	if err := need(m.given, "agent"); err != nil {
		return Result{}, err
	}
	p, err := m.storeNamed()
	if err != nil {
		return Result{}, err
	}
	if err := m.checkAgent(); err != nil {
		return Result{}, err
	}
	m.parameter = map[string]string{"grantee": "`agent`"}
	r := memory.ShareRequest{Store: p.store, Grantee: m.agent, Level: wire.DefaultLevel}
	if m.given["level"] {
		if r.Level, err = acl.ParseLevel(m.level); err != nil {
			return Result{}, refuse("Error: `level` must be search, read or readwrite")
		}
	}
	grant, err := m.service.Share(ctx, m.caller, r)
	if err != nil {
		return Result{}, err
	}
	return asText(struct {
		Shared  bool   `json:"shared"`
		StoreID string `json:"storeId"`
		Agent   string `json:"agent"`
		Level   string `json:"level"`
	}{true, grant.Store, grant.Grantee, grant.Level.String()})
}

// checkAgent checks that the parameter agent is a valid ID.
func (m *memoryCall) checkAgent() error {
	if err := acl.CheckID(m.agent); err != nil {
		return because(err, "Error: `agent`: %s", acl.ErrBadID)
	}
	return nil
}

// unshare revokes a grant that the caller made, or ends or refuses one that was made to it.
func (m *memoryCall) unshare(ctx context.Context) (Result, error) {
	if err := need(m.given, "agent"); err != nil {
		return Result{}, err
	}
	p, err := m.storeNamed()
	if err != nil {
		return Result{}, err
	}
	if err := m.checkAgent(); err != nil {
		return Result{}, err
	}
	dependents, err := m.service.Revoke(ctx, m.caller, p.store, m.agent, false)
	if errors.Is(err, memory.ErrNotFound) {
		return Result{}, because(err, "Error: The store is not shared with this agent")
	}
	if err != nil {
		return Result{}, err
	}
	var depended []string
	for _, g := range dependents {
		depended = append(depended, g.Grantee)
	}
	return asText(struct {
		Unshared bool     `json:"unshared"`
		StoreID  string   `json:"storeId"`
		Agent    string   `json:"agent"`
		Depended []string `json:"dependents,omitempty"` // agents whose grants depended on this one
	}{true, p.store, m.agent, depended})
}

// stores lists the stores that the caller can access.
func (m *memoryCall) stores(ctx context.Context) (Result, error) {
	infos, err := m.service.Stores(ctx, m.caller, "", "")
	if err != nil {
		return Result{}, err
	}
	type store struct {
		StoreID   string     `json:"storeId"`
		Kind      string     `json:"kind"`
		Level     string     `json:"level"`
		Path      string     `json:"path"`
		ExpiresAt *time.Time `json:"expiresAt,omitempty"`
		Accepted  *bool      `json:"accepted,omitempty"` // of a grant
	}
	answer := struct {
		Stores    any  `json:"stores"`
		Truncated bool `json:"truncated,omitempty"` // there are more
	}{}
	l, err := m.newList(answer)
	if err != nil {
		return Result{}, err
	}
	for _, info := range infos {
		fits, err := l.tryAdd(store{
			StoreID: info.Store, Kind: info.Kind, Level: info.Level.String(), Path: m.pathOf(info.Store, "") + "/", ExpiresAt: wire.Time(info.ExpiresAt),
			Accepted: wire.Accepted(info),
		})
		if err != nil {
			return Result{}, err
		}
		if answer.Truncated = !fits; !fits {
			break
		}
	}
	answer.Stores = l.items
	return asText(answer)
}
