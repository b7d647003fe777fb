// Package tracing exports OpenTelemetry spans over OTLP/HTTP.
//
// Spans name steps and carry counts and durations. They never carry memory text, queries,
// store or agent IDs, keys, tokens, or the text of an error: the same rule as for logs and
// metrics.
package tracing

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"net/url"
	"runtime/debug"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Options configure a Provider.
type Options struct {
	// Endpoint is the URL of an OTLP/HTTP collector, such as
	// http://127.0.0.1:4318/v1/traces. Empty turns tracing off. Headers,
	// certificates, compression and timeout come from the standard
	// OTEL_EXPORTER_OTLP_* variables.
	Endpoint string
	// SampleRatio is the share of traces that are exported, 0 to 1. It also applies to
	// requests with a sampled traceparent, so that no client decides how much is exported;
	// requests whose traceparent is not sampled are not exported.
	SampleRatio float64
	// Log receives a warning if spans could not be exported. Default: discard.
	Log *slog.Logger
}

// Provider makes tracers. The zero value makes tracers that record nothing.
type Provider struct {
	sdk *sdk.TracerProvider // nil: tracing is off
	log *slog.Logger
}

// New returns a Provider. It does not connect: a collector that is down costs the spans,
// not the service. An Endpoint that is not an http or https URL is an error. New replaces
// the OpenTelemetry error handler of this process, which would print the collector's
// address and answer.
func New(ctx context.Context, o Options) (Provider, error) {
	if o.Endpoint == "" {
		return Provider{}, nil
	}
	if u, err := url.Parse(o.Endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return Provider{}, errors.New("the endpoint must be an http or https URL")
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(o.Endpoint))
	if err != nil {
		return Provider{}, fmt.Errorf("open the trace exporter: %w", err)
	}
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { warn(context.Background(), log, err) }))
	return Provider{log: log, sdk: newSDK(o.SampleRatio, sdk.WithBatcher(exporter))}, nil
}

func newSDK(ratio float64, exporting sdk.TracerProviderOption) *sdk.TracerProvider {
	sampler := sdk.TraceIDRatioBased(ratio)
	attributes := []attribute.KeyValue{attribute.String("service.name", "mneme")}
	if build, ok := debug.ReadBuildInfo(); ok {
		attributes = append(attributes, attribute.String("service.version", build.Main.Version))
	}
	return sdk.NewTracerProvider(
		exporting,
		sdk.WithSampler(sdk.ParentBased(sampler, sdk.WithRemoteParentSampled(hashed{sampler, maphash.MakeSeed()}))),
		sdk.WithResource(resource.NewSchemaless(attributes...)),
	)
}

// hashed samples a trace if the hash of its ID with a random seed of this process is low
// enough. So a client cannot choose IDs that are sampled more often, and of each trace either
// all spans are exported or none.
type hashed struct {
	sdk.Sampler
	seed maphash.Seed
}

// ShouldSample implements sdk.Sampler.
func (h hashed) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	binary.BigEndian.PutUint64(p.TraceID[8:], maphash.Bytes(h.seed, p.TraceID[:]))
	return h.Sampler.ShouldSample(p)
}

// Tracer returns the tracer of one package, named by its import path.
func (p Provider) Tracer(name string) trace.Tracer {
	if p.sdk == nil {
		return noop.NewTracerProvider().Tracer(name)
	}
	return p.sdk.Tracer(name)
}

// Close exports the spans that are still waiting, until ctx ends. It logs lost spans,
// which are no reason for the caller to fail.
func (p Provider) Close(ctx context.Context) {
	if p.sdk == nil {
		return
	}
	if err := p.sdk.Shutdown(ctx); err != nil {
		warn(ctx, p.log, err)
	}
}

// warn logs only the type of an error: its text names the collector, whose URL may contain
// a token, and quotes its answer.
func warn(ctx context.Context, log *slog.Logger, err error) {
	log.WarnContext(ctx, "spans were not exported", "error_type", fmt.Sprintf("%T", err))
}
