package attacks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/storage/postgres/postgrestest"
	"mneme/test/wait"
)

// One agent, the hog, writes endlessly. Other agents' calls must not queue behind its
// writes.

const batchOfOwn = "/v1/stores/self/memories:batch"

// heavyBatch returns the body of a batch of values with at most 8,000 words each. Each word
// occurs in only one value of one call.
func heavyBatch(call, values, words int) map[string]any {
	items := make([]map[string]any, values)
	for i := range items {
		var text strings.Builder
		for word := range words {
			fmt.Fprintf(&text, "w%dx%dy%d ", word, i, call)
		}
		items[i] = map[string]any{"op": "put", "key": fmt.Sprintf("volume-%d-%d", call, i), "value": text.String()[:min(text.Len(), 95_000)]}
	}
	return map[string]any{"items": items}
}

// hogging counts the answers to the hog.
type hogging struct{ batches, small, refused atomic.Int64 }

// writeWithoutEnd keeps an agent's batches (see heavyBatch) and small writes in flight
// until stop is called.
func writeWithoutEnd(t testing.TB, hog caller, batches, values, words, small int) (h *hogging, stop func()) {
	h = new(hogging)
	ctx, cancel := context.WithCancel(t.Context())
	hog.ctx = ctx
	var group sync.WaitGroup
	keep := func(answered *atomic.Int64, call func(n int) reply) {
		group.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				switch r := call(n); {
				case ctx.Err() != nil:
				case r.status == http.StatusOK, r.status == http.StatusCreated:
					answered.Add(1)
				case r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != "":
					h.refused.Add(1)
				default:
					t.Errorf("a write of the hog: %v", r)
					return
				}
			}
		})
	}
	// The first bodies are built in advance: building them must not slow the server.
	const prepared = 4
	bodies := make([][prepared][]byte, batches)
	body := func(i, n int) []byte {
		text, err := json.Marshal(heavyBatch(1000*i+n, values, words))
		if err != nil {
			panic(err)
		}
		return text
	}
	for i := range bodies {
		for n := range bodies[i] {
			bodies[i][n] = body(i, n)
		}
	}
	for i := range batches {
		keep(&h.batches, func(n int) reply {
			if n < prepared {
				return hog.call(http.MethodPost, batchOfOwn, bodies[i][n])
			}
			return hog.call(http.MethodPost, batchOfOwn, body(i, n))
		})
	}
	for i := range small {
		keep(&h.small, func(n int) reply { return hog.put(fmt.Sprintf("line-%d-%d", i, n%10), "a line of a diary") })
	}
	return h, func() {
		cancel()
		group.Wait()
	}
}

// Eight batches are in flight: while another agent's put runs, hardly any of them is
// answered. There is one connection for writes, so in order of arrival, the put would wait
// for all of them.
func TestBatchesOfOneAgentDoNotDelayAPut(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage, oneWriter, startHesitant(t, "w1"))
		hog, ada := s.as("hog"), s.as("ada")
		ada.put("k", "I like my tea green.").want(t, http.StatusCreated)
		const batches, values, words = 8, 2, 2000
		h, stop := writeWithoutEnd(t, hog, batches, values, words, 0)
		defer stop()
		wait.Until(t, "a batch is answered, and the others wait", func() error {
			if h.batches.Load() == 0 {
				return errors.New("none is")
			}
			return nil
		})
		// On a busy machine a request may wait before the server reads it, so the test
		// repeats rounds.
		const most, rounds, puts = batches / 2, 5, 3
		var passed []int64
		for round := range rounds {
			passed = passed[:0]
			for i := range puts {
				before := h.batches.Load()
				ada.put(fmt.Sprintf("tea-%d-%d", round, i), "I like it with milk.").want(t, http.StatusCreated)
				passed = append(passed, h.batches.Load()-before)
			}
			slices.Sort(passed)
			if passed[puts/2] <= most {
				return
			}
		}
		t.Errorf("batches that were answered before each put: %d", passed)
	})
}

// oneWriter gives a server on PostgreSQL so few connections that it runs one write at a time,
// as on SQLite. With more connections, another agent's write would run concurrently with the
// writes to the hog's store, which run one after another in any order.
func oneWriter(s *server) {
	const variable = "MNEME_POSTGRES_DSN="
	for i, pair := range s.env {
		if strings.HasPrefix(pair, variable) {
			s.env[i] = pair + "&pool_max_conns=2"
		}
	}
}

// One write of an agent waits for a lock in PostgreSQL, and fifty further writes of the
// agent to the same store wait behind it. They must not occupy connections that other
// callers need.
func TestWritersOfOneStoreDoNotHoldAllConnections(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Database(t)
	patient, err := url.Parse(dsn)
	if err != nil {
		t.Fatal("the DSN is not a URL") // the error quotes it
	}
	query := patient.Query()
	query.Set("lock_timeout", "600000") // ms: the hog's write waits for as long as the test runs
	query.Set("statement_timeout", "600000")
	patient.RawQuery = query.Encode()
	s := start(t, environment("MNEME_STORAGE=postgres", "MNEME_POSTGRES_DSN="+patient.String()))
	hog, ada, bob := s.as("hog"), s.as("ada"), s.as("bob")
	hog.put("k", "mine").want(t, http.StatusCreated)
	ada.put("k", "I like my tea green.").want(t, http.StatusCreated)
	postgrestest.Hold(t, dsn, "SELECT FROM store WHERE id = 'hog' FOR UPDATE")
	const writes = 50
	ctx, cancel := context.WithCancel(t.Context())
	writer := hog
	writer.ctx = ctx
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	var begun atomic.Int64
	for i := range writes {
		group.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				begun.Add(1)
				writer.put(fmt.Sprintf("k-%d-%d", i, n), "mine, too")
			}
		})
	}
	wait.Until(t, "the hog writes", func() error {
		if begun.Load() < writes {
			return fmt.Errorf("%d calls have begun", begun.Load())
		}
		return nil
	})
	for i := range 20 {
		ada.call(http.MethodGet, memories+"k", nil).want(t, http.StatusOK)
		ada.call(http.MethodGet, "/v1/stores/self/memories", nil).want(t, http.StatusOK)
		ada.search(fmt.Sprintf("which tea do I like, %d?", i), "mode", "lexical").want(t, http.StatusOK)
		ada.put(fmt.Sprint("tea-", i), "I like it with milk.").want(t, http.StatusCreated)
		bob.put(fmt.Sprint("tea-", i), "I like it with sugar.").want(t, http.StatusCreated)
		hog.call(http.MethodGet, memories+"k", nil).want(t, http.StatusOK)
	}
}

// A write that would wait too long for others is refused, with a Retry-After.
func TestAWriteThatWaitsTooLongIsRefused(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Database(t)
	s := start(t, environment("MNEME_STORAGE=postgres", "MNEME_POSTGRES_DSN="+dsn, "MNEME_LIMITS_WRITE_WAIT=100ms"))
	hog := s.as("hog")
	hog.put("k", "mine").want(t, http.StatusCreated)
	postgrestest.Hold(t, dsn, "SELECT FROM store WHERE id = 'hog' FOR UPDATE")
	ctx, cancel := context.WithCancel(t.Context())
	first := hog
	first.ctx = ctx
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ctx.Err() == nil; n++ {
			first.put(fmt.Sprint("first-", n), "waits for the lock")
		}
	}()
	defer func() { cancel(); <-ended }()
	wait.Until(t, "a write is refused", func() error {
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		second := hog
		second.ctx = short
		r := second.put("second", "waits for its turn")
		if r.status != http.StatusServiceUnavailable {
			return fmt.Errorf("%v", r)
		}
		if p := r.problem(t); r.header.Get("Retry-After") == "" || !strings.Contains(p.Detail, "limits.write_wait") {
			return fmt.Errorf("%v", r)
		}
		return nil
	})
}

// BenchmarkWriters reports, in milliseconds, the maximum and the median duration of an
// agent's calls, alone and during another agent's writes, the duration of a transaction of
// maximum size, and a put's ratio to its target:
//
//	go test -run '^$' -bench Writers -benchtime 30x ./test/attacks
//
// With MNEME_ATTACK_BINARY it measures another version.
func BenchmarkWriters(b *testing.B) {
	for _, attack := range []struct {
		name                   string
		storage                func() option
		batches, values, small int
	}{
		{"sqlite/2-batches", func() option { return flags() }, 2, 100, 0},
		{"sqlite/8-batches", func() option { return flags() }, 8, 80, 0}, // an agent's bodies have at most 64 MB in total
		{"postgres/batch+20", postgres, 1, 100, 20},
		{"postgres/batch+100", postgres, 1, 100, 100},
	} {
		b.Run(attack.name, func(b *testing.B) {
			s := start(b, attack.storage(), environment("MNEME_RATE_REQUESTS=0"), startHesitant(b, "w1"))
			hog, ada := s.as("hog"), s.as("ada")
			ada.put("k", "I like my tea green.").want(b, http.StatusCreated)
			calls := map[string]func(i int) reply{
				"put":    func(i int) reply { return ada.put(fmt.Sprint("tea-", i), "I like it with milk.") },
				"get":    func(int) reply { return ada.call(http.MethodGet, memories+"k", nil) },
				"list":   func(int) reply { return ada.call(http.MethodGet, "/v1/stores/self/memories", nil) },
				"search": func(i int) reply { return ada.search(fmt.Sprint("which tea ", i), "mode", "lexical") },
			}
			measure := func(from int) map[string][]time.Duration {
				took := make(map[string][]time.Duration)
				for i := range b.N {
					for name, call := range calls {
						began := time.Now()
						if r := call(from + i); r.status >= 300 {
							b.Logf("%s: %v", name, r)
						}
						took[name] = append(took[name], time.Since(began))
					}
				}
				for _, all := range took {
					slices.Sort(all)
				}
				return took
			}
			alone := measure(0)
			// Each of these batches has the size of one transaction of a large batch. The
			// number of bytes limits such a transaction to about 20,000 terms.
			var bounded []time.Duration
			for i := range 5 {
				began := time.Now()
				hog.call(http.MethodPost, batchOfOwn, heavyBatch(1_000_000+i, 9, 1400)).want(b, http.StatusOK)
				bounded = append(bounded, time.Since(began))
			}
			slices.Sort(bounded)
			h, stop := writeWithoutEnd(b, hog, attack.batches, attack.values, 8000, attack.small)
			time.Sleep(3 * time.Second)
			began := time.Now()
			loaded := measure(b.N)
			seconds := time.Since(began).Seconds()
			b.ReportMetric(float64(h.batches.Load()), "batches")
			b.ReportMetric(float64(h.small.Load())/seconds, "small/s")
			b.ReportMetric(float64(h.refused.Load()), "refused")
			stop()
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(bounded[len(bounded)/2]), "transaction-ms")
			// The ratio should be at most 1. The target is five times the duration alone plus
			// one transaction.
			b.ReportMetric(ms(loaded["put"][b.N/2])/ms(5*alone["put"][b.N/2]+bounded[len(bounded)/2]), "put/aim")
			for name := range calls {
				b.ReportMetric(ms(alone[name][b.N/2]), name+"-alone-ms")
				b.ReportMetric(ms(loaded[name][b.N/2]), name+"-ms")
				b.ReportMetric(ms(loaded[name][b.N-1]), name+"-most-ms")
			}
		})
	}
}
