package compose

import (
	"time"

	"mneme/configs"
	"mneme/lexical"
	"mneme/server"
)

// facts returns what a server reports of its build and configuration.
func facts(instance *Instance, config configs.Config, build Build) server.Facts {
	f := server.Facts{
		Version: build.Version, Revision: build.Revision,
		Storage: config.Storage, Vector: config.Vector, Embedder: config.Embedder,
		Analysis: lexical.AnalysisVersion, Limits: limitsOf(config),
	}
	if versioned, ok := instance.Storage.(interface{ SchemaVersion() int64 }); ok {
		f.Schema = versioned.SchemaVersion()
	}
	return f
}

// limitsOf returns the limits of a configuration, by their keys.
func limitsOf(c configs.Config) []server.Limit {
	const (
		bytes   = "bytes"
		seconds = "s"
		rate    = "per_second"
	)
	in := func(d time.Duration) int64 { return int64(d / time.Second) }
	return []server.Limit{
		{Name: "limits.value_bytes", Value: int64(c.Limits.ValueBytes), Unit: bytes},
		{Name: "limits.keys", Value: c.Limits.Keys},
		{Name: "limits.bytes", Value: c.Limits.Bytes, Unit: bytes},
		{Name: "limits.grants", Value: c.Limits.Grants},
		{Name: "limits.retention", Value: in(c.Limits.Retention), Unit: seconds},
		{Name: "limits.history_versions", Value: int64(c.Limits.HistoryVersions)},
		{Name: "limits.condition_bytes", Value: c.Limits.ConditionBytes, Unit: bytes},
		{Name: "limits.write_wait", Value: c.Limits.WriteWait.Milliseconds(), Unit: "ms"},
		{Name: "search.running", Value: int64(concurrentSearches(c))},
		{Name: "search.vector_budget", Value: c.Search.VectorBudget.Milliseconds(), Unit: "ms"},
		{Name: "search.query_cache_bytes", Value: int64(c.Search.QueryCacheBytes), Unit: bytes},
		{Name: "search.candidate_cache_bytes", Value: int64(c.Search.CandidateCacheBytes), Unit: bytes},
		{Name: "rate.requests", Value: int64(c.Rate.Requests), Unit: rate},
		{Name: "rate.refusals", Value: int64(c.Rate.Refusals), Unit: rate},
		{Name: "connections.total", Value: int64(c.Connections.Total)},
		{Name: "connections.per_address", Value: int64(c.Connections.PerAddress)},
	}
}
