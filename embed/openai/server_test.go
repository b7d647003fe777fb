package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testDim = 4
	testKey = "sk-very-secret-key"
)

// call is one request that a server received.
type call struct {
	Input      []string `json:"input"`
	Model      string   `json:"model"`
	Dimensions int      `json:"dimensions"`

	path, authorization string
}

// server is a fake embedding server. A handler answers each request, given the
// request's number, counted from 1.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	calls []call
}

type handler func(w http.ResponseWriter, r *http.Request, c call, number int)

func newServer(t *testing.T, handle handler) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return newServerOn(t, listener, handle)
}

func newServerOn(t *testing.T, listener net.Listener, handle handler) *server {
	t.Helper()
	s := &server{}
	s.Server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := call{path: r.URL.Path, authorization: r.Header.Get("Authorization")}
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Errorf("the request is not JSON: %v", err)
		}
		s.mu.Lock()
		s.calls = append(s.calls, c)
		number := len(s.calls)
		s.mu.Unlock()
		handle(w, r, c, number)
	})}}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *server) received() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]call(nil), s.calls...)
}

// direction returns the vector of a text by the fake server. It is not of unit length.
func direction(text string) []float32 {
	hash := fnv.New32a()
	hash.Write([]byte(text))
	sum := hash.Sum32()
	v := make([]float32, testDim)
	for i := range v {
		v[i] = 1 + float32(sum>>(8*i)&0xff)
	}
	return v
}

type item struct {
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

func answer(w http.ResponseWriter, items []item) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": items})
}

func items(c call) []item {
	all := make([]item, len(c.Input))
	for i, text := range c.Input {
		all[i] = item{i, direction(text)}
	}
	return all
}

// good sends a correct answer.
func good(w http.ResponseWriter, _ *http.Request, c call, _ int) { answer(w, items(c)) }

// failing answers with a status until the request with number until, which it answers
// correctly.
func failing(status, until int, header map[string]string) handler {
	return func(w http.ResponseWriter, r *http.Request, c call, number int) {
		if number >= until {
			good(w, r, c, number)
			return
		}
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		// Like many servers, it quotes the request.
		fmt.Fprintf(w, `{"error": {"message": "cannot embed %s for %s", "type": "x", "code": %d}}`,
			c.Input[0], c.authorization, status)
	}
}

// fakeClock advances only when something sleeps, and records the sleeps.
type fakeClock struct {
	mu      sync.Mutex
	time    time.Time
	sleeps  []time.Duration
	onSleep func()
}

func (f *fakeClock) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.time
}

func (f *fakeClock) sleep(ctx context.Context, d time.Duration) error {
	f.mu.Lock()
	f.time = f.time.Add(d)
	f.sleeps = append(f.sleeps, d)
	f.mu.Unlock()
	if f.onSleep != nil {
		f.onSleep()
	}
	return ctx.Err()
}

func testConfig(s *server) Config {
	return Config{
		BaseURL: s.URL + "/v1", Model: "test-model", APIKey: testKey, Dim: testDim,
		QueryPrefix: "query: ", PassagePrefix: "passage: ",
		// Longer than any test. Tests of the timeout set another.
		Timeout: time.Minute,
	}
}

// newEmbedder returns an Embedder with a fake clock and without jitter.
func newEmbedder(t *testing.T, config Config) (*Embedder, *fakeClock) {
	t.Helper()
	e, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	clock := &fakeClock{time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	e.clock, e.random = clock, func() float64 { return 0 }
	return e, clock
}
