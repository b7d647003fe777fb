package robutler_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/memory/memorytest"
	"mneme/server"
	"mneme/server/rest"
	"mneme/server/robutler"
	"mneme/server/token"
)

// clock is a clock that stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// house is a server over a fresh database, with the native surface beside:
// a platform's facts and an agent's settings are written there.
type house struct {
	*server.Server
	t       testing.TB
	service *memory.Service
	clock   *clock
	key     *token.LocalKey
}

func open(t testing.TB) *house { return openWith(t, memory.Limits{}) }

func openWith(t testing.TB, limits memory.Limits) *house {
	t.Helper()
	return openOn(t, memorytest.Embedded(), limits)
}

func openOn(t testing.TB, b memorytest.Backend, limits memory.Limits) *house {
	t.Helper()
	ctx := context.Background()
	h := &house{t: t, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	e, err := memorytest.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	data := b.Open(t)
	h.service, err = memory.New(ctx, data.Storage(t), memory.Options{
		Limits: limits, Now: h.clock.Now, VectorBudget: time.Minute, Models: []memory.Model{data.Model(t, e)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if h.key, err = token.OpenLocalKey(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	verifier, err := token.NewVerifier(ctx, token.Options{Local: h.key, Now: h.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	metrics := server.NewMetrics()
	native, err := rest.New(h.service, metrics, limits.Value)
	if err != nil {
		t.Fatal(err)
	}
	h.Server = server.New(server.Options{
		Service: h.service, Verifier: verifier, Metrics: metrics,
		Surfaces: []server.Surface{native, robutler.New(h.service, metrics, limits.Value)},
	})
	return h
}

// index works the queue until it is empty.
func (h *house) index() {
	h.t.Helper()
	if err := h.service.Drain(context.Background(), nil); err != nil {
		h.t.Fatal(err)
	}
}

// agent is a principal without any claim but its name and taint.
func agent(name string, taint acl.Label) acl.Principal {
	return acl.Principal{Agent: name, Taint: taint}
}

var (
	alice    = agent("alice", acl.Public)
	bob      = agent("bob", acl.Public)
	platform = acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true}
)

const root = "/api/storage/memory"

// answer is what a call brought.
type answer struct {
	status int
	header http.Header
	body   string
}

// call makes a request as a principal. Headers come in pairs of name and
// value; an empty value takes the header away.
func (h *house) call(p acl.Principal, method, target, body string, header ...string) answer {
	h.t.Helper()
	minted, err := h.key.Mint(p, time.Hour, h.clock.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json") // with every call, as the Python skill does
	r.Header.Set("Authorization", "Bearer "+minted)
	for i := 0; i < len(header); i += 2 {
		if header[i+1] == "" {
			r.Header.Del(header[i])
			continue
		}
		r.Header.Set(header[i], strings.ReplaceAll(header[i+1], "TOKEN", minted))
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a := answer{w.Code, w.Header(), w.Body.String()}
	media, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	want := "application/json"
	if a.status >= 400 {
		want = "application/problem+json"
	}
	if a.body != "" && (media != want || !json.Valid([]byte(a.body))) {
		h.t.Fatalf("%s %s: %d is %s, not valid %s\n%s", method, target, a.status, media, want, a.body)
	}
	return a
}

// want makes a call and checks its status.
func (h *house) want(status int, p acl.Principal, method, target, body string, header ...string) answer {
	h.t.Helper()
	a := h.call(p, method, target, body, header...)
	if a.status != status {
		h.t.Fatalf("%s %s %s: status %d, want %d\n%s", method, target, body, a.status, status, a.body)
	}
	return a
}

// json reads the answer's body.
func (a answer) json(t testing.TB) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		t.Fatalf("%v\n%s", err, a.body)
	}
	return body
}

// all are the values of one field in a list of the answer.
func (a answer) all(t testing.TB, list, field string) []string {
	t.Helper()
	found := []string{}
	for _, item := range a.json(t)[list].([]any) {
		if m, ok := item.(map[string]any); ok {
			item = m[field]
		}
		text, _ := item.(string)
		found = append(found, text)
	}
	return found
}

// join writes that an agent takes part in a chat.
func (h *house) join(chat, agent string) {
	h.t.Helper()
	h.want(204, platform, "PUT", "/v1/chats/"+chat+"/participants/"+agent, "{}")
}

// attend writes that an agent is in a session of a user.
func (h *house) attend(user, agent string) {
	h.t.Helper()
	h.want(204, platform, "PUT", "/v1/users/"+user+"/sessions/"+agent, "{}")
}
