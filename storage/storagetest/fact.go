package storagetest

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

var idempotencyKey = memory.IdempotencyKey{Agent: "a", Taint: acl.Internal, Operation: "POST /x", Path: "p", Key: "k"}

var facts = []clause{
	{"a store has a number from its first entry on, always the same", func(f *fixture) {
		numbers := func() (numbers map[string]int64) {
			f.view(func(tx memory.ReadTx) (err error) {
				numbers, err = numbersOf(f.ctx, tx, "a", "A", "b", "a")
				return err
			})
			return numbers
		}
		f.equal(len(numbers()), 0)
		e := entry("a", "k", outOfContext)
		f.put(e, entry("b", "k"))
		first := numbers()
		f.equal(len(first), 2)
		if first["a"] <= 0 || first["b"] <= 0 || first["a"] == first["b"] {
			f.Fatalf("numbers are %v", first)
		}
		f.delete(e, after(-time.Hour))
		f.purge(start, 10)
		f.equal(numbers(), first)
	}},

	{"a grant is returned as written, replaced by the next, until it is deleted", func(f *fixture) {
		g := acl.Grant{Store: "a", Grantee: "b", Level: acl.Read, MaxLabel: acl.Internal, Label: acl.Public, Accepted: acl.Public, ExpiresAt: after(time.Hour), Maker: "a", CreatedAt: start}
		other := acl.Grant{Store: "a", Grantee: "B", Level: acl.ReadWrite, MaxLabel: acl.Restricted, Label: acl.Public, Accepted: acl.Public, Maker: "m", ByPlatform: true, CreatedAt: start}
		third := acl.Grant{Store: "C", Grantee: "b", Level: acl.Search, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: "C", CreatedAt: start}
		f.update(func(tx memory.Tx) error {
			for _, g := range []acl.Grant{{Store: "a", Grantee: "b", Level: acl.ReadWrite, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: "x", ByPlatform: true, CreatedAt: start}, g, other, third} {
				f.ok(tx.PutGrant(f.ctx, g))
			}
			return nil
		})
		f.view(func(tx memory.ReadTx) error {
			got, err := acl.GrantOf(f.ctx, tx, "a", "b", acl.Restricted)
			f.ok(err)
			f.equal(got, g)
			none, err := acl.GrantOf(f.ctx, tx, "b", "a", acl.Restricted)
			f.ok(err)
			f.equal(none == acl.Grant{}, true)
			to, err := tx.Grants(f.ctx, acl.GrantQuery{Grantee: "b"})
			f.ok(err)
			f.equal(to, []acl.Grant{third, g})
			on, err := tx.Grants(f.ctx, acl.GrantQuery{Store: "a"})
			f.equal(on, []acl.Grant{other, g})
			return err
		})
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PutGrant(f.ctx, acl.Grant{Store: "a", Grantee: "b", Label: acl.Public}))
			f.ok(tx.PutGrant(f.ctx, acl.Grant{Store: "a", Grantee: "b", Label: acl.Public}))
			on, err := tx.Grants(f.ctx, acl.GrantQuery{Store: "a"})
			f.equal(on, []acl.Grant{other})
			neither, _ := tx.Grants(f.ctx, acl.GrantQuery{})
			f.equal(len(neither), 0)
			return err
		})
	}},

	{"a store has a grant to an agent at each label, and counts them by label", func(f *fixture) {
		var grants []acl.Grant
		for label := acl.Public; label <= acl.Restricted; label++ {
			grants = append(grants, acl.Grant{Store: "a", Grantee: "b", Level: acl.Read, MaxLabel: acl.Public, Label: label, Accepted: label - 1, Maker: "a", CreatedAt: start})
		}
		f.update(func(tx memory.Tx) error {
			for i := range grants {
				f.ok(tx.PutGrant(f.ctx, grants[len(grants)-1-i]))
			}
			return nil
		})
		check := func(tx memory.ReadTx, want []acl.Grant) {
			f.Helper()
			for _, query := range []acl.GrantQuery{{Store: "a", Grantee: "b"}, {Store: "a"}, {Grantee: "b"}} {
				got, err := tx.Grants(f.ctx, query)
				f.ok(err)
				f.equal(got, want)
			}
			for label := acl.Public; label <= acl.Restricted; label++ {
				n, err := tx.CountGrants(f.ctx, "a", label)
				f.ok(err)
				f.equal(n == 1, slices.ContainsFunc(want, func(g acl.Grant) bool { return g.Label == label }))
			}
		}
		f.view(func(tx memory.ReadTx) error { check(tx, grants); return nil })
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PutGrant(f.ctx, acl.Grant{Store: "a", Grantee: "b", Label: acl.Internal}))
			check(tx, append(grants[:1:1], grants[2:]...))
			return nil
		})
	}},

	{"chat and user memberships are separate, and one that is not present is removed", func(f *fixture) {
		m := acl.Membership{Present: true, ExpiresAt: after(time.Hour)}
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PutMembership(f.ctx, acl.ViaChat, "x", "a", acl.Membership{Present: true}))
			f.ok(tx.PutMembership(f.ctx, acl.ViaChat, "x", "a", m))
			return tx.PutMembership(f.ctx, acl.ViaUser, "y", "a", acl.Membership{Present: true})
		})
		check := func(chat, agent string, participant, session acl.Membership) {
			f.Helper()
			f.view(func(tx memory.ReadTx) error {
				p, err := tx.Membership(f.ctx, acl.ViaChat, chat, agent)
				f.ok(err)
				f.equal(p, participant)
				s, err := tx.Membership(f.ctx, acl.ViaUser, chat, agent)
				f.equal(s, session)
				return err
			})
		}
		check("x", "a", m, acl.Membership{})
		check("y", "a", acl.Membership{}, acl.Membership{Present: true})
		check("x", "b", acl.Membership{}, acl.Membership{})
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PutMembership(f.ctx, acl.ViaChat, "x", "a", acl.Membership{}))
			return tx.PutMembership(f.ctx, acl.ViaUser, "y", "a", acl.Membership{})
		})
		check("x", "a", acl.Membership{}, acl.Membership{})
		check("y", "a", acl.Membership{}, acl.Membership{})
	}},

	{"settings are the default until they are written", func(f *fixture) {
		want := acl.Settings{Self: true, User: true, DefaultTTL: 90 * time.Minute, Locked: acl.SwitchEnabled | acl.SwitchChat}
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PutSettings(f.ctx, "a", acl.Settings{Enabled: true, Chat: true}))
			return tx.PutSettings(f.ctx, "a", want)
		})
		f.view(func(tx memory.ReadTx) error {
			got, err := tx.Settings(f.ctx, "a")
			f.ok(err)
			f.equal(got, want)
			other, err := tx.Settings(f.ctx, "b")
			f.equal(other, acl.DefaultSettings())
			return err
		})
	}},

	{"an ID has one kind: claiming another is ErrKindClash", func(f *fixture) {
		f.update(func(tx memory.Tx) error {
			f.ok(tx.ClaimName(f.ctx, "a", memory.KindCaller))
			f.ok(tx.ClaimName(f.ctx, "a", memory.KindCaller))
			f.wantError(tx.ClaimName(f.ctx, "a", memory.KindChat), memory.ErrKindClash)
			return tx.ClaimName(f.ctx, "c", memory.KindChat)
		})
		f.view(func(tx memory.ReadTx) error {
			for id, want := range map[string]memory.Kind{"a": memory.KindCaller, "c": memory.KindChat, "A": memory.KindUnknown} {
				kind, err := tx.KindOf(f.ctx, id)
				f.ok(err)
				f.equal(kind, want)
			}
			return nil
		})
	}},

	{"a database setting is stored, and nil before it is set", func(f *fixture) {
		f.update(func(tx memory.Tx) error {
			f.ok(tx.SetMeta(f.ctx, "x", []byte{1}))
			f.ok(tx.SetMeta(f.ctx, "empty", []byte{}))
			return tx.SetMeta(f.ctx, "x", []byte{0, 0xff, 'a'})
		})
		f.view(func(tx memory.ReadTx) error {
			x, err := tx.Meta(f.ctx, "x")
			f.ok(err)
			f.equal(x, []byte{0, 0xff, 'a'})
			empty, err := tx.Meta(f.ctx, "empty")
			f.ok(err)
			none, err := tx.Meta(f.ctx, "none")
			f.equal([]bool{empty != nil && len(empty) == 0, none == nil}, []bool{true, true})
			return err
		})
	}},

	{"an idempotency record is found by its whole key, and a second one is ErrExists", func(f *fixture) {
		record := memory.IdempotencyRecord{Digest: "d", Created: true, IDs: []uuid.UUID{uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())},
			Numbers: json.RawMessage(`{"n": 1}`), ExpiresAt: after(24 * time.Hour)}
		f.update(func(tx memory.Tx) error {
			f.ok(tx.PutOutcome(f.ctx, idempotencyKey, record))
			f.wantError(tx.PutOutcome(f.ctx, idempotencyKey, memory.IdempotencyRecord{ExpiresAt: start}), memory.ErrExists)
			return nil
		})
		for _, change := range []func(*memory.IdempotencyKey){
			func(k *memory.IdempotencyKey) { k.Agent = "b" }, func(k *memory.IdempotencyKey) { k.Taint = acl.Public },
			func(k *memory.IdempotencyKey) { k.Operation = "x" }, func(k *memory.IdempotencyKey) { k.Path = "x" }, func(k *memory.IdempotencyKey) { k.Key = "x" },
		} {
			key := idempotencyKey
			change(&key)
			f.view(func(tx memory.ReadTx) error {
				got, err := tx.IdempotencyRecord(f.ctx, key)
				f.equal(got == nil, true)
				return err
			})
		}
		f.view(func(tx memory.ReadTx) error {
			got, err := tx.IdempotencyRecord(f.ctx, idempotencyKey)
			f.equal(got, record)
			return err
		})
	}},
}

// storeFacts is a transaction that reads the facts about stores.
type storeFacts interface {
	StoreFacts(ctx context.Context, stores []string) (map[string]acl.StoreFacts, error)
}

// numbersOf returns the numbers of the stores that have one.
func numbersOf(ctx context.Context, tx storeFacts, stores ...string) (map[string]int64, error) {
	known, err := tx.StoreFacts(ctx, stores)
	numbers := make(map[string]int64)
	for store, facts := range known {
		if facts.Number != 0 {
			numbers[store] = facts.Number
		}
	}
	return numbers, err
}
