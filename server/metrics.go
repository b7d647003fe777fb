package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mneme/memory"
)

// Metrics are what /metrics shows. Routes are templates; no metric knows a
// store, an agent, a key or a label.
type Metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	searches   prometheus.Counter
	steps      *prometheus.HistogramVec
	degraded   *prometheus.CounterVec
	incomplete prometheus.Counter
	toolCalls  *prometheus.CounterVec
	toolTimes  *prometheus.HistogramVec
	messages   *prometheus.CounterVec
	messaging  *prometheus.HistogramVec
}

// seconds are the buckets of durations: search steps take from a fraction of
// a millisecond to the vector leg's budget.
var seconds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// NewMetrics makes metrics with a registry of their own.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_http_requests_total", Help: "Answered requests.",
		}, []string{"route", "method", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mneme_http_request_duration_seconds", Help: "Time from a request's header to the end of its answer.", Buckets: seconds,
		}, []string{"route", "method"}),
		searches: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mneme_searches_total", Help: "Answered searches.",
		}),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mneme_search_step_duration_seconds", Help: "Time that a step of a search took; embed and vector run beside lexical.", Buckets: seconds,
		}, []string{"step"}),
		degraded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_search_degraded_total", Help: "Searches that were answered without a leg.",
		}, []string{"leg"}),
		incomplete: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mneme_search_incomplete_total", Help: "Searches whose refilling hit its bound.",
		}),
		toolCalls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_tool_calls_total", Help: "Calls of tools: ok, refused (what a schema, a rule or a check of access refuses) or failed.",
		}, []string{"surface", "tool", "outcome"}),
		toolTimes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mneme_tool_call_duration_seconds", Help: "Time that a call of a tool took.", Buckets: seconds,
		}, []string{"surface", "tool"}),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_mcp_requests_total", Help: "Requests of MCP clients: ok, refused or failed. A tool's refusal is ok here: it is an answer.",
		}, []string{"method", "outcome"}),
		messaging: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mneme_mcp_request_duration_seconds", Help: "Time that a request of an MCP client took.", Buckets: seconds,
		}, []string{"method"}),
	}
	m.registry.MustRegister(m.requests, m.durations, m.searches, m.steps, m.degraded, m.incomplete,
		m.toolCalls, m.toolTimes, m.messages, m.messaging,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, leg := range []string{"lexical", "vector"} {
		m.degraded.WithLabelValues(leg) // shown as 0 from the start
	}
	return m
}

// Search counts an answered search, on whatever surface.
func (m *Metrics) Search(answer memory.Answer) {
	m.searches.Inc()
	for step, took := range map[string]time.Duration{
		"embed": answer.Took.Embed, "lexical": answer.Took.Lexical, "vector": answer.Took.Vector, "fetch": answer.Took.Fetch,
	} {
		m.steps.WithLabelValues(step).Observe(took.Seconds())
	}
	for _, leg := range answer.Degraded {
		m.degraded.WithLabelValues(leg).Inc()
	}
	if answer.Incomplete {
		m.incomplete.Inc()
	}
}

// ToolCall counts a call of a tool. Each label is one of few: the surface over
// which the call came, the name of a tool that there is, and how it ended.
func (m *Metrics) ToolCall(surface, tool, outcome string, took time.Duration) {
	m.toolCalls.WithLabelValues(surface, tool, outcome).Inc()
	m.toolTimes.WithLabelValues(surface, tool).Observe(took.Seconds())
}

// MCPRequest counts a request of an MCP client, by a method that there is, or
// "other".
func (m *Metrics) MCPRequest(method, outcome string, took time.Duration) {
	m.messages.WithLabelValues(method, outcome).Inc()
	m.messaging.WithLabelValues(method).Observe(took.Seconds())
}

func (m *Metrics) request(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route, method).Observe(took.Seconds())
}

// watch shows the state of a service at each scrape.
func (m *Metrics) watch(cache *statusCache, service Service) {
	gauge := func(name, help string, value func(memory.Status) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			return value(cache.get(service))
		})
	}
	m.registry.MustRegister(
		gauge("mneme_storage_up", "1 while the storage answers.", func(s memory.Status) float64 { return truth(s.Storage) }),
		gauge("mneme_vector_up", "1 while a model serves questions by meaning.", func(s memory.Status) float64 { return truth(s.Vector) }),
		gauge("mneme_queue_entries", "Entries whose vectors are not in step with them.", func(s memory.Status) float64 { return float64(s.Queue) }),
		gauge("mneme_queue_lag_seconds", "How long the oldest of these has waited.", func(s memory.Status) float64 { return s.QueueLag.Seconds() }),
	)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
