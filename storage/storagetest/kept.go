package storagetest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"mneme/acl"
	"mneme/memory"
)

var keptFacts = []clause{
	{"a view reads the facts of its snapshot, whatever earlier ones have read", func(f *fixture) {
		rng := rand.New(rand.NewPCG(1, 2))
		f.put(entry("a", "first", says("needle")), entry("b", "first", says("needle hay")))
		scope := f.scope(reach{"a", acl.Restricted}, reach{"b", acl.Restricted})
		for i := range 40 {
			f.view(func(tx memory.ReadTx) error {
				before := f.someFacts(tx, scope)
				f.update(func(tx memory.Tx) error { return f.changeFact(tx, i, rng) })
				f.equal(f.someFacts(tx, scope), before)
				return nil
			})
			var now []string
			f.update(func(tx memory.Tx) error {
				now = f.someFacts(tx, scope)
				return nil
			})
			for range 2 {
				f.view(func(tx memory.ReadTx) error {
					f.equal(f.someFacts(tx, scope), now)
					return nil
				})
			}
		}
	}},
}

// changeFact changes a fact (a grant, a setting, ...) about agents a and b. i selects its kind.
func (f *fixture) changeFact(tx memory.Tx, i int, rng *rand.Rand) error {
	agents := []string{"a", "b"}
	of := rng.IntN(len(agents))
	one, other := agents[of], agents[1-of]
	switch i % 5 {
	case 0:
		level := acl.Level(rng.IntN(int(acl.ReadWrite) + 1)) // None removes the grant
		return tx.PutGrant(f.ctx, acl.Grant{Store: one, Grantee: other, Level: level, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: one, CreatedAt: start})
	case 1:
		return tx.PutMembership(f.ctx, acl.ViaChat, "x", one, acl.Membership{Present: rng.IntN(2) == 0})
	case 2:
		return tx.PutSettings(f.ctx, one, acl.Settings{Enabled: true, DefaultTTL: time.Duration(i)})
	case 3:
		return tx.PutReading(f.ctx, memory.ReadingChange{Store: one, Asked: true, Multilingual: acl.Label(1 + rng.IntN(int(acl.Restricted))), Mixed: acl.Label(rng.IntN(1 + int(acl.Restricted)))})
	}
	return put(f.ctx, tx, entry(one, fmt.Sprint(i), says("needle straw")))
}

// factReader is what someFacts reads: both a View and an Update have it.
type factReader interface {
	acl.Facts
	memory.FeedReader
	memory.LexicalLeg
}

// someFacts returns the known facts about agents a and b, each read twice.
func (f *fixture) someFacts(tx factReader, scope acl.Scope) (all []string) {
	add := func(fact any, err error) {
		f.Helper()
		f.ok(err)
		all = append(all, fmt.Sprintf("%+v", fact))
	}
	for range 2 {
		for _, agent := range []string{"a", "b"} {
			add(tx.Settings(f.ctx, agent))
			add(tx.Membership(f.ctx, acl.ViaChat, "x", agent))
			add(tx.Grants(f.ctx, acl.GrantQuery{Grantee: agent}))
			add(tx.Grants(f.ctx, acl.GrantQuery{Store: agent}))
			add(tx.StoreFacts(f.ctx, []string{agent}))
		}
		add(tx.Grants(f.ctx, acl.GrantQuery{Store: "a", Grantee: "b"}))
		add(tx.StoreFacts(f.ctx, []string{"a", "b"}))
		add(tx.Feed(f.ctx, memory.FeedQuery{Store: "a", Ceiling: acl.Restricted}, memory.FeedQuery{Store: "b", Ceiling: acl.Public}))
		hits, _, err := tx.Lexical(f.ctx, scope, memory.LexicalQuery{Terms: terms("needle"), Limit: 50, Now: start})
		sortTies(hits)
		add(hits, err)
	}
	return all
}
