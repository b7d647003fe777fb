package meter_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/test/backendtest"
)

func TestAnOfferHasItsMakersLabelAndItsDefaults(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		made := f.offer(as("sam", acl.Internal))
		want := meter.Terms{
			PriceSearch: 2000, PriceEntry: 500, NoveltyPercent: 20, MaxHits: 10, SearchesPerMinute: 60,
			SearchesPerDay: 1000, EntriesPerDay: 200, EntriesTotal: 500, MaxLabel: acl.Internal,
		}
		if made.Terms != want || made.Label != acl.Internal || made.Seller != "sam" || made.Store != "sam" || made.State != meter.OfferOpen || made.Version != 1 || made.ETag == "" {
			f.Errorf("%+v", made)
		}
		found, err := f.market.Offer(f.ctx, as("ben", acl.Restricted), made.ID)
		if err != nil || found.ETag != made.ETag || found.Terms != want {
			f.Errorf("%+v, error %v", found, err)
		}
	})
}

func TestOnlyTheStoresOwnAgentMakesOffers(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		full := acl.ReadWrite
		if _, err := f.memory.Share(f.ctx, sam, memory.ShareRequest{Store: "sam", Grantee: "ben", Level: full}); err != nil {
			f.Fatal(err)
		}
		made := f.offer(sam)
		for _, c := range []memory.Caller{ben, zoe, platform} {
			_, err := f.market.MakeOffer(f.ctx, c, "sam", offered(1, 1), nil)
			f.wants(403, err)
			_, err = f.market.OffersOn(f.ctx, c, "sam")
			f.wants(403, err)
			_, err = f.market.ChangeOffer(f.ctx, c, made.ID, meter.OfferRequest{Title: new("")}, memory.Preconditions{})
			f.wants(403, err)
			f.wants(403, f.market.WithdrawOffer(f.ctx, c, made.ID, memory.Preconditions{}))
		}
		_, err := f.market.MakeOffer(f.ctx, sam, "..", offered(1, 1), nil)
		f.wants(400, err)
		_, err = f.market.MakeOffer(f.ctx, sam, "sam", meter.OfferRequest{Title: new("x")}, nil)
		f.wants(422, err)
		if err := f.memory.PutSettings(f.ctx, sam, "sam", acl.Settings{Enabled: true}); err != nil {
			f.Fatal(err)
		}
		_, err = f.market.MakeOffer(f.ctx, sam, "sam", offered(1, 1), nil)
		f.wants(403, err) // the settings disable the agent's own store
	})
}

func TestAnOfferExistsOnlyForTaintsThatReachIt(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		secret := f.offer(as("sam", acl.Confidential))
		absent := uuid.New()
		for _, c := range []memory.Caller{sam, ben} {
			calls := map[string]func(uuid.UUID) error{
				"Offer": func(id uuid.UUID) error { _, err := f.market.Offer(f.ctx, c, id); return err },
				"ChangeOffer": func(id uuid.UUID) error {
					_, err := f.market.ChangeOffer(f.ctx, c, id, offered(1, 1), matching(secret.ETag))
					return err
				},
				"a bad ChangeOffer": func(id uuid.UUID) error {
					_, err := f.market.ChangeOffer(f.ctx, c, id, meter.OfferRequest{Title: new("")}, memory.Preconditions{})
					return err
				},
				"WithdrawOffer": func(id uuid.UUID) error { return f.market.WithdrawOffer(f.ctx, c, id, memory.Preconditions{}) },
				"Accept": func(id uuid.UUID) error {
					_, err := f.market.Accept(f.ctx, c, id, matching(secret.ETag), nil)
					return err
				},
			}
			for name, call := range calls {
				hidden, missing := call(secret.ID), call(absent)
				if hidden == nil || missing == nil || hidden.Error() != missing.Error() || statusOf(hidden) != statusOf(missing) {
					f.Errorf("%s: hidden %v, absent %v", name, hidden, missing)
				}
			}
			page, err := f.market.Offers(f.ctx, c, 100, "")
			if err != nil || len(page.Items) != 0 {
				f.Errorf("%v, error %v", page, err)
			}
		}
		mine, err := f.market.OffersOn(f.ctx, sam, "sam")
		if err != nil || len(mine) != 0 {
			f.Errorf("%v, error %v", mine, err)
		}
		if mine, err = f.market.OffersOn(f.ctx, as("sam", acl.Restricted), "sam"); err != nil || len(mine) != 1 {
			f.Errorf("%v, error %v", mine, err)
		}
		_, err = f.market.Offer(f.ctx, as("zoe", acl.Confidential), secret.ID)
		f.wants(200, err)
	})
}

func TestAnOfferIsChangedOnlyAtItsOwnLabel(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		public := f.offer(sam)
		higher := as("sam", acl.Internal)
		_, err := f.market.ChangeOffer(f.ctx, higher, public.ID, offered(1, 1), matching("stale"))
		f.wants(409, err)
		f.wants(409, f.market.WithdrawOffer(f.ctx, higher, public.ID, matching("stale")))

		changed, err := f.market.ChangeOffer(f.ctx, sam, public.ID, meter.OfferRequest{Terms: meter.TermsRequest{PriceEntry: new(int64(7))}}, matching(public.ETag))
		f.wants(200, err)
		if changed.Terms.PriceEntry != 7 || changed.Terms.PriceSearch != 2000 || changed.Title != public.Title || changed.Version != 2 || changed.ETag == public.ETag {
			f.Errorf("%+v", changed)
		}
		_, err = f.market.ChangeOffer(f.ctx, sam, public.ID, offered(1, 1), matching(public.ETag))
		f.wants(412, err)
		f.wants(412, f.market.WithdrawOffer(f.ctx, sam, public.ID, matching(public.ETag)))
		_, err = f.market.ChangeOffer(f.ctx, sam, public.ID, meter.OfferRequest{Terms: meter.TermsRequest{MaxLabel: new(acl.Internal)}}, memory.Preconditions{})
		f.wants(422, err)
	})
}

func TestOnlyItsSellerAndBuyersSeeAWithdrawnOffer(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		o := f.offer(sam)
		f.accept(ben, o)
		f.wants(200, f.market.WithdrawOffer(f.ctx, sam, o.ID, matching(o.ETag)))

		for c, status := range map[*memory.Caller]int{&sam: 200, &ben: 200, &zoe: 404} {
			_, err := f.market.Offer(f.ctx, *c, o.ID)
			f.wants(status, err)
		}
		_, err := f.market.Accept(f.ctx, zoe, o.ID, memory.Preconditions{}, nil)
		f.wants(404, err)
		_, err = f.market.ChangeOffer(f.ctx, sam, o.ID, offered(1, 1), memory.Preconditions{})
		f.wants(409, err)
		f.wants(409, f.market.WithdrawOffer(f.ctx, sam, o.ID, memory.Preconditions{}))
		page, err := f.market.Offers(f.ctx, zoe, 10, "")
		if err != nil || len(page.Items) != 0 {
			f.Errorf("%v, error %v", page, err)
		}
		if err := f.memory.Authorize(f.ctx, ben, "sam", acl.Search); err != nil {
			f.Errorf("a grant of a withdrawn offer has ended: %v", err)
		}
	})
}

func TestMakingAnOfferWithAnIdempotencyKeyHappensOnce(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		first, err := f.market.MakeOffer(f.ctx, sam, "sam", offered(1, 1), key("offer", "a"))
		f.wants(200, err)
		changed, err := f.market.ChangeOffer(f.ctx, sam, first.ID, offered(2, 2), memory.Preconditions{})
		f.wants(200, err)
		again, err := f.market.MakeOffer(f.ctx, sam, "sam", offered(1, 1), key("offer", "a"))
		if err != nil || again.ID != first.ID || again.ETag != changed.ETag {
			f.Errorf("%+v, error %v", again, err)
		}
		_, err = f.market.MakeOffer(f.ctx, sam, "sam", offered(3, 1), key("offer", "b"))
		if !errors.Is(err, memory.ErrKeyReused) {
			f.Error(err)
		}
		all, err := f.market.OffersOn(f.ctx, sam, "sam")
		if err != nil || len(all) != 1 {
			f.Errorf("%d offers, error %v", len(all), err)
		}
	})
}

func TestAStoreHasAHundredOpenOffersAtALabel(t *testing.T) {
	t.Parallel()
	f := open(t, backendtest.Embedded(), memory.Limits{})
	secret := as("sam", acl.Confidential)
	for range meter.MaxOpenOffers {
		f.offer(secret)
	}
	_, err := f.market.MakeOffer(f.ctx, secret, "sam", offered(1, 1), nil)
	f.wants(429, err)
	last := f.offer(sam) // offers that the session cannot see do not count
	f.wants(200, f.market.WithdrawOffer(f.ctx, sam, last.ID, memory.Preconditions{}))
	all, err := f.market.OffersOn(f.ctx, secret, "sam")
	f.wants(200, err)
	f.wants(200, f.market.WithdrawOffer(f.ctx, secret, all[0].ID, memory.Preconditions{}))
	f.offer(secret)
}

func TestParallelOffersKeepTheLimit(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		for range meter.MaxOpenOffers - 2 {
			f.offer(sam)
		}
		const calls = 6
		failed := make(chan error, calls)
		for range calls {
			go func() {
				_, err := f.market.MakeOffer(f.ctx, sam, "sam", offered(1, 1), nil)
				failed <- err
			}()
		}
		made := 0
		for range calls {
			if err := <-failed; err == nil {
				made++
			} else if statusOf(err) != 429 {
				f.Error(err)
			}
		}
		if made != 2 {
			f.Errorf("%d offers, want 2", made)
		}
	})
}

func TestOffersArePagedByASealedCursor(t *testing.T) {
	onEachStorage(t, func(f *fixture) {
		var want []uuid.UUID
		for _, seller := range []string{"sam", "sue", "sid"} {
			want = append(want, f.offer(as(seller, acl.Public)).ID)
			f.offer(as(seller, acl.Restricted))
		}
		first, err := f.market.Offers(f.ctx, ben, 2, "")
		f.wants(200, err)
		rest, err := f.market.Offers(f.ctx, ben, 2, first.Next)
		f.wants(200, err)
		var got []uuid.UUID
		for _, o := range append(first.Items, rest.Items...) {
			got = append(got, o.ID)
		}
		if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || rest.Next != "" {
			f.Errorf("%v, want %v", got, want)
		}
		for _, c := range []memory.Caller{zoe, as("ben", acl.Internal)} {
			_, err = f.market.Offers(f.ctx, c, 2, first.Next)
			f.wants(400, err)
		}
		_, err = f.market.Offers(f.ctx, ben, 101, "")
		f.wants(422, err)
	})
}
