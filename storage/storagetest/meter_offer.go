package storagetest

import (
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

var offers = []clause{
	{"an offer is returned as written, replaced by the next", func(f *fixture) {
		first, other := offer("a"), offer("b")
		f.putOffers(first, other)
		next := first
		next.Title, next.Terms.PriceEntry, next.Caps, next.Version, next.State = "é", 0, meter.OfferCaps{}, 2, meter.OfferWithdrawn
		f.putOffers(next)
		f.viewMeter(func(tx meter.ReadTx) error {
			got, err := tx.Offer(f.ctx, first.ID)
			f.ok(err)
			f.equal(got, next)
			got, err = tx.Offer(f.ctx, other.ID)
			f.ok(err)
			f.equal(got, other)
			got, err = tx.Offer(f.ctx, newID())
			f.equal(got == nil, true)
			return err
		})
	}},

	{"OffersOn returns a store's offers by ID, withdrawn ones too", func(f *fixture) {
		list := []meter.Offer{offer("a", offeredAt(acl.Restricted)), offer("a", withdrawn), offer("a")}
		f.putOffers(list[2], offer("A"), list[0], list[1])
		f.viewMeter(func(tx meter.ReadTx) error {
			got, err := tx.OffersOn(f.ctx, "a")
			f.ok(err)
			f.equal(got, list)
			got, err = tx.OffersOn(f.ctx, "c\x00")
			f.equal(len(got), 0)
			return err
		})
	}},

	{"Offers pages through open offers up to the ceiling, by ID", func(f *fixture) {
		var list []meter.Offer
		for i := range 9 {
			list = append(list, offer(string(rune('a'+i)), offeredAt(acl.Label(1+i%3))))
		}
		list[4].State = meter.OfferWithdrawn
		shuffled := slices.Clone(list)
		slices.Reverse(shuffled)
		f.putOffers(shuffled...)
		page := func(ceiling acl.Label, after uuid.UUID, limit int) (got []meter.Offer) {
			f.viewMeter(func(tx meter.ReadTx) (err error) {
				got, err = tx.OpenOffers(f.ctx, ceiling, after, limit)
				return err
			})
			return got
		}
		visible := func(ceiling acl.Label) []meter.Offer {
			return slices.DeleteFunc(slices.Clone(list), func(o meter.Offer) bool { return o.Label > ceiling || o.State != meter.OfferOpen })
		}
		for _, ceiling := range []acl.Label{acl.Public, acl.Internal, acl.Restricted} {
			want := visible(ceiling)
			f.equal(page(ceiling, uuid.Nil, 100), want)
			f.equal(page(ceiling, uuid.Nil, 2), want[:2])
			f.equal(page(ceiling, want[0].ID, 1), want[1:2])
			f.equal(len(page(ceiling, want[len(want)-1].ID, 10)), 0)
		}
		f.equal(len(page(acl.Restricted, uuid.Nil, 0)), 0)
	}},

	{"a store is selling while an open offer stands on it, from the offer's label up", func(f *fixture) {
		selling := func(want bool) {
			f.Helper()
			f.view(func(tx memory.ReadTx) error {
				for ceiling := acl.Public; ceiling <= acl.Restricted; ceiling++ {
					got, err := tx.CountOffers(f.ctx, "a", ceiling)
					f.ok(err)
					f.equal(got > 0, want && ceiling >= acl.Confidential)
				}
				return nil
			})
		}
		selling(false)
		f.putOffers(offer("b"), offer("a", withdrawn))
		selling(false)
		o := offer("a", offeredAt(acl.Confidential))
		f.putOffers(o)
		selling(true)
		f.update(func(tx memory.Tx) error {
			f.ok(f.storage.ForMeter().Writing(tx).PutOffer(f.ctx, offer("c")))
			got, err := tx.CountOffers(f.ctx, "c", acl.Public)
			f.equal(got, int64(1))
			return err
		})
		withdrawn(&o)
		f.putOffers(o)
		selling(false)
	}},

	{"grants that others made on a store rest while it is selling", func(f *fixture) {
		grant := func(grantee, maker string, platform bool) acl.Grant {
			return acl.Grant{Store: "a", Grantee: grantee, Level: acl.Search, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: maker, ByPlatform: platform, CreatedAt: start}
		}
		metered := grant("buyer", "a", false)
		metered.Offer, metered.Terms = newID().String(), `{"price_search":1}`
		elsewhere := grant("g1", "b", false)
		elsewhere.Store = "z"
		above := grant("g5", "b", false)
		above.Label = acl.Confidential
		rest := map[string]bool{"g5": true, "g1": false, "g2": true, "g3": true, "g4": false, "buyer": false}
		f.update(func(tx memory.Tx) error {
			for _, g := range []acl.Grant{grant("g1", "a", false), grant("g2", "b", false), grant("g3", "b", true), grant("g4", "a", true), metered, elsewhere, above} {
				g.Rests = !g.Rests // ignored
				f.ok(tx.PutGrant(f.ctx, g))
			}
			return nil
		})
		check := func(tx memory.ReadTx, selling bool) {
			f.Helper()
			on, err := tx.Grants(f.ctx, acl.GrantQuery{Store: "a"})
			f.ok(err)
			f.equal(len(on), len(rest))
			for _, g := range on {
				f.equal([]any{g.Grantee, g.Rests}, []any{g.Grantee, selling && rest[g.Grantee]})
				one, err := acl.GrantOf(f.ctx, tx, "a", g.Grantee, acl.Restricted)
				f.ok(err)
				f.equal(one, g)
				to, err := tx.Grants(f.ctx, acl.GrantQuery{Grantee: g.Grantee})
				f.ok(err)
				f.equal(to[0], g)
			}
			other, err := acl.GrantOf(f.ctx, tx, "z", "g1", acl.Restricted)
			f.ok(err)
			f.equal(other.Rests, false)
		}
		f.view(func(tx memory.ReadTx) error { check(tx, false); return nil })
		o := offer("a")
		f.putOffers(o, offer("q"))
		f.view(func(tx memory.ReadTx) error { check(tx, true); return nil })
		f.update(func(tx memory.Tx) error { check(tx, true); return nil })
		withdrawn(&o)
		f.putOffers(o)
		f.view(func(tx memory.ReadTx) error { check(tx, false); return nil })
	}},

	{"a grant keeps its caps, offer and terms, and loses them when it is replaced", func(f *fixture) {
		g := acl.Grant{Store: "a", Grantee: "b", Level: acl.Search, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: "a", CreatedAt: start,
			Caps: acl.Caps{SearchesPerHour: 7, EntriesPerDay: 1 << 40}, Offer: newID().String(), Terms: `{"price_search": 1}`}
		plain := g
		plain.Caps, plain.Offer, plain.Terms = acl.Caps{}, "", ""
		for _, want := range []acl.Grant{g, plain, g} {
			f.update(func(tx memory.Tx) error { return tx.PutGrant(f.ctx, want) })
			f.view(func(tx memory.ReadTx) error {
				got, err := acl.GrantOf(f.ctx, tx, "a", "b", acl.Restricted)
				f.equal(got, want)
				return err
			})
		}
	}},
}
