package memory_test

import (
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
)

// While a service runs, the clock jumps an hour ahead, two hours back, and later a day back.
// Writes must continue and be embedded. A call with an Idempotency-Key must be performed once.
// An entry that expired and was swept while the clock was ahead must not come back.
func TestClockJumpsLoseNoWriteAndReviveNothing(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data, e, clock := b.Open(t), encoder(t), new(wallClock)
		h := openOver(t, data, memory.Options{Now: clock.Now}, e)
		h.Start()
		c := agent("ada", acl.Public)
		put := func(key, value string, ttl time.Duration) int {
			t.Helper()
			r := memory.PutRequest{Path: path("ada", key), Value: text(value)}
			if ttl > 0 {
				r.TTL = &ttl
			}
			written, err := h.Put(background, c, r)
			must(h, err)
			return written.Version
		}
		restore := memory.RestoreRequest{
			Path: path("ada", "stays"), Version: new(1),
			Idempotency: &memory.Idempotency{Operation: "restore", Path: "p", Key: "k", Digest: "d"},
		}
		restored := func() int {
			t.Helper()
			r, err := h.Restore(background, c, restore)
			must(h, err)
			return r.Version
		}
		put("stays", "the tea is green", 0)
		put("goes", "the coffee is black", 30*time.Minute)
		if got := restored(); got != 2 {
			t.Fatalf("restored as version %d", got)
		}
		_, err := h.Share(background, c, memory.ShareRequest{Store: "ada", Grantee: "guest", Level: acl.Read, TTL: new(30 * time.Minute)})
		must(h, err)
		guest := agent("guest", acl.Public)
		reads := func(who memory.Caller, key string) int {
			_, err := h.Get(background, who, path("ada", key))
			return status(err)
		}
		h.AwaitEmptyQueue()

		for i, jump := range []time.Duration{time.Hour, -2 * time.Hour, time.Hour, -24 * time.Hour, 24 * time.Hour} {
			clock.Advance(jump)
			if i == 0 {
				if got := reads(c, "goes"); got != 404 {
					t.Errorf("an hour ahead, the expired entry: %d", got)
				}
				if got := reads(guest, "stays"); got != 403 {
					t.Errorf("an hour ahead, by the expired grant: %d", got)
				}
				if got := put("goes", "the coffee is cold", 0); got != 1 { // sweeps the expired one
					t.Errorf("the new entry has version %d", got)
				}
			}
			if got := restored(); got != 2 {
				t.Errorf("after jump %d the key was applied again: version %d", i, got)
			}
			if got := put("edited", "an edit by a strange clock", 0); got != i+1 {
				t.Errorf("after jump %d an edit has version %d", i, got)
			}
			h.AwaitEmptyQueue()
			backendtest.Eventually(t, "the edit is found by its vector", func() bool {
				return h.findsByVector(c, "an edit by a strange clock", "edited")
			})
			for _, key := range []string{"stays", "goes", "edited"} {
				if got := reads(c, key); got != 0 && got != 200 {
					t.Errorf("after jump %d, %s: %d", i, key, got)
				}
			}
		}
		found, err := h.Get(background, c, path("ada", "goes"))
		must(h, err)
		if string(found.Value) != `"the coffee is cold"` {
			t.Errorf("the expired entry has returned: %s", found.Value)
		}
	})
}
