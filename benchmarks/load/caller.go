package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mneme/acl"
	"mneme/benchmarks/harness"
	"mneme/benchmarks/relevance"
	"mneme/server/token"
)

// questions returns the bodies of the dataset's searches, each in its own store.
func (b *Benchmark) questions() ([][]byte, error) {
	bodies := make([][]byte, len(b.Dataset.Queries))
	for i, q := range b.Dataset.Queries {
		var err error
		if bodies[i], err = json.Marshal(map[string]any{"query": q.Text, "stores": []string{relevance.StoreOr(q.Store)}}); err != nil {
			return nil, err
		}
	}
	return bodies, nil
}

// caller sends searches sequentially.
type caller struct {
	client    *http.Client
	url       string
	token     string
	questions [][]byte
	first     int // index of its first question
	answer    bytes.Buffer

	samples           []time.Duration // of answers
	degraded, refused int
}

// measure runs one case: every caller asks questions that it has not asked before,
// and then the same questions again.
func (b *Benchmark) measure(ctx context.Context, s *harness.Server, questions [][]byte, n int) (Case, error) {
	key, err := token.OpenLocalKey(s.DataDir)
	if err != nil {
		return Case{}, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: n, DisableCompression: true}
	defer transport.CloseIdleConnections()
	callers := make([]*caller, n)
	for i := range callers {
		credential, err := key.Mint(acl.Principal{Agent: callerName(n, i), Taint: acl.Public}, 24*time.Hour, time.Now())
		if err != nil {
			return Case{}, err
		}
		callers[i] = &caller{
			client: &http.Client{Transport: transport}, url: s.Address + "/v1/search", token: credential,
			questions: questions, first: i * len(questions) / n,
		}
	}
	// The first request of a caller registers it and opens its connection.
	for _, c := range callers {
		if err := c.ask(ctx, `{"query": "warm up"}`); err != nil {
			return Case{}, err
		}
	}
	c := Case{Callers: n}
	searches, most := b.Searches, []int(nil)
	if b.Each > 0 {
		searches, most = n*b.Each, slices.Repeat([]int{min(b.Each, len(questions))}, n)
	}
	if c.First, err = b.run(ctx, s, callers, fmt.Sprintf("%d callers, first", n), searches, most); err != nil {
		return Case{}, err
	}
	asked := make([]int, n)
	for i, one := range callers {
		asked[i] = len(one.samples) + one.refused
	}
	c.Again, err = b.run(ctx, s, callers, fmt.Sprintf("%d callers, again", n), searches, asked)
	return c, err
}

// run lets the callers ask until they reach the total number of questions, or each
// reaches most; without limits, they ask every question once.
func (b *Benchmark) run(ctx context.Context, s *harness.Server, callers []*caller, task string, searches int, most []int) (Load, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	bar := harness.Locked(b.Progress.Start(int64(searches), task))
	defer bar.Exit()
	var taken atomic.Int64
	errs := make([]error, len(callers))
	before, start := s.Usage(), time.Now()
	var wg sync.WaitGroup
	for i, c := range callers {
		c.samples, c.degraded, c.refused = nil, 0, 0
		limit := len(c.questions)
		if most != nil {
			limit = most[i]
		}
		wg.Go(func() {
			for k := 0; k < limit && taken.Add(1) <= int64(searches); k++ {
				if errs[i] = c.ask(ctx, string(c.questions[(c.first+k)%len(c.questions)])); errs[i] != nil {
					cancel() // the others would wait for nothing
					return
				}
				_ = bar.Add(1) // failing to draw the bar is no reason to stop
			}
		})
	}
	wg.Wait()
	took, after := time.Since(start), s.Usage()
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil && !errors.Is(err, context.Canceled) }); i >= 0 {
		return Load{}, errs[i]
	}
	if err := errors.Join(errs...); err != nil {
		return Load{}, err
	}
	return newLoad(callers, took, before, after), nil
}

// ask sends a search, and waits for the whole answer. A refusal of a busy server
// is counted and is not an error.
func (c *caller) ask(ctx context.Context, body string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	start := time.Now()
	response, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	c.answer.Reset()
	if _, err := io.Copy(&c.answer, response.Body); err != nil {
		return err
	}
	took := time.Since(start)
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusTooManyRequests:
		c.refused++
		return nil
	default:
		return fmt.Errorf("a search was answered with status %d", response.StatusCode)
	}
	var answer struct {
		Degraded []string `json:"degraded"`
	}
	if err := json.Unmarshal(c.answer.Bytes(), &answer); err != nil {
		return errors.New("the answer of a search cannot be read")
	}
	if len(answer.Degraded) > 0 {
		c.degraded++
	}
	c.samples = append(c.samples, took)
	return nil
}
