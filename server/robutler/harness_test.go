package robutler_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/embed/e5/e5test"
	"mneme/memory"
	"mneme/meter"
	"mneme/server"
	"mneme/server/checkout"
	"mneme/server/limit"
	"mneme/server/rest"
	"mneme/server/robutler"
	"mneme/server/servertest"
	"mneme/test/backendtest"
)

// harness is a server of this surface over a fresh database. It has the
// native surface for a platform's facts and agents' settings.
type harness struct {
	*servertest.Server
	t       testing.TB
	service *memory.Service
	market  *meter.Market
	clock   *backendtest.Clock
	index   func() // works the indexing queue until it is empty
}

func open(t testing.TB) *harness { return openWith(t, memory.Limits{}) }

func openWith(t testing.TB, limits memory.Limits) *harness {
	t.Helper()
	return openOn(t, backendtest.Embedded(), limits)
}

func openOn(t testing.TB, b backendtest.Backend, limits memory.Limits) *harness {
	t.Helper()
	return openRated(t, b, limits, limit.Rate{})
}

// openRated is openOn with a rate of requests.
func openRated(t testing.TB, b backendtest.Backend, limits memory.Limits, requests limit.Rate) *harness {
	t.Helper()
	f := backendtest.Open(t, b, backendtest.Options{Memory: memory.Options{Limits: limits}}, e5test.MustEncoder(t))
	metrics := server.NewMetrics()
	native, err := rest.New(f.Service, f.Market, metrics, limits.Value)
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Open(t, f.Clock.Now, server.Options{
		Service: f, Metrics: metrics, Rates: server.Rates{Requests: requests, Now: f.Clock.Now},
		Surfaces: []server.Surface{native, robutler.New(f.Service, f.Market, checkout.Desk{}, metrics, limits.Value)},
	})
	return &harness{Server: s, t: t, service: f.Service, market: f.Market, clock: f.Clock, index: f.Index}
}

var agent = backendtest.Principal

var (
	alice    = agent("alice", acl.Public)
	bob      = agent("bob", acl.Public)
	platform = acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true}
)

const root = "/api/storage/memory"

// answer is the response to a call.
type answer struct {
	status int
	header http.Header
	body   string
}

// call makes a request as a principal. Headers come in pairs of name and
// value; an empty value removes the header.
func (h *harness) call(p acl.Principal, method, target, body string, header ...string) answer {
	h.t.Helper()
	token := h.Token(p)
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json") // with every call, as the Python skill does
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(header); i += 2 {
		if header[i+1] == "" {
			r.Header.Del(header[i])
			continue
		}
		r.Header.Set(header[i], strings.ReplaceAll(header[i+1], "TOKEN", token))
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
func (h *harness) want(status int, p acl.Principal, method, target, body string, header ...string) answer {
	h.t.Helper()
	a := h.call(p, method, target, body, header...)
	if a.status != status {
		h.t.Fatalf("%s %s %s: status %d, want %d\n%s", method, target, body, a.status, status, a.body)
	}
	return a
}

// json decodes the answer's body.
func (a answer) json(t testing.TB) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		t.Fatalf("%v\n%s", err, a.body)
	}
	return body
}

// all returns the values of one field in a list of the answer.
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

// join records that an agent takes part in a chat.
func (h *harness) join(chat, agent string) {
	h.t.Helper()
	h.want(204, platform, "PUT", "/v1/chats/"+chat+"/participants/"+agent, "{}")
}

// attend records that an agent is in a session with a user.
func (h *harness) attend(user, agent string) {
	h.t.Helper()
	h.want(204, platform, "PUT", "/v1/users/"+user+"/sessions/"+agent, "{}")
}
