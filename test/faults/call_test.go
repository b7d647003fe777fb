//go:build unix

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// caller is an agent that calls one process.
type caller struct {
	*process
	token string
}

// as returns an agent that calls the process with a new token.
func (p *process) as(agent string, flags ...string) caller {
	p.t.Helper()
	return caller{p, p.token(agent, flags...)}
}

// at returns the same agent, calling another process of the service.
func (c caller) at(p *process) caller { return caller{p, c.token} }

// reply is a REST response. Status 0 means that there was none; err holds the
// reason.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error
}

var httpClient = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true}} // a compressed answer has a different ETag

// call makes one request. headers alternates names and values.
func (c caller) call(method, path string, body any, headers ...string) reply {
	return exchange(c.t.Context(), method, c.Address+path, c.token, body, headers...)
}

// exchange makes one request. It sends a []byte body unchanged, as NDJSON, and any other
// body as JSON. headers alternates names and values.
func exchange(ctx context.Context, method, url, token string, body any, headers ...string) reply {
	var text io.Reader
	contentType := ""
	switch body := body.(type) {
	case nil:
	case []byte:
		text, contentType = bytes.NewReader(body), "application/x-ndjson"
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			return reply{err: err}
		}
		text, contentType = bytes.NewReader(raw), "application/json"
	}
	request, err := http.NewRequestWithContext(ctx, method, url, text)
	if err != nil {
		return reply{err: err}
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	response, err := httpClient.Do(request)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{err: err}
	}
	return reply{status: response.StatusCode, header: response.Header, body: read}
}

func (r reply) String() string {
	if r.err != nil {
		return r.err.Error()
	}
	return fmt.Sprintf("%d %s", r.status, bytes.TrimSpace(r.body))
}

// refused returns an error unless the reply is a well-formed 503: a problem
// document with Retry-After.
func (r reply) refused() error {
	switch {
	case r.status != http.StatusServiceUnavailable,
		r.header.Get("Content-Type") != "application/problem+json",
		r.header.Get("Retry-After") == "":
		return fmt.Errorf("want a 503 problem with Retry-After, got %v", r)
	}
	return nil
}

// entry holds the fields of an entry that the tests check.
type entry struct {
	ID        string
	Key       string
	Value     json.RawMessage
	Version   int
	ExpiresAt time.Time `json:"expires_at"`
}

const memories = "/v1/stores/self/memories/"

// put writes a value, which is a string or a number.
func (c caller) put(key string, value any, headers ...string) reply {
	return c.call(http.MethodPut, memories+key, map[string]any{"value": value}, headers...)
}

func (c caller) get(key string) reply { return c.call(http.MethodGet, memories+key, nil) }

func (c caller) remove(key string) reply { return c.call(http.MethodDelete, memories+key, nil) }

// list returns the set of keys in the caller's own store.
func (c caller) list() map[string]bool {
	c.t.Helper()
	keys := make(map[string]bool)
	for _, e := range read[struct{ Items []entry }](c, c.call(http.MethodGet, "/v1/stores/self/memories?limit=100", nil), http.StatusOK).Items {
		keys[e.Key] = true
	}
	return keys
}

// read decodes a reply, which must have the given status.
func read[T any](c caller, r reply, status int) T {
	c.t.Helper()
	var value T
	if r.status != status {
		c.t.Fatalf("want status %d, got %v", status, r)
	}
	if err := json.Unmarshal(r.body, &value); err != nil {
		c.t.Fatalf("%v in %s", err, r.body)
	}
	return value
}

// hit is a search hit with its rank in each leg that found it.
type hit struct {
	entry
	Explain struct{ Lexical, Vector *struct{ Rank int } }
}

type found struct {
	Hits       []hit
	Degraded   []string
	Incomplete bool
}

// search is like ask, but fails the test on an error.
func (c caller) search(question string) found {
	c.t.Helper()
	f, err := c.ask(question)
	if err != nil {
		c.t.Fatal(err)
	}
	return f
}

// ask searches the caller's own store.
func (c caller) ask(question string) (f found, err error) {
	r := c.call(http.MethodPost, "/v1/search", map[string]any{"query": question, "stores": []string{"self"}, "explain": true, "typos": false, "limit": 100})
	if r.status != http.StatusOK {
		return f, fmt.Errorf("search: %v", r)
	}
	return f, json.Unmarshal(r.body, &f)
}

// complete reports whether no leg of the search failed.
func (f found) complete() bool { return len(f.Degraded) == 0 }

// lexicalOnly reports whether only the vector leg failed.
func (f found) lexicalOnly() bool { return slices.Equal(f.Degraded, []string{"vector"}) }

// hit returns the hit with the given key, or nil.
func (f found) hit(key string) *hit {
	for i := range f.Hits {
		if f.Hits[i].Key == key {
			return &f.Hits[i]
		}
	}
	return nil
}

func (f found) String() string {
	var keys []string
	for _, h := range f.Hits {
		keys = append(keys, h.Key)
	}
	return fmt.Sprintf("hits [%s], degraded %v", strings.Join(keys, " "), f.Degraded)
}

// readiness is the body of /readyz.
type readiness struct {
	Vector     bool
	Serving    string
	QueueDepth *int `json:"queue_depth"` // nil: not counted
}

// ready returns the readiness of a process, or an error if it is not ready.
func (p *process) ready() (readiness, error) { return ready(p.Address) }

// ready returns the readiness of the process at an address.
func ready(address string) (now readiness, err error) {
	response, err := httpClient.Get(address + "/readyz")
	if err != nil {
		return now, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return now, fmt.Errorf("/readyz returned %d", response.StatusCode)
	}
	return now, json.NewDecoder(response.Body).Decode(&now)
}

// counter returns the value of an unlabeled counter in a process's metrics.
func (p *process) counter(name string) float64 {
	p.t.Helper()
	response, err := httpClient.Get(p.Address + "/metrics")
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				p.t.Fatal(err)
			}
			return n
		}
	}
	p.t.Fatalf("no counter %s", name)
	return 0
}

// waitIdle waits until a process is ready and the queue is empty.
func (p *process) waitIdle() {
	p.t.Helper()
	eventually(p.t, func() error { return queueIsEmpty(p.Address) })
}

// waitIndexed waits until a process has counted at least n entries as indexed, which is
// just after they have left the queue, and returns the count.
func (p *process) waitIndexed(n float64) (indexed float64) {
	p.t.Helper()
	eventually(p.t, func() error {
		if indexed = p.counter("mneme_indexed_entries_total"); indexed < n {
			return fmt.Errorf("%v of %v entries are counted as indexed", indexed, n)
		}
		return nil
	})
	return indexed
}

// paraphrases lists memories, each with a question that shares no word with it, so
// that only the vector leg finds the memory.
var paraphrases = []struct{ key, text, question string }{
	{"breakfast", "I like my tea green, without sugar.", "favourite hot beverage"},
	{"pet", "Our dog is afraid of thunder.", "which animals live at home?"},
	{"trip", "We fly to Lisbon in May.", "vacation abroad plans"},
	{"job", "Marta works as a nurse in the clinic.", "her profession"},
	{"car", "The brakes must be repaired before winter.", "vehicle maintenance"},
	{"music", "Paul plays the cello on Sundays.", "which instruments do friends perform?"},
}

// waitSemanticHits waits until each question of paraphrases finds its memory by
// the vector leg alone.
func (c caller) waitSemanticHits() {
	c.t.Helper()
	for _, m := range paraphrases {
		eventually(c.t, func() error {
			f, err := c.ask(m.question)
			if err != nil {
				return err
			}
			h := f.hit(m.key)
			switch {
			case !f.complete():
				return fmt.Errorf("%s: %v", m.question, f)
			case h == nil || h.Explain.Vector == nil || h.Explain.Lexical != nil:
				return fmt.Errorf("%s does not find %s by the vector leg alone: %v", m.question, m.key, f)
			}
			return nil
		})
	}
}
