package memory

import (
	"context"

	"mneme/acl"
)

// AccessRequest asks what an agent may reach in a session with a taint, in a chat and with a
// user. Empty fields mean none.
type AccessRequest struct {
	Agent      string
	Taint      acl.Label
	Chat, User string
}

// AgentAccess is what an agent may reach.
type AgentAccess struct {
	Settings acl.Settings
	Stores   []StoreAccess // ordered by store
}

// StoreAccess is an agent's level on a store, and where it comes from.
type StoreAccess struct {
	StoreInfo
	MaxLabel acl.Label  // the highest label that the agent may read there
	Grant    *acl.Grant // the grant that gives the level; nil if Kind is not grant
	// Makers are the agents on which the grant depends: its maker, the maker of that agent's
	// grant, and so on. The last one has the store as its own, by the platform, or by a chat or
	// user.
	Makers []string
}

// Access returns what an agent may reach, by the rules that apply to the agent's own searches.
// It takes a platform token. It reads no entry, and is neither counted nor charged.
func (a *Admin) Access(ctx context.Context, c Caller, r AccessRequest) (found AgentAccess, err error) {
	ids := []string{r.Agent}
	for _, id := range []string{r.Chat, r.User} {
		if id != "" {
			ids = append(ids, id)
		}
	}
	if err := platformOnly(c, ids...); err != nil {
		return found, err
	}
	if !r.Taint.Valid() {
		return found, rule("taint", "must be a label")
	}
	err = a.service.view(ctx, c, func(tx ReadTx) error {
		found = AgentAccess{}
		if found.Settings, err = tx.Settings(ctx, r.Agent); err != nil {
			return err
		}
		principal := acl.Principal{Agent: r.Agent, Taint: r.Taint, Chat: r.Chat, User: r.User}
		scope, err := acl.NewScope(ctx, tx, principal, acl.ScopeRequest{Unaccepted: true}, a.service.Instant())
		if err != nil {
			return err
		}
		for _, access := range scope.Stores() {
			info, err := a.service.infoOf(ctx, tx, access)
			if err != nil {
				return err
			}
			one := StoreAccess{StoreInfo: info, MaxLabel: access.Ceiling}
			if access.Via == acl.ViaGrant {
				if err := one.readChain(ctx, tx, r.Agent, access.Label); err != nil {
					return err
				}
			}
			found.Stores = append(found.Stores, one)
		}
		return nil
	})
	return found, err
}

// readChain reads the grant that gives an agent its level, and the grants on which it depends.
func (a *StoreAccess) readChain(ctx context.Context, tx accessReader, agent string, label acl.Label) error {
	for range acl.MaxLinks {
		grant, err := acl.GrantOf(ctx, tx, a.Store, agent, label)
		if err != nil || grant.Level == acl.None {
			return err
		}
		if a.Grant == nil {
			a.Grant = &grant
		}
		agent, label = grant.Maker, grant.Label
		a.Makers = append(a.Makers, agent)
		if grant.ByPlatform || agent == a.Store {
			return nil
		}
	}
	return nil
}
