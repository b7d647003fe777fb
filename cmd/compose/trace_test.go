package compose_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/test/wait"
)

// spanStore is an OTLP/HTTP collector that keeps the spans it receives.
type spanStore struct {
	mu    sync.Mutex
	spans []*otlp.Span
	text  strings.Builder // everything received, as JSON
}

func (s *spanStore) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := new(collector.ExportTraceServiceRequest)
	if err != nil || proto.Unmarshal(body, request) != nil {
		return // the test will miss the spans
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.WriteString(protojson.Format(request))
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			s.spans = append(s.spans, scope.GetSpans()...)
		}
	}
}

// under returns the names of the spans directly below the one called parent,
// sorted, each once.
func (s *spanStore) under(parent string) []string {
	var names []string
	for _, p := range s.spans {
		for _, child := range s.spans {
			if p.GetName() == parent && string(child.GetParentSpanId()) == string(p.GetSpanId()) {
				names = append(names, child.GetName())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// agentVerifier accepts any credential, as the name of the agent.
type agentVerifier struct{}

func (v agentVerifier) VerifyAtOnce(ctx context.Context, credential string) (acl.Principal, error) {
	return v.Verify(ctx, credential)
}

func (agentVerifier) Verify(_ context.Context, credential string) (acl.Principal, error) {
	return acl.Principal{Agent: credential, Taint: acl.Public}, nil
}

func TestTracesShowStepsButNoMemoryText(t *testing.T) {
	spans := new(spanStore)
	server := httptest.NewServer(spans)
	defer server.Close()
	config := configs.Default()
	config.DataDir = t.TempDir()
	config.Tracing.Endpoint = server.URL + "/v1/traces"
	config.Search.VectorBudget = wait.Limit
	instance, err := compose.Open(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	handler, err := compose.NewServer(instance, agentVerifier{}, config, compose.Build{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- instance.Run(ctx) }()

	const traceID = "0af7651916cd43dd8448eb211c80319c"
	call := func(method, path, body string, want int) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer secretagent")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Traceparent", "00-"+traceID+"-b7ad6b7169203331-01")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Fatalf("%s %s returned %d: %s", method, path, w.Code, w.Body)
		}
	}
	call("PUT", "/v1/stores/self/memories/secretkey?wait=indexed", `{"value": "secretvalue is green tea"}`, 201)
	call("POST", "/v1/search", `{"query": "secretquery about tea"}`, 200)
	call("POST", "/v1/search", `{"query": "secretquery", "stores": ["secretstore"]}`, 403)
	wait.Until(t, "the entry is indexed", func() error {
		if s := instance.Status(t.Context()); !s.Counted || s.Queue > 0 {
			return fmt.Errorf("the status is %+v", s)
		}
		return nil
	})
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := instance.Close(); err != nil {
		t.Error(err)
	}

	spans.mu.Lock()
	defer spans.mu.Unlock()
	for parent, want := range map[string][]string{
		"POST /v1/search": {"search"},
		"search":          {"embed", "lexical", "queue", "rows", "scope", "vector"},
		"index":           {"embed", "rows", "save"},
	} {
		if got := spans.under(parent); !slices.Equal(got, want) {
			t.Errorf("spans below %s are %v, want %v", parent, got, want)
		}
	}
	if !slices.ContainsFunc(spans.spans, func(s *otlp.Span) bool {
		return s.GetName() == "PUT /v1/stores/:store/memories/:key" && strings.EqualFold(hex.EncodeToString(s.GetTraceId()), traceID)
	}) {
		t.Error("no span of the PUT is in the trace named by its traceparent")
	}
	if i := strings.Index(strings.ToLower(spans.text.String()), "secret"); i >= 0 {
		t.Errorf("the spans include text of a request: …%.80s…", spans.text.String()[max(0, i-30):])
	}
}
