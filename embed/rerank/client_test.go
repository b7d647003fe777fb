package rerank

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "rk-very-secret-key"

// call is one request that a service received, of any shape.
type call struct {
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	Texts     []string `json:"texts"`
	Raw       *bool    `json:"raw_scores"`
	Truncate  bool     `json:"truncate"`
	TopN      int      `json:"top_n"`

	path, authorization string
}

// service is a fake service, which scores a text by a function.
type service struct {
	*httptest.Server
	mu    sync.Mutex
	calls []call
}

func newService(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, c call)) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := call{path: r.URL.Path, authorization: r.Header.Get("Authorization")}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &c); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		s.mu.Lock()
		s.calls = append(s.calls, c)
		s.mu.Unlock()
		answer(w, r, c)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) received() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// byLength answers with a probability that is greater for longer texts. The longest text comes
// first in its answer, as real services sort.
func byLength(w http.ResponseWriter, _ *http.Request, c call) {
	texts := slices.Concat(c.Documents, c.Texts)
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(texts[b]) - len(texts[a]) })
	items := make([]map[string]any, len(texts))
	for n, i := range order {
		score := probability(texts[i])
		items[n] = map[string]any{"index": i, "relevance_score": score, "score": score}
	}
	if c.Texts != nil {
		_ = json.NewEncoder(w).Encode(items)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "1", "results": items, "meta": map[string]any{}})
}

func probability(text string) float64 { return float64(len(text)%100+1) / 102 }

func newClient(t *testing.T, config Config) *Client {
	t.Helper()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestEachShapeRequestsAndReadsInOrder(t *testing.T) {
	texts := []string{"aa", "aaaa", "", "aaa"}
	for path, shape := range map[string]Shape{"/v2/rerank": Cohere, "/v1/rerank": Jina, "/rerank": TEI} {
		t.Run(string(shape), func(t *testing.T) {
			s := newService(t, byLength)
			c := newClient(t, Config{URL: s.URL + path, Model: "m", Key: testKey})
			scores, err := c.Rerank(t.Context(), "how long?", texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				p := probability(text)
				if want := math.Log(p / (1 - p)); math.Abs(scores[i]-want) > 1e-9 {
					t.Errorf("text %d has %v, want %v", i, scores[i], want)
				}
			}
			got := s.received()[0]
			if got.path != path || got.authorization != "Bearer "+testKey || got.Query != "how long?" {
				t.Errorf("asked %s with %q, %q", got.path, got.authorization, got.Query)
			}
			if !slices.Equal(slices.Concat(got.Documents, got.Texts), texts) {
				t.Errorf("sent %q and %q", got.Documents, got.Texts)
			}
			switch shape {
			case TEI:
				if got.Texts == nil || got.Raw == nil || *got.Raw || !got.Truncate {
					t.Errorf("sent %+v", got)
				}
			default:
				if got.Documents == nil || got.Model != "m" || got.TopN != len(texts) {
					t.Errorf("sent %+v", got)
				}
			}
		})
	}
}

func TestABatchOfTEIHas32Texts(t *testing.T) {
	s := newService(t, byLength)
	c := newClient(t, Config{URL: s.URL + "/rerank"})
	texts := make([]string, 75)
	for i := range texts {
		texts[i] = strings.Repeat("x", i)
	}
	scores, err := c.Rerank(t.Context(), "q", texts)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(scores) {
		t.Errorf("the scores are %v", scores)
	}
	sizes := []int{}
	for _, one := range s.received() {
		sizes = append(sizes, len(one.Texts))
	}
	slices.Sort(sizes)
	if !slices.Equal(sizes, []int{11, 32, 32}) {
		t.Errorf("batches of %v", sizes)
	}
}

func TestLogitsAreLimitedToTheirBounds(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, _ *http.Request, _ call) {
		fmt.Fprint(w, `[{"index": 1, "score": 3.5}, {"index": 0, "score": -900}, {"index": 2, "score": 1e300}]`)
	})
	c := newClient(t, Config{URL: s.URL + "/rerank", Scores: Logit})
	scores, err := c.Rerank(t.Context(), "q", []string{"a", "b", "c"})
	if want := []float64{-MaxLogOdds, 3.5, MaxLogOdds}; err != nil || !slices.Equal(scores, want) {
		t.Errorf("got %v, %v, want %v", scores, err, want)
	}
	if got := s.received()[0]; got.Raw == nil || !*got.Raw {
		t.Error("raw scores were not asked for")
	}
}

func TestProbabilitiesOf0And1AreFinite(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, _ *http.Request, _ call) {
		fmt.Fprint(w, `{"results": [{"index": 0, "relevance_score": 0}, {"index": 1, "relevance_score": 1}]}`)
	})
	c := newClient(t, Config{URL: s.URL + "/v1/rerank", Model: "m"})
	scores, err := c.Rerank(t.Context(), "q", []string{"a", "b"})
	if want := []float64{-MaxLogOdds, MaxLogOdds}; err != nil || !slices.Equal(scores, want) {
		t.Errorf("got %v, %v, want %v", scores, err, want)
	}
}

func TestUnusableAnswersAreErrors(t *testing.T) {
	for name, test := range map[string]struct{ cohere, tei, says string }{
		"a result is missing":     {`{"results": [{"index": 0, "relevance_score": 0.5}]}`, `[{"index": 0, "score": 0.5}]`, "1 scores for 2 texts"},
		"a result too many":       {`{"results": [{"index": 0}, {"index": 1}, {"index": 1}]}`, `[{}, {}, {}]`, "3 scores for 2 texts"},
		"an index twice":          {`{"results": [{"index": 0, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.1}]}`, `[{"index": 0, "score": 0.5}, {"index": 0, "score": 0.1}]`, "duplicate index 0"},
		"an index beyond":         {`{"results": [{"index": 2, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.1}]}`, `[{"index": 2, "score": 0.5}, {"index": 0, "score": 0.1}]`, "index 2 of 2"},
		"an index below":          {`{"results": [{"index": -1, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.1}]}`, `[{"index": -1, "score": 0.5}, {"index": 0, "score": 0.1}]`, "index -1 of 2"},
		"no index":                {`{"results": [{"relevance_score": 0.5}, {"index": 0, "relevance_score": 0.1}]}`, `[{"score": 0.5}, {"index": 0, "score": 0.1}]`, "without index or score"},
		"no score":                {`{"results": [{"index": 1}, {"index": 0, "relevance_score": 0.1}]}`, `[{"index": 1}, {"index": 0, "score": 0.1}]`, "without index or score"},
		"null for NaN":            {`{"results": [{"index": 1, "relevance_score": null}, {"index": 0, "relevance_score": 0.1}]}`, `[{"index": 1, "score": null}, {"index": 0, "score": 0.1}]`, "without index or score"},
		"NaN":                     {`{"results": [{"index": 1, "relevance_score": NaN}]}`, `[{"index": 1, "score": NaN}]`, "not the JSON"},
		"a number beyond float64": {`{"results": [{"index": 1, "relevance_score": 1e999}]}`, `[{"index": 1, "score": 1e999}]`, "not the JSON"},
		"no probability":          {`{"results": [{"index": 1, "relevance_score": 1.5}, {"index": 0, "relevance_score": 0.1}]}`, `[{"index": 1, "score": -0.5}, {"index": 0, "score": 0.1}]`, "no probability"},
		"another JSON":            {`{"result": "secret text"}`, `{"result": "secret text"}`, ""},
		"a page":                  {`<html>secret text</html>`, `<html>secret text</html>`, "not the JSON"},
		"nothing":                 {``, ``, "not the JSON"},
		"no end":                  {strings.Repeat(" ", maxAnswer+1), strings.Repeat(" ", maxAnswer+1), "longer than"},
	} {
		for path, body := range map[string]string{"/v2/rerank": test.cohere, "/rerank": test.tei} {
			t.Run(name+path, func(t *testing.T) {
				s := newService(t, func(w http.ResponseWriter, _ *http.Request, _ call) { fmt.Fprint(w, body) })
				c := newClient(t, Config{URL: s.URL + path, Model: "m"})
				scores, err := c.Rerank(t.Context(), "q", []string{"secret text", "b"})
				if !errors.Is(err, ErrAnswer) || scores != nil {
					t.Fatalf("got %v, %v, want ErrAnswer", scores, err)
				}
				if !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "secret text") {
					t.Errorf("%q must say %q", err, test.says)
				}
			})
		}
	}
}

func TestStatusesAreErrors(t *testing.T) {
	for status, want := range map[int]error{
		302: ErrRefused, 400: ErrRefused, 401: ErrRefused, 404: ErrRefused, 413: ErrRefused, 422: ErrRefused,
		429: ErrUnavailable, 500: ErrUnavailable, 503: ErrUnavailable,
	} {
		s := newService(t, func(w http.ResponseWriter, r *http.Request, _ call) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			fmt.Fprintf(w, "wrong key %s for secret text", r.Header.Get("Authorization"))
		})
		c := newClient(t, Config{URL: s.URL + "/v1/rerank", Model: "m", Key: testKey})
		_, err := c.Rerank(t.Context(), "secret text", []string{"secret text"})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), fmt.Sprint(status)) {
			t.Errorf("%d: got %v, want %v", status, err, want)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%d: the error includes the answer: %v", status, err)
		}
		if n := len(s.received()); n != 1 {
			t.Errorf("%d: %d requests", status, n)
		}
	}
}

func TestAServiceThatNeverAnswersEndsWithTheContext(t *testing.T) {
	reached := make(chan struct{})
	s := newService(t, func(_ http.ResponseWriter, r *http.Request, _ call) {
		close(reached)
		<-r.Context().Done()
	})
	c := newClient(t, Config{URL: s.URL + "/rerank", Limit: 1})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.Rerank(ctx, "q", []string{"a"})
		done <- err
	}()
	<-reached
	// A second call waits for the slot of the first one, until its own context ends.
	waiting, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.Rerank(waiting, "q", []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that waits: %v", err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAServiceThatIsDownIsUnavailable(t *testing.T) {
	s := newService(t, byLength)
	address := s.URL
	s.Close()
	c := newClient(t, Config{URL: address + "/rerank"})
	_, err := c.Rerank(t.Context(), "q", []string{"a"})
	if !errors.Is(err, ErrUnavailable) || strings.Contains(err.Error(), address) {
		t.Errorf("got %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	valid := Config{URL: "https://host:8080/v2/rerank", Model: "m"}
	if _, err := New(valid); err != nil {
		t.Fatalf("the base configuration is invalid: %v", err)
	}
	for name, test := range map[string]struct {
		change func(*Config)
		says   string
	}{
		"no address":            {func(c *Config) { c.URL = "" }, "URL is empty"},
		"not a URL":             {func(c *Config) { c.URL = "http://hunter2:%zz/" }, "URL is not a URL"},
		"other scheme":          {func(c *Config) { c.URL = "file:///v1/rerank" }, "must begin with http"},
		"no host":               {func(c *Config) { c.URL = "http:///v1/rerank" }, "has no host"},
		"password":              {func(c *Config) { c.URL = "http://me:hunter2@host/v1/rerank" }, "use Key"},
		"query":                 {func(c *Config) { c.URL = "http://host/v1/rerank?key=hunter2" }, "without query"},
		"fragment":              {func(c *Config) { c.URL = "http://host/v1/rerank#x" }, "without query or fragment"},
		"a path of no shape":    {func(c *Config) { c.URL = "http://host/v1" }, "Shape must be cohere, jina or tei"},
		"another shape":         {func(c *Config) { c.Shape = "voyage" }, "Shape must be auto"},
		"no model":              {func(c *Config) { c.Model = "" }, "Model is empty"},
		"model of two lines":    {func(c *Config) { c.Model = "a\nb" }, "Model must be"},
		"key with a line break": {func(c *Config) { c.Key = "hunter2\n" }, "Key contains characters"},
		"other scores":          {func(c *Config) { c.Scores = "stars" }, "Scores must be probability or logit"},
		"limit":                 {func(c *Config) { c.Limit = -1 }, "Limit is -1"},
	} {
		config := valid
		test.change(&config)
		_, err := New(config)
		if !errors.Is(err, ErrConfig) {
			t.Errorf("%s: got %v, want ErrConfig", name, err)
			continue
		}
		if !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %q must say %q", name, err, test.says)
		}
	}
	if _, err := New(Config{URL: "http://host/v1/score", Shape: TEI}); err != nil {
		t.Errorf("a shape that is named: %v", err)
	}
}

func TestKeyIsNeverPrinted(t *testing.T) {
	config := Config{URL: "http://localhost/rerank", Key: testKey}
	c := newClient(t, config)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("reranker", "config", config, "client", c)
	printed := fmt.Sprintf("%v %+v %#v %v %+v %#v", config, config, config, c, c, c) + log.String()
	if strings.Contains(printed, testKey) {
		t.Errorf("the key shows in %s", printed)
	}
}

// Any answer of a service gives an error or a finite score for each text.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`[{"index": 1, "score": 0.5}, {"index": 0, "score": 1}]`))
	f.Add([]byte(`{"results": [{"index": 1, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0}]}`))
	f.Add([]byte(`{"results": null}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, shape := range []Shape{Cohere, Jina, TEI} {
			items, err := forms[shape].results(answer)
			if err != nil {
				continue
			}
			scores, err := inOrder(items, 2)
			if err != nil {
				if !errors.Is(err, ErrAnswer) {
					t.Errorf("got %v", err)
				}
				continue
			}
			for _, kind := range []Scores{Probability, Logit} {
				c := &Client{config: Config{Scores: kind}}
				for _, score := range scores {
					if odds, err := c.logOdds(score); err == nil && !(math.Abs(odds) <= MaxLogOdds) {
						t.Errorf("%v is %v", score, odds)
					}
				}
			}
		}
	})
}
