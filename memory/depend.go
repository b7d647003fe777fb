package memory

import (
	"context"
	"time"

	"mneme/acl"
)

// GrantInfo is a grant with its current effect.
type GrantInfo struct {
	acl.Grant
	// InEffect says that the grant gives a level: it has not expired, its maker has readwrite
	// on the store, and no offer suspends it.
	InEffect bool
}

// grantsIn is an acl.Facts that caches the facts about one store: all of its grants, and the
// memberships read so far. Following many chains of makers then needs few queries.
type grantsIn struct {
	acl.Facts
	store   string
	grants  []acl.Grant
	members map[memberOf]acl.Membership
}

type memberOf struct {
	via   acl.Via
	agent string
}

func readGrants(ctx context.Context, facts acl.Facts, store string) (*grantsIn, error) {
	grants, err := facts.Grants(ctx, acl.GrantQuery{Store: store})
	return &grantsIn{Facts: facts, store: store, grants: grants, members: make(map[memberOf]acl.Membership)}, err
}

// Grants implements acl.Facts.
func (g *grantsIn) Grants(_ context.Context, q acl.GrantQuery) (found []acl.Grant, _ error) {
	for i := range g.grants {
		if q.Store == g.store && (q.Grantee == "" || q.Grantee == g.grants[i].Grantee) {
			found = append(found, g.grants[i])
		}
	}
	return found, nil
}

// Membership implements acl.Facts.
func (g *grantsIn) Membership(ctx context.Context, via acl.Via, of, agent string) (acl.Membership, error) {
	key := memberOf{via, agent}
	if m, ok := g.members[key]; ok && of == g.store {
		return m, nil
	}
	m, err := g.Facts.Membership(ctx, via, of, agent)
	if err == nil && of == g.store {
		g.members[key] = m
	}
	return m, err
}

// visible returns the unexpired grants that exist for the caller's session.
func (g *grantsIn) visible(ctx context.Context, c Caller, now time.Time) ([]GrantInfo, error) {
	var infos []GrantInfo
	for _, grant := range g.grants {
		if hasExpired(grant, now) || !grant.Label.CanFlowTo(c.Taint) {
			continue
		}
		in, err := acl.InEffect(ctx, g, grant, now)
		if err != nil {
			return nil, err
		}
		infos = append(infos, GrantInfo{grant, in})
	}
	return infos, nil
}

// revoke removes the grant gone. It returns the other grants that are no longer in effect
// without it, as far as they exist for the caller's session. With cascade it removes these too.
func revoke(ctx context.Context, tx Tx, c Caller, gone acl.Grant, cascade bool, now time.Time) ([]GrantInfo, error) {
	if err := tx.PutGrant(ctx, acl.Grant{Store: gone.Store, Grantee: gone.Grantee, Label: gone.Label}); err != nil {
		return nil, err
	}
	if gone.Level != acl.ReadWrite { // an agent with a lower level makes no grants
		return nil, nil
	}
	before, err := readGrants(ctx, tx, gone.Store)
	if err != nil {
		return nil, err
	}
	after := *before
	before.grants = append(before.grants[:len(before.grants):len(before.grants)], gone)
	held, err := before.visible(ctx, c, now)
	if err != nil {
		return nil, err
	}
	var dependents []GrantInfo
	for _, info := range held {
		if !info.InEffect || info.Grantee == gone.Grantee && info.Label == gone.Label {
			continue
		}
		in, err := acl.InEffect(ctx, &after, info.Grant, now)
		if err != nil {
			return nil, err
		}
		if in {
			continue
		}
		info.InEffect = false
		dependents = append(dependents, info)
		if cascade {
			if err := tx.PutGrant(ctx, acl.Grant{Store: info.Store, Grantee: info.Grantee, Label: info.Label}); err != nil {
				return nil, err
			}
		}
	}
	return dependents, nil
}
