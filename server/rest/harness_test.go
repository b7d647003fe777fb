package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/e5/e5test"
	"mneme/memory"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/server"
	"mneme/server/checkout"
	"mneme/server/console"
	"mneme/server/limit"
	"mneme/server/rest"
	"mneme/server/servertest"
	"mneme/server/tool"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// harness is a server of this surface and of tools over a fresh database. Unless
// openIndexing opened it, it has no model: its searches are lexical.
type harness struct {
	*servertest.Server
	t       testing.TB
	surface *rest.Surface
	process *backendtest.Process
	service *memory.Service
	clock   *backendtest.Clock
	market  *meter.Market
	log     *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func open(t testing.TB) *harness { return openWith(t, memory.Limits{}) }

func openWith(t testing.TB, limits memory.Limits) *harness { return openPaying(t, limits, nil) }

// openPaying opens a harness that accepts payments.
func openPaying(t testing.TB, limits memory.Limits, methods *payment.Methods) *harness {
	t.Helper()
	// No test makes as many requests; the limit is for the RateLimit headers of the answers.
	return openOn(t, backendtest.Embedded(), limits, methods, limit.Rate{PerSecond: 1_000_000})
}

// openIndexing opens a harness with the built-in model that indexes the writes.
func openIndexing(t testing.TB) *harness {
	t.Helper()
	h := openOn(t, backendtest.Embedded(), memory.Limits{}, nil, limit.Rate{PerSecond: 1_000_000}, e5test.MustEncoder(t))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.process.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return h
}

// openOn opens a harness over a backend, with a request limit per agent.
func openOn(t testing.TB, b backendtest.Backend, limits memory.Limits, methods *payment.Methods, requests limit.Rate, embedders ...embed.Embedder) *harness {
	t.Helper()
	return openOptions(t, b, backendtest.Options{Memory: memory.Options{Limits: limits, SimilarWait: wait.Limit}}, methods, requests, embedders...)
}

// openOptions is openOn with options for the service.
func openOptions(t testing.TB, b backendtest.Backend, service backendtest.Options, methods *payment.Methods, requests limit.Rate, embedders ...embed.Embedder) *harness {
	t.Helper()
	data, clock := b.Open(t), backendtest.NewClock()
	records := data.Storage(t).ForMeter()
	rules := meter.NewMeter(records, meter.MeterOptions{Now: clock.Now})
	service.Search.Meter, service.Memory.Now = rules, clock.Now
	f := backendtest.OpenOver(t, data, service, embedders...)
	f.Clock = clock
	options := meter.Options{Meter: rules}
	if methods != nil {
		options.Gateway = methods
	}
	market := meter.NewMarket(records, f.Service, f.Searcher, options)
	metrics, log := server.NewMetrics(), &lockedBuffer{}
	surface, err := rest.New(f.Service, market, metrics, service.Memory.Limits.Value)
	if err != nil {
		t.Fatal(err)
	}
	surface.TakePayments(checkout.Desk{Methods: methods, PublicURL: "https://memory.example"})
	tools := tool.NewSurface(tool.New(f.Service, tool.Options{Market: market, ValueLimit: service.Memory.Limits.Value}))
	page, err := console.NewSurface(nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Open(t, f.Clock.Now, server.Options{
		Service: f, Metrics: metrics, Surfaces: []server.Surface{surface, tools, page},
		Log:   slog.New(slog.NewJSONHandler(log, nil)),
		Rates: server.Rates{Requests: requests, Now: clock.Now},
	})
	surface.ManageKeys(s.Keyring)
	return &harness{Server: s, t: t, surface: surface, process: f.Process, service: f.Service, clock: f.Clock, market: market, log: log}
}

var agent = backendtest.Principal

var (
	alice    = agent("alice", acl.Public)
	bob      = agent("bob", acl.Public)
	platform = acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true}
)

// answer is the response to a call.
type answer struct {
	status int
	header http.Header
	body   string
}

// call makes a request as a principal and validates the answer against the
// specification. Headers come in pairs of name and value.
func (h *harness) call(p acl.Principal, method, target, body string, header ...string) answer {
	h.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
		if strings.Contains(target, "/import") {
			r.Header.Set("Content-Type", "application/x-ndjson")
		}
	}
	r.Header.Set("Authorization", "Bearer "+h.Token(p))
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Content-Type" {
			r.Header.Del("Content-Type")
		}
		r.Header.Add(header[i], header[i+1])
	}
	return h.send(r)
}

func (h *harness) send(r *http.Request) answer {
	h.t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a := answer{w.Code, w.Header(), w.Body.String()}
	if err := conforms(r.Method, r.URL.EscapedPath(), a); err != nil {
		h.t.Fatalf("%s %s answered %d, which the specification does not know: %v\n%s", r.Method, r.URL.EscapedPath(), a.status, err, a.body)
	}
	return a
}

// want makes a call and checks its status.
func (h *harness) want(status int, p acl.Principal, method, target, body string, header ...string) answer {
	h.t.Helper()
	a := h.call(p, method, target, body, header...)
	if a.status != status {
		h.t.Fatalf("%s %s: status %d, want %d\n%s", method, target, a.status, status, a.body)
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

// items returns the objects in a list of the answer.
func (a answer) items(t testing.TB, list string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, item := range a.json(t)[list].([]any) {
		out = append(out, item.(map[string]any))
	}
	return out
}

// specification is openapi.yaml, parsed by another library.
var specification = sync.OnceValues(func() (*openapi3.T, error) {
	d, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	// A schema without a type allows null (OpenAPI 3.0.3); the library needs
	// this explicitly.
	for _, name := range []string{"Entry", "Written", "Trashed", "Hit"} {
		d.Components.Schemas[name].Value.Properties["value"].Value.Nullable = true
	}
	return d, d.Validate(context.Background())
})

// conforms validates an answer against the specification. A call that the
// specification lacks must be answered with a problem.
func conforms(method, path string, a answer) error {
	d, err := specification()
	if err != nil {
		return err
	}
	var response *openapi3.Response
	if op := operation(d, method, path); op != nil {
		ref := op.Responses.Status(a.status)
		if ref == nil {
			ref = op.Responses.Default()
		}
		response = ref.Value
	} else {
		response = d.Components.Responses["Unexpected"].Value
	}
	for name := range response.Headers {
		switch name {
		case "Retry-After", "Server-Timing": // not on every response
			continue
		case "ETag":
			if len(a.body) > 64<<10 {
				continue // the answer is too long for a tag
			}
		case "PAYMENT-REQUIRED", "PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE", "Payment-Receipt": // where payments are taken
			continue
		case "WWW-Authenticate":
			if a.status == http.StatusPaymentRequired {
				continue // the same
			}
		case "Cache-Control":
			if a.status == http.StatusOK {
				continue // only answers that were paid for with the request have it
			}
		}
		if a.header.Get(name) == "" {
			return errMissing(name)
		}
	}
	media := strings.SplitN(a.header.Get("Content-Type"), ";", 2)[0]
	if len(response.Content) == 0 {
		if a.body != "" {
			return errMissing("an empty body")
		}
		return nil
	}
	content := response.Content[media]
	if content == nil {
		return errMissing("a body of a known type, not " + media)
	}
	texts := []string{a.body}
	if media == "application/x-ndjson" {
		texts = strings.Split(strings.TrimSuffix(a.body, "\n"), "\n")
	}
	if strings.HasPrefix(media, "text/") {
		return nil
	}
	for _, text := range texts {
		if text == "" {
			continue
		}
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			return err
		}
		if err := content.Schema.Value.VisitJSON(value); err != nil {
			return err
		}
	}
	return nil
}

type errMissing string

func (e errMissing) Error() string { return "there is no " + string(e) }

// operation finds a call in the specification.
func operation(d *openapi3.T, method, path string) *openapi3.Operation {
	given := strings.Split(path, "/")
	for template, item := range d.Paths.Map() {
		parts := strings.Split(template, "/")
		same := len(parts) == len(given)
		for i := 0; same && i < len(parts); i++ {
			same = parts[i] == given[i] || strings.HasPrefix(parts[i], "{") && given[i] != ""
		}
		if same {
			return item.Operations()[method]
		}
	}
	return nil
}
