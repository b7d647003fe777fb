package server

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"mneme/indexer"
	"mneme/internal/fairqueue"
	"mneme/search"
	"mneme/server/limit"
	"mneme/server/series"
)

// Metrics are the metrics at /metrics. Routes are templates; no metric holds a
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
	refused    *prometheus.CounterVec
	meter      meterMetrics
	conns      atomic.Pointer[func() int] // open connections, while the server listens
	series     *series.Recorder
	state      atomic.Pointer[state] // of the server
	facts      Facts
}

// seconds are the buckets of durations: search steps take from a fraction of
// a millisecond to the vector leg's budget.
var seconds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// NewMetrics returns metrics with their own registry.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		series:   series.New(slowSearch, time.Now),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_http_requests_total", Help: "Answered requests.",
		}, []string{"route", "method", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mneme_http_request_duration_seconds", Help: "Time from the request header to the end of the response.", Buckets: seconds,
		}, []string{"route", "method"}),
		searches: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mneme_searches_total", Help: "Answered searches.",
		}),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mneme_search_step_duration_seconds", Help: "Duration of a step of a search; queue is its wait for its turn, embed and vector run concurrently with lexical, rerank asks a reranking service, rank is a part of fetch.", Buckets: seconds,
		}, []string{"step"}),
		degraded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_search_degraded_total", Help: "Searches answered without one of their legs, or (vector_lag) with entries missing from the vector leg that wait for their vectors, or (rerank) without the reranking service.",
		}, []string{"leg"}),
		incomplete: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mneme_search_incomplete_total", Help: "Searches whose answer may lack hits.",
		}),
		toolCalls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_tool_calls_total", Help: "Tool calls: ok, refused (by a schema, a rule or an access check) or failed.",
		}, []string{"surface", "tool", "outcome"}),
		toolTimes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mneme_tool_call_duration_seconds", Help: "Duration of a tool call.", Buckets: seconds,
		}, []string{"surface", "tool"}),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_mcp_requests_total", Help: "Requests of MCP clients: ok, refused or failed. A refusal by a tool counts as ok.",
		}, []string{"method", "outcome"}),
		messaging: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mneme_mcp_request_duration_seconds", Help: "Duration of a request of an MCP client.", Buckets: seconds,
		}, []string{"method"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mneme_refused_total", Help: "Connections (closed when accepted) and requests refused by a limit of a client or of the server, by the limit.",
		}, []string{"limit"}),
	}
	open := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "mneme_connections_open", Help: "Open connections of clients.",
	}, func() float64 {
		if count := m.conns.Load(); count != nil {
			return float64((*count)())
		}
		return 0
	})
	m.registry.MustRegister(m.requests, m.durations, m.searches, m.steps, m.degraded, m.incomplete,
		m.toolCalls, m.toolTimes, m.messages, m.messaging, m.refused, open,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.meter = newMeterMetrics(m.registry)
	for _, leg := range []string{search.LegLexical, search.LegVector, search.LagVector, search.StepRerank} {
		m.degraded.WithLabelValues(leg) // present as 0 from the start
	}
	for _, reason := range []string{limit.TotalConnections, limit.AddressConnections, agentRequests, addressRefusals} {
		m.refused.WithLabelValues(reason)
	}
	return m
}

// Search counts an answered search of any surface.
func (m *Metrics) Search(answer search.Answer) {
	m.searches.Inc()
	m.record(&answer)
	for step, took := range map[string]time.Duration{
		"queue": answer.Took.Queue, "filter": answer.Took.Filter, "embed": answer.Took.Embed, "lexical": answer.Took.Lexical, "vector": answer.Took.Vector,
		"rank": answer.Took.Rank, "rerank": answer.Took.Rerank, "fetch": answer.Took.Fetch,
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

// ToolCall counts a tool call. The labels are from small sets: the surface, the
// name of an existing tool, and the outcome.
func (m *Metrics) ToolCall(surface, tool, outcome string, took time.Duration) {
	m.series.ToolCall(outcome)
	m.toolCalls.WithLabelValues(surface, tool, outcome).Inc()
	m.toolTimes.WithLabelValues(surface, tool).Observe(took.Seconds())
}

// MCPRequest counts a request of an MCP client. method is one of the protocol's,
// or "other".
func (m *Metrics) MCPRequest(method, outcome string, took time.Duration) {
	m.messages.WithLabelValues(method, outcome).Inc()
	m.messaging.WithLabelValues(method).Observe(took.Seconds())
}

// refuse counts a refusal by its limit, which is one of a few constants.
func (m *Metrics) refuse(reason string) { m.refused.WithLabelValues(reason).Inc() }

// watchConnections sets the function that counts the open connections.
func (m *Metrics) watchConnections(count func() int) { m.conns.Store(&count) }

func (m *Metrics) request(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route, method).Observe(took.Seconds())
	m.series.Request(status)
}

// watch adds gauges of the service's status, read at each scrape.
func (m *Metrics) watch(cache *statusCache, service Service) {
	m.state.Store(&state{cache, service})
	gauge := func(name, help string, value func(indexer.Status) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			return value(cache.get(service))
		})
	}
	m.registry.MustRegister(
		gauge("mneme_storage_up", "1 while the storage answers.", func(s indexer.Status) float64 { return boolGauge(s.Storage) }),
		gauge("mneme_vector_up", "1 while a model serves vector searches, and its index is not known to be down.", func(s indexer.Status) float64 { return boolGauge(s.Vector) }),
		gauge("mneme_queue_entries", "Entries whose vectors are out of date, as last counted.", func(s indexer.Status) float64 { return float64(s.Queue) }),
		gauge("mneme_queue_lag_seconds", "How long the oldest of them has waited.", func(s indexer.Status) float64 { return s.Waits.Max.Seconds() }),
		gauge("mneme_reindex_needed", "1 while the serving vectors come from another model than the configured one.",
			func(s indexer.Status) float64 { return boolGauge(s.Storage && s.Serving != s.Configured) }),
		gauge("mneme_reconcile_last_success_timestamp_seconds", "When this process last found the vector index consistent with the rows, or repaired it; 0: not yet.",
			func(s indexer.Status) float64 { return unix(s.Progress.Reconciled) }),
	)
	m.watchTurns(turnMetrics{"mneme_searches_running", "mneme_searches_waiting", "mneme_searches_refused_total"}, "Searches", service.SearchLoad)
	m.watchTurns(turnMetrics{"mneme_reads_running", "mneme_reads_waiting", "mneme_reads_refused_total"}, "Reads of the database", service.ReadLoad)
	m.watchTurns(turnMetrics{"mneme_writes_running", "mneme_writes_waiting", "mneme_writes_refused_total"}, "Writes to the database", service.WriteLoad)
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "mneme_changes_waiting", Help: "Calls that wait for changes of a store.",
	}, func() float64 { return float64(service.Activity().ChangesWaiting) }))
	for quantile, value := range map[string]func(indexer.Waits) time.Duration{
		"0.5":  func(w indexer.Waits) time.Duration { return w.P50 },
		"0.9":  func(w indexer.Waits) time.Duration { return w.P90 },
		"0.99": func(w indexer.Waits) time.Duration { return w.P99 },
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "mneme_queue_wait_seconds", Help: "Quantiles of the time that queued entries have waited.",
			ConstLabels: prometheus.Labels{"quantile": quantile},
		}, func() float64 { return value(cache.get(service).Waits).Seconds() }))
	}
	m.watchProgress(func() indexer.Progress { return cache.get(service).Progress })
}

// turnMetrics names the metrics of a fair queue.
type turnMetrics struct{ running, waiting, refused string }

// watchTurns adds the metrics of a queue. what names the queued calls.
func (m *Metrics) watchTurns(names turnMetrics, what string, load func() fairqueue.Load) {
	gauge := func(name, help string, value func(fairqueue.Load) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: what + help}, func() float64 { return float64(value(load())) })
	}
	m.registry.MustRegister(
		gauge(names.running, " that run.", func(l fairqueue.Load) int { return l.Running }),
		gauge(names.waiting, " that wait for their turn.", func(l fairqueue.Load) int { return l.Waiting }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: names.refused, Help: what + " that were refused since too many were waiting.",
		}, func() float64 { return float64(load().Refused) }),
	)
}

// watchProgress adds counters of the background work.
func (m *Metrics) watchProgress(now func() indexer.Progress) {
	counter := func(name, help string, labels prometheus.Labels, value func(indexer.Progress) int64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(value(now())) }))
	}
	counter("mneme_indexed_entries_total", "Entries finished and removed from the queue.", nil,
		func(p indexer.Progress) int64 { return p.Indexed })
	const failed, failedHelp = "mneme_index_failures_total", "How often entries were returned to the queue, by cause."
	counter(failed, failedHelp, prometheus.Labels{"cause": "embedder"}, func(p indexer.Progress) int64 { return p.EmbedderFailed })
	counter(failed, failedHelp, prometheus.Labels{"cause": "vector_index"}, func(p indexer.Progress) int64 { return p.IndexFailed })
	counter(failed, failedHelp, prometheus.Labels{"cause": "timeout"}, func(p indexer.Progress) int64 { return p.TimedOut })
	const repairs, repairsHelp = "mneme_reconcile_repairs_total", "Repaired entries of the vector index: those without a row (removed), and those missing or different (restored)."
	counter(repairs, repairsHelp, prometheus.Labels{"kind": "removed"}, func(p indexer.Progress) int64 { return p.Removed })
	counter(repairs, repairsHelp, prometheus.Labels{"kind": "restored"}, func(p indexer.Progress) int64 { return p.Restored })
}

// Build adds a metric that identifies the running build.
func (m *Metrics) Build(version, revision string) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "mneme_build_info", Help: "Always 1; its labels name the build.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "go": runtime.Version()},
	}, func() float64 { return 1 }))
}

// unix returns a time in seconds since 1970; 0 for the zero time.
func unix(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return float64(at.UnixMilli()) / 1000
}

// boolGauge returns 1 for true and 0 for false.
func boolGauge(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// public are the metrics that contain no totals over all agents.
var public = []string{"mneme_storage_up", "mneme_vector_up", "mneme_reindex_needed", "mneme_build_info"}

// handler serves all metrics to an operator, and the public ones to others.
func (m *Metrics) handler(operator bool) http.Handler {
	var gatherer prometheus.Gatherer = m.registry
	if !operator {
		gatherer = prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
			families, err := m.registry.Gather()
			return slices.DeleteFunc(families, func(f *dto.MetricFamily) bool { return !slices.Contains(public, f.GetName()) }), err
		})
	}
	return promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{DisableCompression: true}) // see compress
}
