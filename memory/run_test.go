package memory_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage"
)

// sweptOnce is a storage that ends the background work after one sweep.
type sweptOnce struct {
	storage.Storage
	end context.CancelFunc
}

// Unscrubbed is called after each sweep.
func (s *sweptOnce) Unscrubbed(ctx context.Context) (memory.Unscrubbed, error) {
	s.end()
	return s.Storage.Unscrubbed(ctx)
}

// sweep runs a service's background work over the storage once.
func (s *sweptOnce) sweep(h *harness) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(background)
	s.end = cancel
	must(h, h.Service.Run(ctx))
}

// emptyTx is a transaction of a storage without entries.
type emptyTx struct{ memory.Tx }

func (emptyTx) Meta(context.Context, string) ([]byte, error)                  { return nil, nil }
func (emptyTx) SetMeta(context.Context, string, []byte) error                 { return nil }
func (emptyTx) CountSearchable(context.Context, uuid.UUID) (int64, error)     { return 0, nil }
func (emptyTx) Due(context.Context, time.Time, int) ([]memory.Expiry, error)  { return nil, nil }
func (emptyTx) TrimFacts(context.Context, time.Time, int) (bool, error)       { return false, nil }
func (emptyTx) TrimFeed(context.Context, time.Time, int64, int) (bool, error) { return false, nil }
func (emptyTx) Purge(context.Context, time.Time, int) ([]uuid.UUID, error)    { return nil, nil }
func (emptyTx) Searchable(context.Context, uuid.UUID, int) ([]memory.Entry, error) {
	return nil, nil
}
func (emptyTx) NonASCIINames(context.Context, uuid.UUID, int) ([]memory.Entry, error) {
	return nil, nil
}
func (emptyTx) TrimHistories(context.Context, uuid.UUID, memory.HistoryLimits, int) ([]uuid.UUID, error) {
	return nil, nil
}

// scrubbed is a storage without entries. Its files contain erased data until Scrub was called
// as often as times says.
type scrubbed struct {
	memory.Storage
	left  memory.Unscrubbed
	times int
	scrub func()
	look  func() // nil: nothing happens during Unscrubbed
	err   error  // of Scrub; nil: memory.ErrHeld
}

func (s *scrubbed) Readers() int { return 1 }

func (s *scrubbed) Writers() memory.WriterLimits {
	return memory.WriterLimits{Running: 1, RunningEach: 1}
}

func (s *scrubbed) View(_ context.Context, fn func(memory.ReadTx) error) error { return fn(emptyTx{}) }

func (s *scrubbed) Update(_ context.Context, fn func(memory.Tx) error) error { return fn(emptyTx{}) }

func (s *scrubbed) Unscrubbed(context.Context) (memory.Unscrubbed, error) {
	if s.look != nil {
		s.look()
	}
	if s.times == 0 {
		return memory.Unscrubbed{}, nil
	}
	return s.left, nil
}

func (s *scrubbed) Scrub(context.Context, func() time.Time) (time.Time, error) {
	s.times--
	s.scrub()
	return time.Time{}, cmp.Or(s.err, memory.ErrHeld)
}

func TestPurgesAreScrubbedWhileIdleAndOtherTextOnceADay(t *testing.T) {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of every synctest bubble
	never, future := time.Time{}, start.AddDate(1, 0, 0) // by a clock that was ahead
	purged := memory.Unscrubbed{Pending: true, Urgent: true, Last: start}
	dropped := memory.Unscrubbed{Pending: true, Last: start}
	at := func(seconds ...time.Duration) (all []time.Duration) {
		for _, s := range seconds {
			all = append(all, s*time.Second)
		}
		return all
	}
	const day = 24 * 60 * 60
	for name, test := range map[string]struct {
		left    memory.Unscrubbed
		took    time.Duration // duration of each scrub
		back    time.Duration // the clock is set back by this time after the first scrub
		writing time.Duration // a caller writes until this time after the start
		err     error
		want    []time.Duration // when scrubs start, after the start
	}{
		"nothing":                       {left: memory.Unscrubbed{Last: start}},
		"a purge":                       {left: purged, took: 3 * time.Second, want: at(2, 80)},
		"a purge, and readers":          {left: purged, want: at(2, 40, 60)},
		"a purge, and writes":           {left: purged, writing: time.Minute, want: at(62)},
		"a purge, and writes all day":   {left: purged, writing: 200 * time.Hour, want: at(300)},
		"a purge, and a full disk":      {left: purged, err: errors.New("full"), want: at(2, 40, 80, 160, 320)},
		"dropped text":                  {left: dropped, want: at(day)},
		"dropped text, and writes":      {left: dropped, writing: 25 * time.Hour, want: at(25*3600 + 60)},
		"dropped text, never quiet":     {left: dropped, writing: 200 * time.Hour, want: at(2 * day)},
		"dropped text, never scrubbed":  {left: memory.Unscrubbed{Pending: true, Last: never}, want: at(60)},
		"never quiet nor scrubbed":      {left: memory.Unscrubbed{Pending: true, Last: never}, writing: 200 * time.Hour, want: at(2 * day)},
		"scrubbed in the future":        {left: memory.Unscrubbed{Pending: true, Last: future}, want: at(0)},
		"scrubs that take long":         {left: memory.Unscrubbed{Pending: true, Last: never}, took: 3 * time.Second, want: at(60, 140, 220)},
		"a pause that is in the future": {left: memory.Unscrubbed{Pending: true, Last: never}, took: 3 * time.Second, back: time.Hour, want: at(60, 80)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []time.Duration
				var ahead atomic.Int64
				rows := &scrubbed{left: test.left, times: len(test.want), err: test.err, scrub: func() {
					got = append(got, time.Since(start))
					time.AfterFunc(test.took+time.Second, func() { ahead.Store(-int64(test.back)) })
					time.Sleep(test.took)
				}}
				now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				service, err := memory.New(t.Context(), rows, memory.Options{Now: now})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Hour)
				defer cancel()
				if test.writing > 0 {
					done, err := service.Writers().Take(ctx, agent("a", acl.Public), memory.Work{})
					if err != nil {
						t.Fatal(err)
					}
					time.AfterFunc(test.writing, done)
				}
				if err := service.Run(ctx); err != nil || !slices.Equal(got, test.want) {
					t.Errorf("scrubs at %v, want %v; %v", got, test.want, err)
				}
			})
		})
	}
}

// A write that ends just while the background work asks what is left to scrub delays the scrub
// as any other write does.
func TestAWriteDuringALookDelaysTheScrub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var got []time.Duration
		rows := &scrubbed{left: memory.Unscrubbed{Pending: true, Urgent: true, Last: start}, times: 1}
		rows.scrub = func() { got = append(got, time.Since(start)) }
		service, err := memory.New(t.Context(), rows, memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		rows.look = func() {
			if time.Since(start) > 10*time.Second {
				return
			}
			done, err := service.Writers().Take(ctx, agent("a", acl.Public), memory.Work{})
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(500 * time.Millisecond)
			done()
		}
		if err := service.Run(ctx); err != nil || !slices.Equal(got, []time.Duration{11500 * time.Millisecond}) {
			t.Errorf("scrubs at %v, %v", got, err)
		}
	})
}

// After a purge that does not wait, the background work of its process checks at once whether
// to scrub.
func TestAPurgeThatDoesNotWaitIsScrubbedSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var got []time.Duration
		rows := &scrubbed{scrub: func() { got = append(got, time.Since(start)) }}
		service, err := memory.New(t.Context(), rows, memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		ended := make(chan error)
		go func() { ended <- service.Run(ctx) }()
		time.Sleep(25 * time.Second)
		synctest.Wait()
		rows.left, rows.times = memory.Unscrubbed{Pending: true, Urgent: true, Last: start}, 1
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
		result, err := service.Admin().Purge(ctx, platform, memory.PurgeRequest{Before: start.AddDate(-1, 0, 0)}, nil)
		if err != nil || !result.ErasedOnDisk.IsZero() {
			t.Errorf("%+v, %v", result, err)
		}
		if err := <-ended; err != nil || !slices.Equal(got, []time.Duration{27 * time.Second}) {
			t.Errorf("scrubs at %v, %v", got, err)
		}
	})
}
