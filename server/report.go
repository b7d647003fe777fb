package server

import (
	"context"
	"time"

	"mneme/indexer"
	"mneme/internal/fairqueue"
	"mneme/search"
	"mneme/server/series"
)

const (
	// slowSearch is the shortest duration of a slow search: ten times the
	// duration of a search over a store of some thousand entries.
	slowSearch = 100 * time.Millisecond
	// sampleEvery is how often a listening server samples its status.
	sampleEvery = 10 * time.Second
)

// Facts describe a server. They do not change while it runs.
type Facts struct {
	Version, Revision string
	Storage           string // sqlite or postgres
	Vector            string // flat or milvus
	Embedder          string // of configs.Embedders
	Schema            int64  // version of the storage's schema
	Analysis          string // version of the analysis of texts
	Limits            []Limit
}

// Limit is a configured limit, named by its configuration key. 0 means no limit.
type Limit struct {
	Name  string
	Value int64
	Unit  string // "bytes", "s", "ms", "per_second" or "" for a count
}

// Report is what a server reports of its health. It holds no store, agent, key or
// label.
type Report struct {
	Facts
	Status   indexer.Status
	Searches fairqueue.Load
	series.Hour
}

// Describe sets the facts of Report.
func (m *Metrics) Describe(facts Facts) { m.facts = facts }

// Report returns the state of the server whose metrics m holds.
func (m *Metrics) Report() Report {
	report := Report{Facts: m.facts}
	if now := m.state.Load(); now != nil {
		report.Status, report.Searches = m.sample(*now)
	}
	report.Hour = m.series.Read()
	return report
}

// state has the parts of a server from which its metrics are read.
type state struct {
	cache   *statusCache
	service Service
}

// sample records the current state in the series.
func (m *Metrics) sample(of state) (indexer.Status, fairqueue.Load) {
	status := of.cache.get(of.service)
	did := status.Progress
	m.series.Sample(series.Totals{
		Written: of.service.Activity().Written, Indexed: did.Indexed,
		IndexFailed: did.EmbedderFailed + did.IndexFailed + did.TimedOut,
		QueueDepth:  status.Queue, OldestWait: status.Waits.Max,
	})
	return status, of.service.SearchLoad()
}

// sampleUntil samples the state until ctx is done.
func (m *Metrics) sampleUntil(ctx context.Context) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			m.sample(*m.state.Load())
		}
	}
}

// record adds a search to the series.
func (m *Metrics) record(answer *search.Answer) {
	t := &answer.Took
	times := series.Times{
		series.Whole: t.Total, series.Queue: t.Queue, series.Filter: t.Filter, series.Embed: t.Embed,
		series.Lexical: t.Lexical, series.Vector: t.Vector, series.Fetch: t.Fetch, series.Rank: t.Rank, series.Rerank: t.Rerank,
	}
	shape, _ := answer.Shape()
	m.series.Search(series.Shape{
		Mode: string(shape.Mode), Options: series.Options(shape.Options), Limit: shape.Limit,
		Wordings: shape.Wordings, Stores: shape.Stores, Degraded: len(answer.Degraded) > 0,
	}, &times, answer.Incomplete)
}
