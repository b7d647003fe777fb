package meter

import (
	"errors"
	"time"

	"golang.org/x/time/rate"

	"mneme/internal/lru"
	"mneme/memory"
	"mneme/search"
)

// capRefusals is the name of the cap on refused payments.
const capRefusals = "refused_payments"

// refusalRates bound how many payments may be refused or remain without an outcome, by each of
// the keys below: a burst, and then one every so often. Each such payment may cost a call to
// the service that settles payments.
var refusalRates = [...]struct {
	burst int
	every time.Duration
}{
	byBuyer:   {10, time.Minute},
	byAddress: {30, 20 * time.Second},
	byOffer:   {300, 2 * time.Second}, // of all buyers
}

// The keys by which refusals are counted: the index into refusalRates.
const (
	byBuyer = iota
	byAddress
	byOffer
)

// refusalBytes bounds the memory of each key to some 20,000 buckets. A bucket that has not
// been used for burst × every is full, so evicting it loses nothing.
const refusalBytes = 4 << 20

// refusals counts refused payments. It is safe for concurrent use. Each process counts
// for itself.
type refusals struct {
	buckets [len(refusalRates)]*lru.Cache[string, *rate.Limiter]
}

func newRefusals() *refusals {
	r := new(refusals)
	for i := range r.buckets {
		r.buckets[i] = lru.New(refusalBytes, func(string, *rate.Limiter) int { return 200 })
	}
	return r
}

// refusalNames returns, for each key, the name under which a refusal of the search's payment is
// counted; "": it is not counted by this key.
func refusalNames(c memory.Caller, r *order) [len(refusalRates)]string {
	names := [...]string{byBuyer: c.Agent, byAddress: r.Payment.Client, byOffer: r.Purchase.Offer.String()}
	for i, name := range names {
		if name != "" {
			names[i] = Holder(name, c.Taint)
		}
	}
	return names
}

// check returns a CapError if too many payments were refused recently.
func (f *refusals) check(names [len(refusalRates)]string, now time.Time) error {
	var wait time.Duration
	for kind, name := range names {
		bucket, ok := f.buckets[kind].Get(name)
		if name == "" || !ok {
			continue
		}
		if missing := 1 - bucket.TokensAt(now); missing > 0 {
			wait = max(wait, time.Duration(missing*float64(refusalRates[kind].every)), time.Second)
		}
	}
	if wait == 0 {
		return nil
	}
	return &search.CapError{Cap: capRefusals, RetryAfter: wait}
}

// count counts a payment that was refused or has no outcome.
func (f *refusals) count(names [len(refusalRates)]string, err error, now time.Time) {
	var refused *RefusedError
	var unsettled *search.UnsettledError
	if !errors.As(err, &refused) && !errors.As(err, &unsettled) {
		return
	}
	for kind, name := range names {
		if name == "" {
			continue
		}
		r := refusalRates[kind]
		f.buckets[kind].GetOrPut(name, func() *rate.Limiter {
			return rate.NewLimiter(rate.Every(r.every), r.burst)
		}).AllowN(now, 1)
	}
}
