package tracing_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"mneme/internal/tracing"
)

// newCollector starts an OTLP/HTTP collector, and returns a channel with the requests that it
// gets.
func newCollector(t *testing.T) (endpoint string, received <-chan *collector.ExportTraceServiceRequest) {
	t.Helper()
	requests := make(chan *collector.ExportTraceServiceRequest, 8)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		request := new(collector.ExportTraceServiceRequest)
		if err != nil || proto.Unmarshal(body, request) != nil {
			t.Error("the body is no OTLP request")
			return
		}
		requests <- request
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1/traces", requests
}

func TestSpansReachTheCollector(t *testing.T) {
	endpoint, received := newCollector(t)
	provider, err := tracing.New(t.Context(), tracing.Options{Endpoint: endpoint, SampleRatio: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, span := provider.Tracer("mneme/search").Start(t.Context(), "search")
	span.End()
	provider.Close(t.Context())
	request := <-received
	spans := request.GetResourceSpans()[0]
	attributes := make(map[string]string)
	for _, a := range spans.GetResource().GetAttributes() {
		attributes[a.GetKey()] = a.GetValue().GetStringValue()
	}
	if attributes["service.name"] != "mneme" {
		t.Errorf("the resource is %v, want service.name mneme", attributes)
	}
	scope := spans.GetScopeSpans()[0]
	if got := scope.GetScope().GetName(); got != "mneme/search" {
		t.Errorf("the scope is %q, want mneme/search", got)
	}
	if got := scope.GetSpans()[0].GetName(); got != "search" {
		t.Errorf("the span is %q, want search", got)
	}
}

func TestSampleRatioZeroExportsNothing(t *testing.T) {
	endpoint, received := newCollector(t)
	provider, err := tracing.New(t.Context(), tracing.Options{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	_, span := provider.Tracer("mneme/search").Start(t.Context(), "search")
	span.End()
	provider.Close(t.Context())
	if len(received) != 0 {
		t.Error("a span was exported at ratio 0")
	}
}

// SDKs sample by the low bits of an ID, which a client chooses.
func TestClientsDoNotControlSampling(t *testing.T) {
	endpoint, received := newCollector(t)
	provider, err := tracing.New(t.Context(), tracing.Options{Endpoint: endpoint, SampleRatio: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		parent := trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID{0: byte(i), 15: 1}, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled, Remote: true,
		})
		for range 2 {
			_, span := provider.Tracer("mneme/search").Start(trace.ContextWithRemoteSpanContext(t.Context(), parent), "search")
			span.End()
		}
	}
	provider.Close(t.Context())
	spans := make(map[string]int) // by trace
	for len(received) > 0 {
		for _, span := range (<-received).GetResourceSpans()[0].GetScopeSpans()[0].GetSpans() {
			spans[string(span.GetTraceId())]++
		}
	}
	// 20 are expected. The probability of none or 100 is below one in a billion.
	if n := len(spans); n == 0 || n > 100 {
		t.Errorf("%d of 200 traces are exported, at ratio 0.1", n)
	}
	for id, n := range spans {
		if n != 2 {
			t.Errorf("%d of two spans of trace %x are exported", n, id)
		}
	}
}

func TestWithoutEndpointNothingIsRecorded(t *testing.T) {
	provider, err := tracing.New(t.Context(), tracing.Options{SampleRatio: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, span := provider.Tracer("mneme/search").Start(t.Context(), "search")
	if span.IsRecording() || span.SpanContext().IsValid() {
		t.Error("a span is recorded without an endpoint")
	}
	provider.Close(t.Context())
}

func TestEndpointMustBeAURL(t *testing.T) {
	for _, endpoint := range []string{"127.0.0.1:4318", "ftp://collector", "http://", "secret\x7f"} {
		_, err := tracing.New(t.Context(), tracing.Options{Endpoint: endpoint})
		if err == nil {
			t.Errorf("endpoint %q was accepted", endpoint)
		} else if strings.Contains(err.Error(), endpoint) {
			t.Errorf("the error repeats the endpoint: %v", err)
		}
	}
}

func TestLostSpansAreLoggedWithoutTheEndpoint(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "unknown token", http.StatusUnauthorized)
	}))
	defer server.Close()
	var log strings.Builder
	provider, err := tracing.New(t.Context(), tracing.Options{
		Endpoint: server.URL + "/token-abc", SampleRatio: 1, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, span := provider.Tracer("mneme/search").Start(t.Context(), "search")
	span.End()
	provider.Close(t.Context())
	if !strings.Contains(log.String(), "spans were not exported") {
		t.Errorf("the log says %q", log.String())
	}
	if strings.Contains(log.String(), "token") {
		t.Errorf("the log repeats the endpoint or the answer: %q", log.String())
	}
}
