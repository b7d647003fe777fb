package memory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/test/size"
)

// Purge reports from when no file has contained the erased data. If the database keeps the data
// in its files until a vacuum, Purge reports the zero time.
func TestAPurgeSaysWhenItIsErasedOnDisk(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Retention: new(time.Duration)})
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
		purge := func(erased int) {
			t.Helper()
			result, err := h.Purge(background, platform, memory.PurgeRequest{Before: h.Clock.Now(), Wait: true}, nil)
			embedded := b.Name == backendtest.Embedded().Name
			if err != nil || len(result.IDs) != erased || result.ErasedOnDisk.IsZero() == embedded || embedded && !result.ErasedOnDisk.Equal(h.Clock.Now()) {
				t.Errorf("%d erased: %+v, %v", erased, result, err)
			}
		}
		purge(0) // nothing ever was erased
		a := agent("a", acl.Public)
		h.PutText(a, "a", "k", "a value", 201)
		must(h, h.Delete(background, a, path("a", "k"), memory.Preconditions{}))
		h.Clock.Advance(time.Second)
		purge(1)
		if _, err := h.Scrub(background, a); !errors.Is(err, acl.ErrDenied) {
			t.Errorf("an agent scrubs: %v", err)
		}
	})
}

// keptLog is a storage in which a reader holds the write-ahead log, so that the first attempts
// to scrub fail.
type keptLog struct {
	storage.Storage
	tries, scrubs int
}

func (h *keptLog) Scrub(ctx context.Context, now func() time.Time) (time.Time, error) {
	if h.scrubs++; h.scrubs <= h.tries {
		return time.Time{}, memory.ErrHeld
	}
	return h.Storage.Scrub(ctx, now)
}

// If a purge could not scrub, the background work of any process does so later. A repeated
// purge then reports the time.
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
	if result, err := h.Purge(background, platform, memory.PurgeRequest{Before: at, Wait: true}, again); err != nil || len(result.IDs) != 1 || !result.ErasedOnDisk.IsZero() {
		t.Fatalf("%+v, %v", result, err)
	}
	clock.Advance(time.Second)
	if result, err := h.Purge(background, platform, memory.PurgeRequest{Before: at, Wait: true}, again); err != nil || len(result.IDs) != 1 || !result.ErasedOnDisk.Equal(clock.Now()) {
		t.Fatalf("a repetition: %+v, %v", result, err)
	}
}

// hook is called once.
type hook func() error

func (h *hook) call() error {
	call := *h
	if *h = nil; call == nil {
		return nil
	}
	return call()
}

// hookedPurge is a purge of more than one batch of entries. One hook is called before the
// vectors of a batch are removed, the other before the files are scrubbed. If a hook returns an
// error, that step fails.
type hookedPurge struct {
	storage.Storage
	memory.Indexer
	removal, scrub hook
	service        *memory.Service
	clock          *backendtest.Clock
	before         time.Time
}

func (p *hookedPurge) RemoveVectors(ctx context.Context, ids []uuid.UUID) error {
	return errors.Join(p.removal.call(), p.Indexer.RemoveVectors(ctx, ids))
}

func (p *hookedPurge) Scrub(ctx context.Context, now func() time.Time) (time.Time, error) {
	if err := p.scrub.call(); err != nil {
		return time.Time{}, err
	}
	return p.Storage.Scrub(ctx, now)
}

// purgedEntries is the number of entries: more than one batch of 500, and in a full run more
// than two.
func purgedEntries() int { return size.Of(510, 1100) }

func openHookedPurge(t *testing.T) *hookedPurge {
	clock := backendtest.NewClock()
	p := &hookedPurge{Storage: backendtest.Embedded().Open(t).Storage(t)}
	p.Indexer = backendtest.OpenProcess(t, p.Storage, backendtest.Options{}).Indexer
	service, err := memory.New(background, p, memory.Options{Limits: memory.Limits{Retention: new(time.Duration)}, Now: clock.Now, Indexer: p})
	if err != nil {
		t.Fatal(err)
	}
	p.service, p.clock = service, clock
	p.expire(t)
	return p
}

// expire writes the entries, which expire a second later, and advances the clock by a minute.
func (p *hookedPurge) expire(t *testing.T) {
	t.Helper()
	requests := make([]memory.PutRequest, purgedEntries())
	for i := range requests {
		requests[i] = memory.PutRequest{Path: path("a", fmt.Sprint("k", i)), Value: text("v"), TTL: new(time.Second)}
	}
	if _, err := p.service.PutAll(background, agent("a", acl.Public), requests); err != nil {
		t.Fatal(err)
	}
	p.clock.Advance(time.Minute)
	p.before = p.clock.Now()
}

// purge purges under an Idempotency-Key. digest is the digest of the request's body.
func (p *hookedPurge) purge(ctx context.Context, digest string) (memory.PurgeResult, error) {
	platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
	return p.service.Admin().Purge(ctx, platform, memory.PurgeRequest{Before: p.before, Wait: true}, &memory.Idempotency{Key: "purge", Operation: "purge", Digest: digest})
}

// distinct returns the number of distinct ids.
func distinct(r memory.PurgeResult) int {
	seen := make(map[uuid.UUID]bool)
	for _, id := range r.IDs {
		seen[id] = true
	}
	return len(seen)
}

func TestConcurrentPurgesWithOneKeyReturnAllErasedEntries(t *testing.T) {
	for name, of := range map[string]func(*hookedPurge) *hook{
		"between batches": func(p *hookedPurge) *hook { return &p.removal },
		"at the end":      func(p *hookedPurge) *hook { return &p.scrub },
	} {
		t.Run(name, func(t *testing.T) {
			p := openHookedPurge(t)
			check := func(what string, result memory.PurgeResult, err error) {
				t.Helper()
				if n := distinct(result); err != nil || n != purgedEntries() {
					t.Errorf("%s: %d entries, %v", what, n, err)
				}
			}
			*of(p) = func() error {
				if _, err := p.purge(background, "other"); !errors.Is(err, memory.ErrKeyReused) {
					t.Errorf("another body: %v", err)
				}
				result, err := p.purge(background, "body")
				check("the second call", result, err)
				return nil
			}
			result, err := p.purge(background, "body")
			check("the first call", result, err)
			result, err = p.purge(background, "body")
			check("a repetition", result, err)
		})
	}
}

// After a batch's rows are erased, later steps may fail. The reconciliation and the background
// work complete these steps, and the caller must still learn which entries were erased.
func TestAPurgeLosesNoIDWhateverFailsAfterABatch(t *testing.T) {
	failed := func() error { return errors.New("down") }
	for name, test := range map[string]struct {
		fail   func(p *hookedPurge, disconnect func())
		first  int // entries
		err    error
		onDisk bool // known on the first call
	}{
		"the vector index":    {func(p *hookedPurge, _ func()) { p.removal = failed }, purgedEntries(), nil, true},
		"the scrub":           {func(p *hookedPurge, _ func()) { p.scrub = failed }, purgedEntries(), nil, false},
		"the client is gone":  {func(p *hookedPurge, disconnect func()) { p.removal = func() error { disconnect(); return nil } }, 500, context.Canceled, false},
		"gone before the end": {func(p *hookedPurge, disconnect func()) { p.scrub = func() error { disconnect(); return nil } }, purgedEntries(), context.Canceled, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := openHookedPurge(t)
			ctx, disconnect := context.WithCancel(background)
			defer disconnect()
			test.fail(p, disconnect)
			result, err := p.purge(ctx, "body")
			if n := distinct(result); n != test.first || !errors.Is(err, test.err) || result.ErasedOnDisk.IsZero() == test.onDisk {
				t.Errorf("%d entries, on disk %v, %v", n, result.ErasedOnDisk, err)
			}
			result, err = p.purge(background, "body")
			if n := distinct(result); n != purgedEntries() || err != nil || result.ErasedOnDisk.IsZero() {
				t.Errorf("a repetition: %d entries, on disk %v, %v", n, result.ErasedOnDisk, err)
			}
		})
	}
}

// The recorded outcome of each batch expires a day after the batch. So for a while only
// outcomes of the later batches of a purge are left. Another purge with the same key must not
// find these.
func TestAPurgeFindsNoOutcomeOfAnEarlierOneWithItsKey(t *testing.T) {
	for name, digest := range map[string]string{"the same body": "body", "another body": "other"} {
		t.Run(name, func(t *testing.T) {
			p := openHookedPurge(t)
			p.removal = func() error { p.clock.Advance(time.Hour); return nil } // after the first batch
			result, err := p.purge(background, "body")
			if n := distinct(result); err != nil || n != purgedEntries() {
				t.Fatalf("the first purge: %d entries, %v", n, err)
			}
			p.clock.Advance(23 * time.Hour)
			p.expire(t)
			again, err := p.purge(background, digest)
			result.IDs = append(result.IDs, again.IDs...)
			if n := distinct(result); err != nil || len(again.IDs) != purgedEntries() || n != 2*purgedEntries() {
				t.Errorf("the second purge: %d entries, %d of both, %v", len(again.IDs), n, err)
			}
		})
	}
}
