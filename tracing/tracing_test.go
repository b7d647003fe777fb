package tracing_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"mneme/tracing"
)

// newCollector is an OTLP/HTTP collector that hands on what it receives.
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
	provider, err := tracing.New(t.Context(), tracing.Options{Endpoint: endpoint, SampleRatio: 1, Version: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	_, span := provider.Tracer("mneme/memory").Start(t.Context(), "search")
	span.End()
	if err := provider.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	request := <-received
	spans := request.GetResourceSpans()[0]
	attributes := make(map[string]string)
	for _, a := range spans.GetResource().GetAttributes() {
		attributes[a.GetKey()] = a.GetValue().GetStringValue()
	}
	if attributes["service.name"] != "mneme" || attributes["service.version"] != "v1.2.3" {
		t.Errorf("the resource is %v, want service.name mneme and service.version v1.2.3", attributes)
	}
	scope := spans.GetScopeSpans()[0]
	if got := scope.GetScope().GetName(); got != "mneme/memory" {
		t.Errorf("the scope is %q, want mneme/memory", got)
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
	_, span := provider.Tracer("mneme/memory").Start(t.Context(), "search")
	span.End()
	if err := provider.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(received) != 0 {
		t.Error("a span was exported at ratio 0")
	}
}

func TestWithoutEndpointNothingIsRecorded(t *testing.T) {
	provider, err := tracing.New(t.Context(), tracing.Options{SampleRatio: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, span := provider.Tracer("mneme/memory").Start(t.Context(), "search")
	if span.IsRecording() || span.SpanContext().IsValid() {
		t.Error("a span is recorded without an endpoint")
	}
	if err := provider.Close(t.Context()); err != nil {
		t.Error(err)
	}
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

func TestCloseWithoutCollectorHidesItsAddress(t *testing.T) {
	endpoint, _ := newCollector(t)
	provider, err := tracing.New(t.Context(), tracing.Options{Endpoint: strings.Replace(endpoint, "/v1", "/token-abc", 1), SampleRatio: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := provider.Close(t.Context()); err != nil && strings.Contains(err.Error(), "token-abc") {
		t.Errorf("the error repeats the endpoint: %v", err)
	}
}
