package memory_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/storage"
)

// sweptOnce is a storage under background work that ends once it has swept.
type sweptOnce struct {
	storage.Storage
	end context.CancelFunc
}

// Unscrubbed is called after each sweep.
func (s *sweptOnce) Unscrubbed(ctx context.Context) (memory.Unscrubbed, error) {
	s.end()
	return s.Storage.Unscrubbed(ctx)
}

// sweep does the background work of a service over the storage once.
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
func (emptyTx) Searchable(context.Context, uuid.UUID, int) ([]memory.Entry, error) {
	return nil, nil
}
func (emptyTx) NonASCIINames(context.Context, uuid.UUID, int) ([]memory.Entry, error) {
	return nil, nil
}
func (emptyTx) TrimHistories(context.Context, uuid.UUID, memory.HistoryLimits, int) ([]uuid.UUID, error) {
	return nil, nil
}

// scrubbed is a storage without entries. Something is left in its files until it was
// scrubbed so many times.
type scrubbed struct {
	memory.Storage
	left  memory.Unscrubbed
	times int
	scrub func()
}

func (s *scrubbed) Readers() int { return 1 }

func (s *scrubbed) Writers() memory.WriterLimits {
	return memory.WriterLimits{Running: 1, RunningEach: 1}
}

func (s *scrubbed) View(_ context.Context, fn func(memory.ReadTx) error) error { return fn(emptyTx{}) }

func (s *scrubbed) Update(_ context.Context, fn func(memory.Tx) error) error { return fn(emptyTx{}) }

func (s *scrubbed) Unscrubbed(context.Context) (memory.Unscrubbed, error) {
	if s.times == 0 {
		return memory.Unscrubbed{}, nil
	}
	return s.left, nil
}

func (s *scrubbed) Scrub(context.Context, time.Time) (time.Time, error) {
	s.times--
	s.scrub()
	return time.Time{}, memory.ErrHeld
}

func TestPurgesAreScrubbedAtOnceAndOtherTextLater(t *testing.T) {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of every synctest bubble
	never, future := time.Time{}, start.AddDate(1, 0, 0) // by a clock that was ahead
	for name, test := range map[string]struct {
		left memory.Unscrubbed
		took time.Duration   // each scrub
		back time.Duration   // the clock is set during the first
		want []time.Duration // after the start
	}{
		"nothing":                       {memory.Unscrubbed{Last: start}, 0, 0, nil},
		"a purge":                       {memory.Unscrubbed{Pending: true, Urgent: true, Last: start}, 3 * time.Second, 0, []time.Duration{0, 20 * time.Second}},
		"dropped text":                  {memory.Unscrubbed{Pending: true, Last: start}, 0, 0, []time.Duration{10 * time.Minute}},
		"dropped text, never scrubbed":  {memory.Unscrubbed{Pending: true, Last: never}, 0, 0, []time.Duration{0}},
		"scrubbed in the future":        {memory.Unscrubbed{Pending: true, Last: future}, 0, 0, []time.Duration{0}},
		"scrubs that take long":         {memory.Unscrubbed{Pending: true, Last: never}, 3 * time.Second, 0, []time.Duration{0, time.Minute, 2 * time.Minute}},
		"a pause that is in the future": {memory.Unscrubbed{Pending: true, Last: never}, 3 * time.Second, time.Hour, []time.Duration{0, 20 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []time.Duration
				var ahead time.Duration
				rows := &scrubbed{left: test.left, times: len(test.want), scrub: func() {
					got = append(got, time.Since(start))
					ahead = -test.back
					time.Sleep(test.took)
				}}
				service, err := memory.New(t.Context(), rows, memory.Options{Now: func() time.Time { return time.Now().Add(ahead) }})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
				defer cancel()
				if err := service.Run(ctx); err != nil || !slices.Equal(got, test.want) {
					t.Errorf("scrubs at %v, want %v; %v", got, test.want, err)
				}
			})
		})
	}
}
