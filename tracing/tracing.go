// Package tracing exports OpenTelemetry spans over OTLP/HTTP.
//
// Spans name steps and carry counts and durations. They never carry memory
// text, queries, store or agent IDs, keys, tokens, or the text of an error:
// the same rule as for logs and metrics.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"net/url"

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
	// SampleRatio is the share of traces that begin here and are exported,
	// 0 to 1. A request that carries a sampled traceparent is always exported.
	SampleRatio float64
	// Version is the version of this build.
	Version string
}

// Provider makes tracers. The zero value makes tracers that record nothing.
type Provider struct {
	sdk *sdk.TracerProvider // nil: tracing is off
}

// New returns a Provider. It does not connect: a collector that is down costs
// the spans, not the service. An Endpoint that is not an http or https URL is
// an error.
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
	return Provider{sdk: newSDK(o, sdk.WithBatcher(exporter))}, nil
}

func newSDK(o Options, exporting sdk.TracerProviderOption) *sdk.TracerProvider {
	return sdk.NewTracerProvider(
		exporting,
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.SampleRatio))),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "mneme"),
			attribute.String("service.version", o.Version),
		)),
	)
}

// Tracer returns the tracer of one package, named by its import path.
func (p Provider) Tracer(name string) trace.Tracer {
	if p.sdk == nil {
		return noop.NewTracerProvider().Tracer(name)
	}
	return p.sdk.Tracer(name)
}

// Close exports the spans that are still waiting, until ctx ends.
func (p Provider) Close(ctx context.Context) error {
	if p.sdk == nil {
		return nil
	}
	if err := p.sdk.Shutdown(ctx); err != nil {
		return errors.New("the last spans were not exported") // the cause names the collector's answer
	}
	return nil
}
