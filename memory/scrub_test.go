package memory_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/backendtest"
)

// A purge says when no file held what it erased. Where the database keeps it until a
// vacuum it says nothing.
func TestAPurgeSaysWhenItIsErasedOnDisk(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Retention: new(time.Duration)})
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
		a := agent("a", acl.Public)
		h.PutText(a, "a", "k", "a value", 201)
		must(h, h.Delete(background, a, path("a", "k"), memory.Preconditions{}))
		h.Clock.Advance(time.Second)
		result, err := h.Purge(background, platform, h.Clock.Now(), nil)
		embedded := b.Name == backendtest.Embedded().Name
		if err != nil || len(result.IDs) != 1 || result.ErasedOnDisk.IsZero() == embedded || embedded && !result.ErasedOnDisk.Equal(h.Clock.Now()) {
			t.Errorf("%+v, %v", result, err)
		}
		if _, err := h.Scrub(background, a); !errors.Is(err, acl.ErrDenied) {
			t.Errorf("an agent scrubs: %v", err)
		}
	})
}

// keptLog is a storage of which a reader keeps the log for some attempts.
type keptLog struct {
	storage.Storage
	tries, scrubs int
}

func (h *keptLog) Scrub(ctx context.Context, now time.Time) (time.Time, error) {
	if h.scrubs++; h.scrubs <= h.tries {
		return time.Time{}, memory.ErrHeld
	}
	return h.Storage.Scrub(ctx, now)
}

// What a purge could not scrub is scrubbed by the background work of any process, and a
// repetition of the purge says when.
func TestAHeldPurgeIsScrubbedLater(t *testing.T) {
	clock := backendtest.NewClock()
	rows := &keptLog{Storage: backendtest.Embedded().Open(t).Storage(t), tries: 1}
	p := backendtest.OpenProcess(t, rows, backendtest.Options{Memory: memory.Options{Limits: memory.Limits{Retention: new(time.Duration)}, Now: clock.Now}})
	h := &harness{backendtest.Wrap(t, p), t}
	platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
	a := agent("a", acl.Public)
	h.PutText(a, "a", "k", "a value", 201)
	must(h, h.Delete(background, a, path("a", "k"), memory.Preconditions{}))
	clock.Advance(time.Second)
	again := &memory.Idempotency{Key: "purge", Operation: "purge"}
	at := clock.Now()
	if result, err := h.Purge(background, platform, at, again); err != nil || len(result.IDs) != 1 || !result.ErasedOnDisk.IsZero() {
		t.Fatalf("%+v, %v", result, err)
	}
	clock.Advance(time.Second)
	if result, err := h.Purge(background, platform, at, again); err != nil || len(result.IDs) != 1 || !result.ErasedOnDisk.Equal(clock.Now()) {
		t.Fatalf("a repetition: %+v, %v", result, err)
	}
}

func TestPurgesAreScrubbedAtOnceAndOtherTextLater(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		left  memory.Unscrubbed
		after time.Duration
		due   bool
	}{
		"nothing":                      {memory.Unscrubbed{Last: start}, time.Hour, false},
		"a purge":                      {memory.Unscrubbed{Pending: true, Urgent: true, Last: start}, time.Second, true},
		"dropped text, soon":           {memory.Unscrubbed{Pending: true, Last: start}, time.Minute, false},
		"dropped text, later":          {memory.Unscrubbed{Pending: true, Last: start}, 10 * time.Minute, true},
		"dropped text, never scrubbed": {memory.Unscrubbed{Pending: true}, time.Second, true},
	} {
		if got := memory.ScrubDue(test.left, start.Add(test.after)); got != test.due {
			t.Errorf("%s: %v", name, got)
		}
	}
}
