package attacks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// caller is an agent that calls a server.
type caller struct {
	*server
	token string
	ctx   context.Context // of its calls; nil: the test's
}

// as returns an agent with a new token. flags are flags of `mneme token`, such as
// "--taint", "CONFIDENTIAL", "--scope", "platform", "--chat", "c1", "--user", "u1".
func (s *server) as(agent string, flags ...string) caller {
	s.t.Helper()
	return s.bearing(strings.TrimSpace(s.output(append([]string{"token", "--agent", agent}, flags...)...)))
}

// bearing returns a caller with a token of any kind, or without a token if it
// is empty.
func (s *server) bearing(token string) caller {
	s.secret(token)
	return caller{server: s, token: token}
}

// reply is a response. Status 0 means that there was none; err holds the reason.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error
}

// patience is the limit of every wait. It is far above the waits on a busy machine.
const patience = 4 * time.Minute

// client does not limit its connections.
var client = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// call makes one request. body is nil, a string or []byte that is sent unchanged,
// or a value that is sent as JSON. headers alternates names and values.
func (c caller) call(method, path string, body any, headers ...string) reply {
	var content []byte
	switch body := body.(type) {
	case nil:
	case string:
		content = []byte(body)
	case []byte:
		content = body
	default:
		var err error
		if content, err = json.Marshal(body); err != nil {
			return reply{err: err}
		}
	}
	request, err := http.NewRequestWithContext(cmp.Or(c.ctx, c.t.Context()), method, c.Address+path, bytes.NewReader(content))
	if err != nil {
		return reply{err: err}
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	response, err := client.Do(request)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return reply{status: response.StatusCode, header: response.Header, body: read, err: err}
}

const memories = "/v1/stores/self/memories/"

// put writes a value into the caller's own store.
func (c caller) put(key, value string) reply {
	c.secret(value)
	return c.call(http.MethodPut, memories+key, map[string]any{"value": value})
}

// search makes one search. options alternates names and values of further fields.
func (c caller) search(query string, options ...any) reply {
	c.secret(query)
	body := map[string]any{"query": query}
	for pair := range slices.Chunk(options, 2) {
		body[pair[0].(string)] = pair[1]
	}
	return c.call(http.MethodPost, "/v1/search", body)
}

func (r reply) String() string {
	if r.err != nil {
		return r.err.Error()
	}
	return fmt.Sprintf("%d %s", r.status, bytes.TrimSpace(r.body[:min(len(r.body), 500)]))
}

// want fails the test unless the reply has the status. It returns the reply.
func (r reply) want(t testing.TB, status int) reply {
	t.Helper()
	if r.err != nil || r.status != status {
		t.Fatalf("want status %d, got %v", status, r)
	}
	return r
}

// problem is a problem document.
type problem struct {
	Type, Title, Detail, Instance, Field, Limit string
	Status                                      int
}

// problem decodes a refusal. It fails the test if the reply is not a problem document.
func (r reply) problem(t testing.TB) problem {
	t.Helper()
	var p problem
	if r.header.Get("Content-Type") != "application/problem+json" || json.Unmarshal(r.body, &p) != nil || p.Type == "" || p.Status != r.status {
		t.Fatalf("want a problem, got %v", r)
	}
	return p
}

// decode decodes the body of a reply.
func decode[T any](t testing.TB, r reply) (value T) {
	t.Helper()
	if err := json.Unmarshal(r.body, &value); err != nil {
		t.Fatalf("%v in %v", err, r)
	}
	return value
}
