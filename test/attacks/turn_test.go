package attacks

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/test/size"
	"mneme/test/wait"
)

// One agent has a hundred concurrent searches. Another agent's single search must
// not queue behind them: while it runs, only few of the hundred are answered.
func TestAHundredSearchesDoNotDelayOne(t *testing.T) {
	t.Parallel()
	s := start(t, environment("MNEME_SEARCH_RUNNING=1"))
	hog, ada := s.as("hog"), s.as("ada")
	for i := range 20 {
		hog.put(fmt.Sprint("k", i), strings.Repeat(fmt.Sprintf("tea of the kind %d ", i), 200)).want(t, http.StatusCreated)
	}
	ada.put("k", "I like my tea green.").want(t, http.StatusCreated)

	var answered, refused, other atomic.Int64
	var group sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	hog.ctx = ctx
	for i := range 100 {
		group.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				switch r := hog.search(fmt.Sprintf("what kind of tea is %d of %d?", n, i)); {
				case ctx.Err() != nil:
				case r.status == http.StatusOK:
					answered.Add(1)
				case r.status == http.StatusTooManyRequests && r.header.Get("Retry-After") != "":
					refused.Add(1)
				default:
					other.Add(1)
				}
			}
		})
	}
	wait.Until(t, "some searches of the hog are answered and some refused", func() error {
		if answered.Load() == 0 || refused.Load() == 0 {
			return fmt.Errorf("%d are answered, %d refused", answered.Load(), refused.Load())
		}
		return nil
	})
	// One search was running, another may have been next, and their answers and the
	// refusals may arrive in any order.
	const most = 10
	// On a busy machine a request may also wait before the server reads it,
	// whatever the order of the queue. Behind the hog's 64 waiting searches, hardly
	// any search would be quick.
	fewest := int64(math.MaxInt64)
	for i := 0; i < 100 && fewest > most; i++ {
		before := answered.Load()
		ada.search(fmt.Sprintf("which tea do I like, %d?", i)).want(t, http.StatusOK)
		fewest = min(fewest, answered.Load()-before)
	}
	stop()
	group.Wait()
	if fewest > most {
		t.Errorf("at least %d searches of another agent were answered before one search", fewest)
	}
	if other.Load() != 0 {
		t.Errorf("%d searches were answered, %d refused, %d neither", answered.Load(), refused.Load(), other.Load())
	}
	t.Logf("%d searches were answered before the quickest", fewest)
}

// longQuestion is the maximum length of a query, in bytes.
const longQuestion = 16_000

// askAtLength keeps some questions of the given length in flight until stop is called,
// and counts their answers.
func askAtLength(t testing.TB, hog caller, questions, bytes int) (answered *atomic.Int64, stop func()) {
	answered = new(atomic.Int64)
	ctx, cancel := context.WithCancel(t.Context())
	hog.ctx = ctx
	var group sync.WaitGroup
	for i := range questions {
		random := rand.New(rand.NewPCG(5, uint64(i)))
		group.Go(func() {
			for {
				r := hog.search(prose(random, bytes)[:bytes])
				if ctx.Err() != nil {
					return
				}
				if r.status != http.StatusOK {
					t.Errorf("a long question: %v", r)
					return
				}
				answered.Add(1)
			}
		})
	}
	return answered, func() {
		cancel()
		group.Wait()
	}
}

// A short question overtakes long ones: between its request and its answer, hardly any
// long question is answered, although several are queued before it each time.
func TestAShortQuestionOvertakesLongOnes(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		longs := max(size.Of(6, 8), 2*runtime.GOMAXPROCS(0)) // more than the server runs at a time
		s := start(t, storage)
		hog, ada := s.as("hog"), s.as("ada")
		for i := range size.Of(10, 50) {
			hog.put(fmt.Sprint("k", i), prose(rand.New(rand.NewPCG(6, uint64(i))), 400)).want(t, http.StatusCreated)
		}
		ada.put("k", "I like my tea green.").want(t, http.StatusCreated)
		wait.Until(t, "the line is found by its meaning", func() error { return ada.byMeaning(t, "what does she drink?", "k") })
		answered, stop := askAtLength(t, hog, longs, size.Of(longQuestion/2, longQuestion))
		defer stop()
		wait.Until(t, "long questions are answered", func() error {
			if n := answered.Load(); n < int64(size.Of(1, longs)) {
				return fmt.Errorf("%d are", n)
			}
			return nil
		})
		// On a busy machine a request may wait before the server reads it, so the test
		// repeats rounds.
		const most, rounds = 1, 20
		questions := size.Of(3, 9)
		var passed []int64
		for round := range rounds {
			passed = passed[:0]
			for i := range questions {
				before := answered.Load()
				ada.search(fmt.Sprintf("which tea do I like, %d of %d?", i, round)).want(t, http.StatusOK)
				passed = append(passed, answered.Load()-before)
			}
			slices.Sort(passed)
			if passed[questions/2] <= most {
				return
			}
		}
		t.Errorf("long questions that were answered before each short one: %d", passed)
	})
}

// Eighty concurrent lists have a condition on long values: while another agent's search
// runs, fewer than eighty of them are answered. If the search's snapshots queued behind
// those of the lists on PostgreSQL, it would wait for all of them; a busy machine slows a
// search down, but not by that much.
func TestListsOfLongValuesDoNotDelayASearch(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage, startHesitant(t, "garden")) // the values wait for their vectors
		hog, ada := s.as("hog"), s.as("ada")
		for i := range 60 {
			text := prose(rand.New(rand.NewPCG(7, uint64(i))), hogBytes)
			hog.call(http.MethodPut, fmt.Sprint(memories, "k", i), map[string]any{"value": map[string]any{"n": i, "text": text}}).want(t, http.StatusCreated)
		}
		ada.put("k", "I like my tea green.").want(t, http.StatusCreated)
		within := "/v1/stores/self/memories?limit=10&where=" + url.QueryEscape(`{"value.n":{"lt":0}}`)
		var answered atomic.Int64
		var group sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		hog.ctx = ctx
		const lists = 80
		for range lists {
			group.Go(func() {
				for {
					// On a busy machine a call's budget for reading values may expire.
					r := hog.call(http.MethodGet, within, nil)
					if ctx.Err() != nil {
						return
					}
					if late := r.status == http.StatusUnprocessableEntity && strings.Contains(string(r.body), "of reading values"); r.status != http.StatusOK && !late {
						t.Errorf("a list: %v", r)
						return
					}
					answered.Add(1)
				}
			})
		}
		wait.Until(t, "lists are answered", func() error {
			if n := answered.Load(); n < lists {
				return fmt.Errorf("%d are", n)
			}
			return nil
		})
		const most, rounds, questions = lists, 20, 9
		var passed []int64
		for round := range rounds {
			passed = passed[:0]
			for i := range questions {
				before := answered.Load()
				// The search is lexical: on a busy machine, embedding would take long in any order.
				ada.search(fmt.Sprintf("which tea do I like, %d of %d?", i, round), "mode", "lexical").want(t, http.StatusOK)
				passed = append(passed, answered.Load()-before)
			}
			slices.Sort(passed)
			if passed[questions/2] <= most {
				break
			}
		}
		stop()
		group.Wait()
		if passed[questions/2] > most {
			t.Errorf("lists that were answered before each search: %d", passed)
		}
	})
}

// A condition on values that exceeds its budget is refused, and the refusal names the limit.
func TestAConditionOnValuesHasABudget(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage, startHesitant(t, "garden"), environment("MNEME_LIMITS_CONDITION_BYTES=1000000"))
		hog := s.as("hog")
		for i := range 20 {
			hog.put(fmt.Sprint("k", i), prose(rand.New(rand.NewPCG(8, uint64(i))), hogBytes)).want(t, http.StatusCreated)
		}
		where := map[string]any{"value.n": map[string]any{"eq": 1}}
		for what, answer := range map[string]reply{
			"search": hog.search("a window", "where", where),
			"list":   hog.call(http.MethodGet, "/v1/stores/self/memories?where="+url.QueryEscape(`{"value.n":{"eq":1}}`), nil),
		} {
			if p := answer.want(t, http.StatusUnprocessableEntity).problem(t); p.Field != "where" || !strings.Contains(p.Detail, "limits.condition_bytes") {
				t.Errorf("%s: %v", what, answer)
			}
		}
		where["key"] = map[string]any{"prefix": "k1"}
		hog.search("a window", "where", where).want(t, http.StatusOK)
	})
}

// BenchmarkLongQuestions reports the duration of an agent's search during eight
// concurrent questions of 16 kB from another agent, and its ratio to the duration
// without them:
//
//	go test -run '^$' -bench LongQuestions -benchtime 100x ./test/attacks
//
// With MNEME_ATTACK_BINARY it measures another version.
func BenchmarkLongQuestions(b *testing.B) {
	s := start(b)
	hog, ada := s.as("hog"), s.as("ada")
	for i := range 50 {
		hog.put(fmt.Sprint("k", i), prose(rand.New(rand.NewPCG(6, uint64(i))), 400)).want(b, http.StatusCreated)
		ada.put(fmt.Sprint("k", i), fmt.Sprintf("I like my tea of the kind %d green.", i)).want(b, http.StatusCreated)
	}
	wait.Until(b, "the line is found by its meaning", func() error { return ada.byMeaning(b, "which tea do I like of kind 7?", "k7") })
	median := func(when string) time.Duration {
		took := make([]time.Duration, b.N)
		for i := range took {
			began := time.Now()
			ada.search(fmt.Sprintf("which tea do I like %s, %d of %d?", when, i, b.N)).want(b, http.StatusOK)
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		return took[len(took)/2]
	}
	alone := median("alone")
	answered, stop := askAtLength(b, hog, 8, longQuestion)
	began := time.Now()
	loaded := median("loaded")
	longs := float64(answered.Load()) / time.Since(began).Seconds()
	stop()
	b.ReportMetric(float64(alone.Microseconds())/1000, "alone-ms")
	b.ReportMetric(float64(loaded.Microseconds())/1000, "loaded-ms")
	b.ReportMetric(float64(loaded)/float64(alone), "times")
	b.ReportMetric(longs, "long/s")
}
