package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// near reports whether got is nearly the unit vector in the direction of want.
func near(got, want []float32) bool {
	var dot, squares, length float64
	for i := range want {
		dot += float64(got[i]) * float64(want[i])
		squares += float64(want[i]) * float64(want[i])
		length += float64(got[i]) * float64(got[i])
	}
	return math.Abs(length-1) < 1e-6 && math.Abs(dot/math.Sqrt(squares)-1) < 1e-6
}

func TestQueriesAndPassagesCarryTheirPrefixes(t *testing.T) {
	s := newServer(t, good)
	e, _ := newEmbedder(t, testConfig(s))
	query, err := e.Query(t.Context(), "where?")
	if err != nil {
		t.Fatal(err)
	}
	if !near(query.Vector, direction("query: where?")) {
		t.Errorf("the query's vector is %v", query.Vector)
	}
	passages, err := e.Passages(t.Context(), []string{"here", "there"})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"passage: here", "passage: there"} {
		if !near(passages[i].Vector, direction(text)) {
			t.Errorf("%q has vector %v", text, passages[i].Vector)
		}
	}
	for _, c := range s.received() {
		if c.path != "/v1/embeddings" || c.Model != "test-model" || c.authorization != "Bearer "+testKey || c.Dimensions != 0 {
			t.Errorf("the server received %+v", c)
		}
	}
}

func TestDimIsSentOnlyWhenAsked(t *testing.T) {
	s := newServer(t, good)
	config := testConfig(s)
	config.SendDim = true
	e, _ := newEmbedder(t, config)
	if _, err := e.Query(t.Context(), "q"); err != nil {
		t.Fatal(err)
	}
	if got := s.received()[0].Dimensions; got != testDim {
		t.Errorf("dimensions %d, want %d", got, testDim)
	}
}

func TestBatchesHoldAtMostTheirSizeAndKeepTheOrder(t *testing.T) {
	for _, size := range []int{0, 1, 7} { // 0: the default, 32
		s := newServer(t, good)
		config := testConfig(s)
		config.BatchSize = size
		e, _ := newEmbedder(t, config)
		texts := make([]string, 75)
		for i := range texts {
			texts[i] = fmt.Sprint("text ", i)
		}
		passages, err := e.Passages(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if !near(passages[i].Vector, direction("passage: "+text)) {
				t.Fatalf("size %d: vector %d is another text's", size, i)
			}
		}
		limit := cmp.Or(size, 32)
		sent := 0
		for _, c := range s.received() {
			sent += len(c.Input)
			if len(c.Input) > limit {
				t.Errorf("size %d: a batch of %d", size, len(c.Input))
			}
		}
		if sent != len(texts) {
			t.Errorf("size %d: %d texts were sent, want %d", size, sent, len(texts))
		}
	}
}

func TestNoPassagesNeedNoRequest(t *testing.T) {
	s := newServer(t, good)
	e, _ := newEmbedder(t, testConfig(s))
	if passages, err := e.Passages(t.Context(), nil); err != nil || len(passages) != 0 {
		t.Errorf("got %v, %v", passages, err)
	}
	if n := len(s.received()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestEmptyTextIsNeverSentEmpty(t *testing.T) {
	s := newServer(t, good)
	config := testConfig(s)
	config.QueryPrefix, config.PassagePrefix = "", ""
	e, _ := newEmbedder(t, config)
	if _, err := e.Passages(t.Context(), []string{"a", ""}); err != nil {
		t.Fatal(err)
	}
	if got := s.received()[0].Input; !slices.Equal(got, []string{"a", " "}) {
		t.Errorf("sent %q", got)
	}
}

func TestAnswersAreOrderedByTheirIndex(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request, c call, _ int) {
		all := items(c)
		slices.Reverse(all)
		answer(w, all)
	})
	e, _ := newEmbedder(t, testConfig(s))
	texts := []string{"one", "two", "three"}
	passages, err := e.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if !near(passages[i].Vector, direction("passage: "+text)) {
			t.Errorf("vector %d is another text's", i)
		}
	}
}

func TestAnswersWithoutNumbersAreInOrder(t *testing.T) {
	for name, handle := range map[string]handler{
		"all 0": func(w http.ResponseWriter, _ *http.Request, c call, _ int) {
			all := items(c)
			for i := range all {
				all[i].Index = 0
			}
			answer(w, all)
		},
		"none": func(w http.ResponseWriter, _ *http.Request, c call, _ int) {
			var data []map[string]any
			for _, text := range c.Input {
				data = append(data, map[string]any{"embedding": direction(text)})
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newEmbedder(t, testConfig(newServer(t, handle)))
			checkPassages(t, e, []string{"one", "two", "three"})
		})
	}
}

// checkPassages checks that each text gets its own vector.
func checkPassages(t *testing.T, e *Embedder, texts []string) {
	t.Helper()
	passages, err := e.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if !near(passages[i].Vector, direction("passage: "+text)) {
			t.Errorf("vector %d is another text's", i)
		}
	}
}

func TestUnusableAnswersAreErrors(t *testing.T) {
	change := func(f func([]item) []item) handler {
		return func(w http.ResponseWriter, _ *http.Request, c call, _ int) { answer(w, f(items(c))) }
	}
	raw := func(body string) handler {
		return func(w http.ResponseWriter, _ *http.Request, _ call, _ int) { fmt.Fprint(w, body) }
	}
	tests := []struct {
		name   string
		handle handler
		says   string
	}{
		{"a vector is missing", change(func(i []item) []item { return i[1:] }), "1 vectors for 2 texts"},
		{"a vector too many", change(func(i []item) []item { return append(i, i[0]) }), "3 vectors for 2 texts"},
		{"an index twice", change(func(i []item) []item { i[0].Index = 1; return i }), "duplicate index 1"},
		{"an index beyond", change(func(i []item) []item { i[1].Index = 2; return i }), "index 2 of 2"},
		{"an index below", change(func(i []item) []item { i[1].Index = -1; return i }), "index -1 of 2"},
		{"another dimension", change(func(i []item) []item {
			i[1].Embedding = append(i[1].Embedding, 1, 1, 1)
			return i
		}), "vectors of length 7, want 4"},
		{"an empty vector", change(func(i []item) []item { i[1].Embedding = nil; return i }), "vectors of length 0, want 4"},
		{"a zero vector", change(func(i []item) []item { i[len(i)-1].Embedding = make([]float32, testDim); return i }), "without direction"},
		{"nulls for NaN", raw(`{"data": [{"index": 0, "embedding": [null, null, null, null]}, {"index": 1, "embedding": [1, 1, 1, 1]}]}`), "without direction"},
		{"NaN", raw(`{"data": [{"index": 0, "embedding": [NaN, 1, 1, 1]}]}`), "not an embeddings response"},
		{"a number beyond float32", raw(`{"data": [{"index": 0, "embedding": [1e39, 1, 1, 1]}]}`), "not an embeddings response"},
		{"another JSON", raw(`{"result": "secret text"}`), "0 vectors for 2 texts"},
		{"a page", raw(`<html>secret text</html>`), "not an embeddings response"},
		{"a string for a number", raw(`{"data": [{"index": "secret text"}]}`), "not an embeddings response"},
		{"no end", raw(`{"data": [` + strings.Repeat(" ", 2<<20) + `]}`), "longer than its vectors"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, test.handle)
			e, _ := newEmbedder(t, testConfig(s))
			_, err := e.Passages(t.Context(), []string{"secret text", "b"})
			if !errors.Is(err, ErrAnswer) {
				t.Fatalf("got %v, want ErrAnswer", err)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("%q does not say %q", err, test.says)
			}
			if strings.Contains(err.Error(), "secret text") {
				t.Errorf("the error includes the answer: %q", err)
			}
			want := 1
			if test.says == "without direction" { // a short text is sent to find the cause
				want = 2
			}
			if n := len(s.received()); n != want {
				t.Errorf("%d attempts, want %d", n, want)
			}
		})
	}
}

func TestVectorsThatAreNotNumbersAreErrors(t *testing.T) {
	for _, v := range [][]float32{
		{float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}, {0, 0}, {1e-38, 0}, nil,
	} {
		if err := normalize(v); !errors.Is(err, ErrAnswer) {
			t.Errorf("%v: got %v, want ErrAnswer", v, err)
		}
	}
	for _, v := range [][]float32{{3, 4}, {math.MaxFloat32, math.MaxFloat32}, {1e-20, 0}} {
		want := slices.Clone(v)
		if err := normalize(v); err != nil || !near(v, want) {
			t.Errorf("%v became %v, %v", want, v, err)
		}
	}
}

func TestQueryDoesNotWaitForPassages(t *testing.T) {
	release := make(chan struct{})
	full := make(chan struct{}, 8)
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, c call, n int) {
		if strings.HasPrefix(c.Input[0], "passage: ") {
			full <- struct{}{}
			<-release
		}
		good(w, r, c, n)
	})
	config := testConfig(s)
	config.BatchSize, config.PassageLimit, config.QueryLimit = 1, 2, 1
	e, _ := newEmbedder(t, config)
	done := make(chan error, 1)
	go func() {
		_, err := e.Passages(context.WithoutCancel(t.Context()), []string{"a", "b", "c", "d", "e"})
		done <- err
	}()
	<-full
	<-full
	if _, err := e.Query(t.Context(), "q"); err != nil {
		t.Error(err)
	}
	passages := 0
	for _, c := range s.received() {
		if strings.HasPrefix(c.Input[0], "passage: ") {
			passages++
		}
	}
	if passages != config.PassageLimit {
		t.Errorf("%d passage requests in flight, limit %d", passages, config.PassageLimit)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestPassagesDoNotWaitForQueries(t *testing.T) {
	release := make(chan struct{})
	begun := make(chan struct{}, 8)
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, c call, n int) {
		if strings.HasPrefix(c.Input[0], "query: ") {
			begun <- struct{}{}
			<-release
		}
		good(w, r, c, n)
	})
	config := testConfig(s)
	config.PassageLimit, config.QueryLimit = 1, 1
	e, _ := newEmbedder(t, config)
	var queries sync.WaitGroup
	for range 3 {
		queries.Go(func() {
			if _, err := e.Query(context.WithoutCancel(t.Context()), "q"); err != nil {
				t.Error(err)
			}
		})
	}
	<-begun // two calls wait for it
	if _, err := e.Passages(t.Context(), []string{"a", "b"}); err != nil {
		t.Error(err)
	}
	close(release)
	queries.Wait()
}

func TestProbeReturnsTheLength(t *testing.T) {
	s := newServer(t, good)
	config := testConfig(s)
	config.Dim, config.SendDim = 0, true
	dim, err := Probe(t.Context(), config)
	if err != nil || dim != testDim {
		t.Errorf("got %d, %v, want %d", dim, err, testDim)
	}
	config.Model = ""
	if _, err := Probe(t.Context(), config); !errors.Is(err, ErrConfig) {
		t.Errorf("got %v, want ErrConfig", err)
	}
}

func TestFingerprintDependsOnWhatDecidesVectors(t *testing.T) {
	base := Config{BaseURL: "http://localhost/v1", Model: "m", Dim: 4}
	fingerprint := func(change func(*Config)) string {
		config := base
		change(&config)
		e, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		return e.Fingerprint()
	}
	seen := map[string]string{}
	for name, change := range map[string]func(*Config){
		"base":           func(*Config) {},
		"model":          func(c *Config) { c.Model = "n" },
		"dim":            func(c *Config) { c.Dim = 5 },
		"revision":       func(c *Config) { c.Revision = "ab" },
		"query prefix":   func(c *Config) { c.QueryPrefix = "ab" },
		"passage prefix": func(c *Config) { c.PassagePrefix = "ab" },
		"prefixes a, b":  func(c *Config) { c.QueryPrefix, c.PassagePrefix = "a", "b" },
	} {
		got := fingerprint(change)
		if other, ok := seen[got]; ok {
			t.Errorf("%s and %s have the fingerprint %s", name, other, got)
		}
		seen[got] = name
	}
	for name, change := range map[string]func(*Config){
		"address": func(c *Config) { c.BaseURL = "https://example.com/v1" },
		"key":     func(c *Config) { c.APIKey = "other" },
		"batch":   func(c *Config) { c.BatchSize = 3 },
		"window":  func(c *Config) { c.MaxTokens = 300 },
	} {
		if seen[fingerprint(change)] != "base" {
			t.Errorf("%s changes the fingerprint, though no vector", name)
		}
	}
	// The fingerprint is stored with every vector: if it changed, every vector would be
	// recomputed.
	if got, want := fingerprint(func(*Config) {}), "openai/m/4/6d75d68cd55a9056"; got != want {
		t.Errorf("fingerprint %q, was %q", got, want)
	}
}

func TestConfigIsChecked(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Config)
		says   string
	}{
		{"no address", func(c *Config) { c.BaseURL = "" }, "BaseURL is empty"},
		{"not a URL", func(c *Config) { c.BaseURL = "http://hunter2:%zz/" }, "BaseURL is not a URL"},
		{"no scheme", func(c *Config) { c.BaseURL = "localhost:8080/v1" }, "must begin with http"},
		{"other scheme", func(c *Config) { c.BaseURL = "file:///v1" }, "must begin with http"},
		{"no host", func(c *Config) { c.BaseURL = "http:///v1" }, "has no host"},
		{"password", func(c *Config) { c.BaseURL = "http://me:hunter2@host/v1" }, "use APIKey"},
		{"query", func(c *Config) { c.BaseURL = "http://host/v1?key=hunter2" }, "without query"},
		{"fragment", func(c *Config) { c.BaseURL = "http://host/v1#x" }, "without query or fragment"},
		{"no model", func(c *Config) { c.Model = "" }, "Model is empty"},
		{"model of two lines", func(c *Config) { c.Model = "a\nb" }, "Model must be"},
		{"long revision", func(c *Config) { c.Revision = strings.Repeat("r", 257) }, "Revision must be"},
		{"key with a line break", func(c *Config) { c.APIKey = "hunter2\n" }, "APIKey contains characters"},
		{"no dimension", func(c *Config) { c.Dim = 0 }, "Dim is not set"},
		{"negative dimension", func(c *Config) { c.Dim = -1 }, "Dim is -1, must be 1 to 16384"},
		{"small window", func(c *Config) { c.MaxTokens = 31 }, "MaxTokens is 31"},
		{"cosines in reverse", func(c *Config) { c.CosineUnrelated, c.CosineRelated = 0.5, 0.1 }, "CosineUnrelated must be less"},
		{"cosine beyond 1", func(c *Config) { c.CosineRelated = 1.5 }, "CosineUnrelated must be less"},
		{"large batch", func(c *Config) { c.BatchSize = 33 }, "BatchSize is 33, must be 1 to 32"},
		{"negative batch", func(c *Config) { c.BatchSize = -1 }, "BatchSize is -1"},
		{"query limit", func(c *Config) { c.QueryLimit = -1 }, "QueryLimit is -1"},
		{"passage limit", func(c *Config) { c.PassageLimit = 257 }, "PassageLimit is 257"},
		{"timeout", func(c *Config) { c.Timeout = -1 }, "Timeout is -1ns"},
		{"attempts", func(c *Config) { c.Attempts = 11 }, "Attempts is 11, must be 1 to 10"},
		{"backoff", func(c *Config) { c.Backoff = -1 }, "Backoff is -1ns"},
		{"backoff above its limit", func(c *Config) { c.Backoff = time.Minute }, "MaxBackoff is 30s, must be at least Backoff, 1m0s"},
		{"long prefix", func(c *Config) { c.QueryPrefix = strings.Repeat("hunter2 ", 200) }, "QueryPrefix takes up"},
		{"long passage prefix", func(c *Config) { c.PassagePrefix = strings.Repeat("hunter2 ", 200) }, "PassagePrefix takes up"},
	}
	valid := Config{BaseURL: "https://host:8080/v1/", Model: "m", Dim: 4}
	if _, err := New(valid); err != nil {
		t.Fatalf("the base configuration is invalid: %v", err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config := valid
			test.change(&config)
			_, err := New(config)
			if !errors.Is(err, ErrConfig) {
				t.Fatalf("got %v, want ErrConfig", err)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("%q does not say %q", err, test.says)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error includes a secret: %q", err)
			}
		})
	}
}

func TestQueryIsCutAtTheWindow(t *testing.T) {
	s := newServer(t, good)
	config := testConfig(s)
	config.MaxTokens = 64
	e, _ := newEmbedder(t, config)
	if _, err := e.Query(t.Context(), strings.Repeat("word ", 2000)); err != nil {
		t.Fatal(err)
	}
	sent := s.received()[0].Input[0]
	if !strings.HasPrefix(sent, "query: word word ") || !strings.HasSuffix(sent, "word ") {
		t.Errorf("sent %q", sent)
	}
	if n := len(sent); n < 65 || n > 132 {
		t.Errorf("sent %d bytes", n)
	}
}

func TestKeyIsNeverPrinted(t *testing.T) {
	config := Config{BaseURL: "http://localhost/v1", Model: "m", Dim: 4, APIKey: testKey}
	e, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("embedder", "config", config, "embedder", e)
	printed := fmt.Sprintf("%v %+v %#v %v %+v %#v", config, config, config, e, e, e) + log.String()
	if strings.Contains(printed, testKey) {
		t.Errorf("the key shows in %s", printed)
	}
}
