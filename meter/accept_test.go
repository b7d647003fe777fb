package meter_test

import (
	"encoding/json"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/test/backendtest"
)

func TestAGrantKeepsItsAcceptedTerms(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		request := offered(2000, 500)
		request.Terms.GrantTTL = new(int64(3600))
		o, err := f.market.MakeOffer(f.ctx, sam, "sam", request, nil)
		f.wants(200, err)
		g := f.accept(ben, o)
		if g.Level != acl.Search || g.Maker != "sam" || g.ByPlatform || g.Offer != o.ID.String() || g.MaxLabel != acl.Public || !g.ExpiresAt.Equal(f.clock.Now().Add(time.Hour)) {
			f.Errorf("%+v", g)
		}
		_, err = f.market.ChangeOffer(f.ctx, sam, o.ID, offered(9, 9), memory.Preconditions{})
		f.wants(200, err)
		var terms meter.Terms
		f.write(func(tx meter.Tx) error {
			kept, err := acl.GrantOf(f.ctx, tx, "sam", "ben", acl.Restricted)
			if err != nil {
				return err
			}
			return json.Unmarshal([]byte(kept.Terms), &terms)
		})
		if terms != o.Terms {
			f.Errorf("%+v, want %+v", terms, o.Terms)
		}

		_, err = f.market.Accept(f.ctx, ben, o.ID, memory.Preconditions{}, nil)
		f.wants(409, err) // it keeps its terms
		f.clock.Advance(time.Hour)
		f.accept(ben, o)
		f.write(func(tx meter.Tx) error {
			renewed, err := acl.GrantOf(f.ctx, tx, "sam", "ben", acl.Restricted)
			if err != nil {
				return err
			}
			return json.Unmarshal([]byte(renewed.Terms), &terms)
		})
		if terms.PriceEntry != 9 {
			f.Errorf("%+v", terms)
		}
	})
}

func TestAcceptIsGuardedByTheOffersETag(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		o := f.offer(sam)
		changed, err := f.market.ChangeOffer(f.ctx, sam, o.ID, offered(1_000_000, 0), memory.Preconditions{})
		f.wants(200, err)
		_, err = f.market.Accept(f.ctx, ben, o.ID, matching(o.ETag), nil)
		f.wants(412, err)
		_, err = f.market.Accept(f.ctx, ben, o.ID, matching(changed.ETag), nil)
		f.wants(200, err)
	})
}

func TestACallerWithALevelCannotAccept(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		if _, err := f.memory.Share(f.ctx, sam, memory.ShareRequest{Store: "sam", Grantee: "ben", Level: acl.Search}); err != nil {
			f.Fatal(err)
		}
		if err := f.memory.Admin().PutSession(f.ctx, platform, "sam", "zoe", nil); err != nil {
			f.Fatal(err)
		}
		o := f.offer(sam)
		for _, c := range []memory.Caller{sam, ben, zoe} {
			_, err := f.market.Accept(f.ctx, c, o.ID, matching("stale"), nil)
			f.wants(409, err)
		}
		if err := f.memory.PutSettings(f.ctx, as("tom", acl.Public), "tom", acl.Settings{}); err != nil {
			f.Fatal(err)
		}
		_, err := f.market.Accept(f.ctx, as("tom", acl.Public), o.ID, memory.Preconditions{}, nil)
		f.wants(403, err)
	})
}

func TestAcceptingReplacesASuspendedGrant(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		if _, err := f.memory.Share(f.ctx, sam, memory.ShareRequest{Store: "sam", Grantee: "zoe", Level: acl.ReadWrite}); err != nil {
			f.Fatal(err)
		}
		if _, err := f.memory.Share(f.ctx, zoe, memory.ShareRequest{Store: "sam", Grantee: "ben", Level: acl.Search}); err != nil {
			f.Fatal(err)
		}
		if g := f.accept(ben, f.offer(sam)); g.Maker != "sam" || g.Offer == "" {
			f.Errorf("%+v", g)
		}
	})
}

func TestAcceptingWithAnIdempotencyKeyHappensOnce(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		o := f.offer(sam)
		first, err := f.market.Accept(f.ctx, ben, o.ID, matching(o.ETag), key("accept", ""))
		f.wants(200, err)
		f.clock.Advance(time.Minute)
		again, err := f.market.Accept(f.ctx, ben, o.ID, matching(o.ETag), key("accept", ""))
		if err != nil || again.Terms != first.Terms || !again.CreatedAt.Equal(first.CreatedAt) {
			f.Errorf("%+v, error %v, want %+v", again, err, first)
		}
		if err := f.memory.Unshare(f.ctx, sam, "sam", "ben"); err != nil {
			f.Fatal(err)
		}
		_, err = f.market.Accept(f.ctx, ben, o.ID, matching(o.ETag), key("accept", ""))
		f.wants(404, err)
	})
}

func TestMeteredGrantsCountAmongAStoresGrants(t *testing.T) {
	t.Parallel()
	f := open(t, backendtest.Embedded(), memory.Limits{Grants: 1})
	o := f.offer(sam)
	f.accept(ben, o)
	_, err := f.market.Accept(f.ctx, zoe, o.ID, memory.Preconditions{}, nil)
	f.wants(429, err)
}
