package attacks

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// flood sends n requests from a few concurrent clients and counts the answers by
// status.
func flood(n int, send func(i int) reply) map[int]int {
	var mu sync.Mutex
	var next atomic.Int64
	count := make(map[int]int)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				r := send(i)
				mu.Lock()
				count[r.status]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return count
}

// An attacker guesses tokens. After a few guesses, its address must wait, but a valid
// token from the same address is still accepted.
func TestGuessingTokensIsSlowAndHurtsNobody(t *testing.T) {
	t.Parallel()
	s := start(t, environment("MNEME_RATE_REFUSALS=1")) // even a slow machine sends guesses faster
	alice := s.as("alice")
	alice.put("tea", "I like my tea green.").want(t, http.StatusCreated)
	for name, guess := range map[string]func(i int) reply{
		"without a token": func(int) reply { return s.bearing("").call(http.MethodGet, "/v1/stores", nil) },
		"with bad tokens": func(i int) reply {
			return s.bearing(fmt.Sprintf("mneme_%016x_secretsecretsecret", i)).call(http.MethodGet, "/v1/stores", nil)
		},
		// Without trusted proxies, callers can put anything into this header.
		"under many addresses": func(i int) reply {
			return s.bearing("bad-token").call(http.MethodGet, "/v1/stores", nil, "X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i%250))
		},
	} {
		good := make(chan reply)
		stop := make(chan struct{})
		go func() {
			defer close(good)
			for {
				r := alice.call(http.MethodGet, memories+"tea", nil)
				select {
				case good <- r:
				case <-stop:
					return
				}
			}
		}()
		counts := make(chan map[int]int)
		go func() { counts <- flood(500, guess) }()
		var count map[int]int
		for count == nil {
			select {
			case r := <-good:
				r.want(t, http.StatusOK)
			case count = <-counts:
			}
		}
		close(stop)
		for r := range good {
			r.want(t, http.StatusOK)
		}
		if count[http.StatusTooManyRequests] == 0 || count[http.StatusUnauthorized]+count[http.StatusTooManyRequests] != 500 {
			t.Errorf("%s: the answers to 500 guesses are %v", name, count)
		}
		if r := guess(0); r.status == http.StatusTooManyRequests && (r.header.Get("Retry-After") == "" || r.problem(t).Type != "urn:mneme:problem:too-many-refusals") {
			t.Errorf("%s: %v %v", name, r.header, r)
		}
	}
}

// One agent sends more requests than its limit, with several tokens.
func TestOneAgentCannotTakeEveryRequest(t *testing.T) {
	t.Parallel()
	s := start(t, environment("MNEME_RATE_REQUESTS=5")) // even a slow machine sends requests faster
	tokens := []caller{s.as("hog"), s.as("hog", "--taint", "CONFIDENTIAL"), s.as("hog", "--scope", "share")}
	ada := s.as("ada")
	count := flood(1000, func(i int) reply {
		r := tokens[i%len(tokens)].call(http.MethodGet, "/v1/stores", nil)
		if r.header.Get("RateLimit-Policy") != `"agent";q=10;w=2` || r.header.Get("RateLimit") == "" ||
			r.status == http.StatusTooManyRequests && r.header.Get("Retry-After") == "" {
			t.Errorf("%v %v", r.header, r)
		}
		return r
	})
	if count[http.StatusTooManyRequests] == 0 || count[http.StatusOK] < 10 || len(count) != 2 {
		t.Errorf("the answers are %v", count)
	}
	ada.call(http.MethodGet, "/v1/stores", nil).want(t, http.StatusOK)
	if refused, err := s.metric(`mneme_refused_total{limit="agent_requests"}`); err != nil || int(refused) != count[http.StatusTooManyRequests] {
		t.Errorf("%v requests are counted as refused, %v", refused, err)
	}
}

// Each message of a batch counts as a request: batches of 15 are refused long before the
// sixteen batches that the burst would otherwise allow, although the bucket refills in
// the meantime on a slow machine.
func TestABatchCountsEachOfItsMessages(t *testing.T) {
	t.Parallel()
	s := start(t, environment("MNEME_RATE_REQUESTS=8"))
	alice := s.as("alice")
	one := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	send := func() reply {
		return alice.call(http.MethodPost, "/mcp", "["+one+strings.Repeat(","+one, 14)+"]", "Accept", "application/json, text/event-stream")
	}
	r := send().want(t, http.StatusOK)
	for sent := 1; sent < 10 && r.status == http.StatusOK; sent++ {
		r = send()
	}
	if p := r.want(t, http.StatusTooManyRequests).problem(t); p.Type != "urn:mneme:problem:rate-limited" {
		t.Errorf("%+v", p)
	}
}

// BenchmarkRequests measures the processor time of a small request. Compare two
// builds with MNEME_ATTACK_BINARY.
func BenchmarkRequests(b *testing.B) {
	s := start(b, environment("MNEME_RATE_REQUESTS=1000000", "MNEME_LOG_LEVEL=error"))
	alice := s.as("alice")
	alice.put("tea", "I like my tea green, without sugar.").want(b, http.StatusCreated)
	for name, send := range map[string]func() reply{
		"get":    func() reply { return alice.call(http.MethodGet, memories+"tea", nil) },
		"search": func() reply { return alice.search("which tea do I like?") },
	} {
		b.Run(name, func(b *testing.B) {
			before := s.cpuTime()
			for b.Loop() {
				send().want(b, http.StatusOK)
			}
			b.ReportMetric(float64((s.cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}
