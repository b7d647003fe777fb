package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mneme/test/pipe"
)

const second = time.Second

func TestOverloadIsRetriedWithBackoff(t *testing.T) {
	tests := []struct {
		name   string
		status int
		header map[string]string
		delays []time.Duration
	}{
		{"429", 429, nil, []time.Duration{second / 2, second, 2 * second}},
		{"500", 500, nil, []time.Duration{second / 2, second, 2 * second}},
		{"503", 503, nil, []time.Duration{second / 2, second, 2 * second}},
		{"Retry-After in seconds", 429, map[string]string{"Retry-After": "7"}, []time.Duration{7 * second, 7 * second, 7 * second}},
		{"Retry-After shorter than the backoff", 503, map[string]string{"Retry-After": "1"}, []time.Duration{second, second, 2 * second}},
		// The date is 10 s after the clock's start.
		{"Retry-After as a date", 429, map[string]string{"Retry-After": "Fri, 02 Jan 2026 03:04:15 GMT"}, []time.Duration{10 * second, second, 2 * second}},
		{"Retry-After malformed", 429, map[string]string{"Retry-After": "soon"}, []time.Duration{second / 2, second, 2 * second}},
		{"Retry-After negative", 429, map[string]string{"Retry-After": "-5"}, []time.Duration{second / 2, second, 2 * second}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, failing(test.status, 4, test.header))
			e, clock := newEmbedder(t, testConfig(s))
			query, err := e.Query(t.Context(), "q")
			if err != nil || !near(query.Vector, direction("query: q")) {
				t.Fatalf("got %v, %v", query.Vector, err)
			}
			if !slices.Equal(clock.sleeps, test.delays) {
				t.Errorf("slept %v, want %v", clock.sleeps, test.delays)
			}
		})
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	s := newServer(t, failing(503, 1000, nil))
	e, clock := newEmbedder(t, testConfig(s))
	_, err := e.Query(t.Context(), "q")
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "status 503 (4 attempts)") {
		t.Errorf("got %v", err)
	}
	if n := len(s.received()); n != 4 || len(clock.sleeps) != 3 {
		t.Errorf("%d attempts, %d sleeps, want 4 and 3", n, len(clock.sleeps))
	}
}

func TestOneAttemptIsNeverRepeated(t *testing.T) {
	s := newServer(t, failing(503, 1000, nil))
	config := testConfig(s)
	config.Attempts = 1
	e, _ := newEmbedder(t, config)
	if _, err := e.Query(t.Context(), "q"); !errors.Is(err, ErrUnavailable) || len(s.received()) != 1 {
		t.Errorf("got %v after %d attempts", err, len(s.received()))
	}
}

func TestRetryAfterBeyondTheLimitEndsTheAttempts(t *testing.T) {
	s := newServer(t, failing(429, 1000, map[string]string{"Retry-After": "3600"}))
	e, clock := newEmbedder(t, testConfig(s))
	_, err := e.Query(t.Context(), "q")
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "1h0m0s, longer than 30s") {
		t.Errorf("got %v", err)
	}
	if len(s.received()) != 1 || len(clock.sleeps) != 0 {
		t.Errorf("asked %d times, slept %v", len(s.received()), clock.sleeps)
	}
}

func TestBackoffBeyondTheDeadlineEndsTheAttempts(t *testing.T) {
	s := newServer(t, failing(503, 1000, nil))
	e, clock := newEmbedder(t, testConfig(s))
	deadline := time.Now().Add(time.Hour)
	clock.time = deadline.Add(-second / 4) // the first backoff is half a second
	ctx, cancel := context.WithDeadline(t.Context(), deadline)
	defer cancel()
	if _, err := e.Query(ctx, "q"); !errors.Is(err, ErrUnavailable) || len(clock.sleeps) != 0 {
		t.Errorf("got %v, slept %v", err, clock.sleeps)
	}
}

func TestRefusalsAreNotRetried(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308, 400, 401, 403, 404, 408, 413, 422} {
		s := newServer(t, failing(status, 1000, map[string]string{"Location": "http://127.0.0.1:1/elsewhere", "Retry-After": "1"}))
		e, _ := newEmbedder(t, testConfig(s))
		_, err := e.Query(t.Context(), "q")
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), fmt.Sprintf("status %d", status)) {
			t.Errorf("status %d: got %v", status, err)
		}
		if n := len(s.received()); n != 1 {
			t.Errorf("status %d: asked %d times", status, n)
		}
	}
}

func TestErrorsNeverIncludeTextKeyOrAnswer(t *testing.T) {
	const text = "Caroline's bank is in Zürich"
	quoting := func(status int, body string) handler {
		return func(w http.ResponseWriter, _ *http.Request, c call, _ int) {
			w.WriteHeader(status)
			fmt.Fprintf(w, body, c.Input[0], c.authorization)
		}
	}
	hangUp := func(http.ResponseWriter, *http.Request, call, int) { panic(http.ErrAbortHandler) }
	for name, handle := range map[string]handler{
		"429, API error":       quoting(429, `{"error": {"message": "cannot embed %s for %s", "type": "t", "code": "c"}}`),
		"500, API error":       quoting(500, `{"error": {"message": "cannot embed %s for %s"}}`),
		"400, API error":       quoting(400, `{"error": {"message": "cannot embed %s for %s", "param": "p"}}`),
		"400, error as string": quoting(400, `{"error": "cannot embed %s for %s"}`),
		"413, plain":           quoting(413, `too long: %s, %s`),
		"502, page":            quoting(502, `<html>%s %s</html>`),
		"200, plain":           quoting(200, `%s %s`),
		"200, wrong type":      quoting(200, `{"data": "%s %s"}`),
		"302, body":            quoting(302, `%s %s`),
		"connection closed":    hangUp,
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, handle)
			e, _ := newEmbedder(t, testConfig(s))
			_, err := e.Passages(t.Context(), []string{text})
			if err == nil {
				t.Fatal("no error")
			}
			// Check wrapped errors too.
			printed := fmt.Sprintf("%v %+v %#v", err, err, err)
			for wrapped := errors.Unwrap(err); wrapped != nil; wrapped = errors.Unwrap(wrapped) {
				printed += fmt.Sprintf(" %v %#v", wrapped, wrapped)
			}
			for _, secret := range []string{"Caroline", "rich", testKey, "embed Car", "html", "too long", s.URL} {
				if strings.Contains(printed, secret) {
					t.Errorf("%q is in %s", secret, printed)
				}
			}
		})
	}
}

func TestLostConnectionIsRetried(t *testing.T) {
	cutShort := func(w http.ResponseWriter, _ *http.Request, _ call, _ int) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"data": [`)
	}
	hangUp := func(http.ResponseWriter, *http.Request, call, int) { panic(http.ErrAbortHandler) }
	for name, broken := range map[string]handler{"closed": hangUp, "cut short": cutShort} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(w http.ResponseWriter, r *http.Request, c call, n int) {
				if n < 3 {
					broken(w, r, c, n)
					return
				}
				good(w, r, c, n)
			})
			e, clock := newEmbedder(t, testConfig(s))
			if _, err := e.Query(t.Context(), "q"); err != nil {
				t.Fatal(err)
			}
			if len(clock.sleeps) != 2 {
				t.Errorf("slept %v, want 2 sleeps", clock.sleeps)
			}
		})
	}
}

func TestServerThatIsDownIsUnavailable(t *testing.T) {
	config := testConfig(newServer(t, good))
	config.BaseURL = "http://127.0.0.1:1/v1" // a privileged port: nothing listens there
	e, clock := newEmbedder(t, config)
	_, err := e.Query(t.Context(), "q")
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "connection refused (4 attempts)") {
		t.Errorf("got %v", err)
	}
	if len(clock.sleeps) != 3 {
		t.Errorf("slept %v, want 3 sleeps", clock.sleeps)
	}
}

func TestSlowAnswerIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := pipe.Listen()
		s := newServerOn(t, listener, func(w http.ResponseWriter, r *http.Request, c call, n int) {
			switch n {
			case 1: // no answer
				<-r.Context().Done()
			case 2: // half an answer
				fmt.Fprint(w, `{"data": [`)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			default:
				good(w, r, c, n)
			}
		})
		e, _ := newEmbedder(t, testConfig(s))
		e.transport.DialContext = listener.DialContext
		began := time.Now()
		if _, err := e.Query(t.Context(), "q"); err != nil {
			t.Fatal(err)
		}
		if n, took := len(s.received()), time.Since(began); n != 3 || took != 2*e.config.Timeout {
			t.Errorf("asked %d times, timed out after %v, want 3 times and twice the timeout", n, took)
		}
	})
}

func TestServerThatNeverAnswersIsUnavailable(t *testing.T) {
	s := newServer(t, func(_ http.ResponseWriter, r *http.Request, _ call, _ int) { <-r.Context().Done() })
	config := testConfig(s)
	config.Timeout, config.Attempts = 10*time.Millisecond, 2
	e, _ := newEmbedder(t, config)
	_, err := e.Query(t.Context(), "q")
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "no answer within 10ms") {
		t.Errorf("got %v", err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("the error looks like the caller's own deadline")
	}
}

func TestCanceledContextEndsTheCallAtOnce(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		s := newServer(t, good)
		e, _ := newEmbedder(t, testConfig(s))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Query(ctx, "q"); !errors.Is(err, context.Canceled) {
			t.Errorf("Query: got %v", err)
		}
		if _, err := e.Passages(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
			t.Errorf("Passages: got %v", err)
		}
		if n := len(s.received()); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("during a request", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newServer(t, func(_ http.ResponseWriter, r *http.Request, _ call, _ int) {
			cancel()
			<-r.Context().Done()
		})
		e, clock := newEmbedder(t, testConfig(s))
		if _, err := e.Query(ctx, "q"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if len(s.received()) != 1 || len(clock.sleeps) != 0 {
			t.Errorf("asked %d times, slept %v", len(s.received()), clock.sleeps)
		}
	})
	t.Run("during a wait", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newServer(t, failing(503, 1000, nil))
		e, clock := newEmbedder(t, testConfig(s))
		clock.onSleep = cancel
		if _, err := e.Query(ctx, "q"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if n := len(s.received()); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
	t.Run("in the queue", func(t *testing.T) {
		entered := make(chan struct{})
		s := newServer(t, func(_ http.ResponseWriter, r *http.Request, _ call, _ int) {
			close(entered)
			<-r.Context().Done()
		})
		config := testConfig(s)
		config.QueryLimit = 1
		e, _ := newEmbedder(t, config)
		first, endFirst := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := e.Query(first, "q")
			done <- err
		}()
		<-entered
		second, endSecond := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer endSecond()
		if _, err := e.Query(second, "q"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		endFirst()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the first call: got %v", err)
		}
	})
}

func TestRealClockSleepEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (realClock{}).sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := (realClock{}).sleep(t.Context(), time.Nanosecond); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestFailedBatchCancelsTheOthers(t *testing.T) {
	var started atomic.Int32
	both := make(chan struct{})
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, c call, n int) {
		if started.Add(1) == 2 {
			close(both)
		}
		<-both
		if c.Input[0] == "passage: bad" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		<-r.Context().Done()
	})
	config := testConfig(s)
	config.BatchSize, config.PassageLimit = 1, 2
	e, _ := newEmbedder(t, config)
	if _, err := e.Passages(t.Context(), []string{"good", "bad", "never", "sent"}); !errors.Is(err, ErrRefused) {
		t.Errorf("got %v, want ErrRefused", err)
	}
	if n := len(s.received()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestBackoffDoublesUpToItsLimitWithJitter(t *testing.T) {
	e := &Embedder{config: Config{Backoff: second, MaxBackoff: 5 * second}}
	for attempt, full := range []time.Duration{second, 2 * second, 4 * second, 5 * second, 5 * second} {
		for _, random := range []float64{0, 0.5, 0.999} {
			e.random = func() float64 { return random }
			got := e.backoff(attempt + 1)
			if want := full - time.Duration(random*float64(full)/2); got != want {
				t.Errorf("attempt %d, random %v: %v, want %v", attempt+1, random, got, want)
			}
		}
	}
	e = &Embedder{config: Config{Backoff: 1 << 60, MaxBackoff: 1 << 61}, random: func() float64 { return 0 }}
	if got := e.backoff(10); got != 1<<61 {
		t.Errorf("a delay near the limit is %v", got)
	}
}
