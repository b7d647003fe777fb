package limit

import (
	"math"
	"strconv"
	"time"

	"golang.org/x/time/rate"

	"mneme/internal/lru"
)

// Rate is a number of requests per second and a burst. A PerSecond of 0
// means no limit.
type Rate struct {
	PerSecond int
	Burst     int // 0: PerSecond
}

// bucketBytes bounds the memory of Buckets: about 20,000 buckets. A bucket that
// was not used for Burst ÷ PerSecond seconds is full, so evicting it loses
// nothing. A bucket that is not full is evicted only if 20,000 others are used
// within that time.
const bucketBytes = 8 << 20

// limiterBytes is the size of a rate.Limiter.
const limiterBytes = 80

// Buckets are token buckets, one for each key. They are safe for concurrent use.
type Buckets[K comparable] struct {
	rate    Rate
	now     func() time.Time
	buckets *lru.Cache[K, *rate.Limiter]
	policy  string
}

// NewBuckets returns full buckets. name is the policy's name in header fields.
// now is the clock; nil means time.Now.
func NewBuckets[K comparable](name string, r Rate, now func() time.Time) *Buckets[K] {
	if r.Burst == 0 {
		r.Burst = r.PerSecond
	}
	if now == nil {
		now = time.Now
	}
	return &Buckets[K]{
		rate: r, now: now, policy: strconv.Quote(name),
		// Keys are ids of at most 128 bytes, or networks.
		buckets: lru.New(bucketBytes, func(K, *rate.Limiter) int { return limiterBytes + 64 }),
	}
}

// State is a bucket after a request.
type State struct {
	OK         bool
	RetryAfter time.Duration // until the request would be OK; 0 if it is
	// Policy and Remaining are the fields RateLimit-Policy and RateLimit of
	// draft-ietf-httpapi-ratelimit-headers-10. Empty without a limit.
	Policy, Remaining string
}

// Take takes n requests out of a bucket, or none if it holds fewer. An n above
// the burst counts as the burst, since it could never succeed.
func (b *Buckets[K]) Take(key K, n int) State {
	if b.rate.PerSecond == 0 {
		return State{OK: true}
	}
	n, now := min(n, b.rate.Burst), b.now()
	bucket := b.buckets.GetOrPut(key, func() *rate.Limiter {
		return rate.NewLimiter(rate.Limit(b.rate.PerSecond), b.rate.Burst)
	})
	state := State{OK: bucket.AllowN(now, n)}
	tokens := bucket.TokensAt(now)
	if !state.OK {
		missing := (float64(n) - tokens) / float64(b.rate.PerSecond)
		state.RetryAfter = max(time.Millisecond, time.Duration(missing*float64(time.Second)))
	}
	b.describe(&state, tokens)
	return state
}

// TakeMore takes n more requests for a call that took one before. The call's total is
// at most the burst. RetryAfter is the time until the bucket holds the total, since a
// retried call takes its first request again.
func (b *Buckets[K]) TakeMore(key K, n int) State {
	state := b.Take(key, min(n, b.rate.Burst-1))
	if !state.OK {
		state.RetryAfter += time.Second / time.Duration(b.rate.PerSecond)
	}
	return state
}

// Empty reports whether a bucket has less than one request left. It takes none.
func (b *Buckets[K]) Empty(key K) bool {
	if b.rate.PerSecond == 0 {
		return false
	}
	bucket, ok := b.buckets.Get(key)
	return ok && bucket.TokensAt(b.now()) < 1
}

// describe sets the header fields. The window of a policy (w) is the time in
// which an empty bucket fills, in whole seconds; t is when more is available.
func (b *Buckets[K]) describe(s *State, tokens float64) {
	window := int(math.Ceil(float64(b.rate.Burst) / float64(b.rate.PerSecond)))
	s.Policy = b.policy + ";q=" + strconv.Itoa(b.rate.Burst) + ";w=" + strconv.Itoa(window)
	s.Remaining = b.policy + ";r=" + strconv.Itoa(max(0, int(tokens)))
	if int(tokens) < b.rate.Burst {
		s.Remaining += ";t=1"
	}
}
