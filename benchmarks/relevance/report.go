package relevance

import (
	"mneme/benchmarks/measure"
	"mneme/benchmarks/vectorcache"
)

// Report holds the results of a benchmark.
type Report struct {
	Embedder string            `json:"embedder"`           // fingerprint
	Reranker string            `json:"reranker,omitempty"` // shape and model
	Backend  string            `json:"backend"`
	Seed     uint64            `json:"seed"`
	Vectors  vectorcache.Stats `json:"vectors"`
	Sets     []SetReport       `json:"sets"`
}

// SetReport holds the results for one dataset. Figures by run are in the order
// of Runs.
type SetReport struct {
	Name        string               `json:"name"`
	Documents   int                  `json:"documents"`
	Stores      int                  `json:"stores"`
	Queries     int                  `json:"queries"` // answerable ones
	Runs        []RunReport          `json:"runs"`
	Comparisons []Comparison         `json:"comparisons"` // of any two runs
	Slices      []Slice              `json:"slices,omitempty"`
	Changes     []Changes            `json:"changes,omitempty"`
	Each        []QueryScores        `json:"each"` // in byte order of the queries' IDs
	Reliability *measure.Reliability `json:"reliability,omitempty"`
	Nothing     []Nothing            `json:"nothing,omitempty"`
}

// RunReport holds the measures of one run.
type RunReport struct {
	Name      string                      `json:"name"`
	Imported  bool                        `json:"imported,omitempty"`
	Metrics   Metrics                     `json:"metrics"`
	Intervals map[string]measure.Estimate `json:"intervals"` // 95 %, by Measure.Key
}

// Comparison compares two runs: differences are those of A minus B.
type Comparison struct {
	A        string                        `json:"a"`
	B        string                        `json:"b"`
	Measures map[string]measure.Difference `json:"measures"` // by Measure.Key
	// Numbers of queries whose nDCG@10 is higher, lower and equal in A.
	Wins   int `json:"wins"`
	Losses int `json:"losses"`
	Ties   int `json:"ties"`
}

// Slice holds the measures of the queries with one value of a field.
type Slice struct {
	Field   string     `json:"field"`
	Value   string     `json:"value"`
	Queries int        `json:"queries"`
	Runs    []SliceRun `json:"runs"`
}

// SliceRun holds the measures of one run over a slice.
type SliceRun struct {
	Name    string           `json:"name"`
	Metrics Metrics          `json:"metrics"`
	NDCG10  measure.Estimate `json:"ndcg_10_interval"`
}

// QueryScores holds the nDCG@10 of one query by run.
type QueryScores struct {
	Query  string    `json:"query"`
	NDCG10 []float64 `json:"ndcg_10"`
}

// Changes shows the queries on which two runs differ most, by nDCG@10.
type Changes struct {
	A      string   `json:"a"`
	B      string   `json:"b"`
	Wins   []Change `json:"wins"`   // A is better
	Losses []Change `json:"losses"` // B is better
}

// Change is one query with what both runs answered.
type Change struct {
	Query    string     `json:"query"`
	Text     string     `json:"text"`
	A        float64    `json:"a"` // nDCG@10
	B        float64    `json:"b"`
	Expected []Expected `json:"expected"`
	TopA     []Shown    `json:"top_a"`
	TopB     []Shown    `json:"top_b"`
}

// Expected is a relevant document with its rank, from 1, in both runs; 0 if a run
// lacks it.
type Expected struct {
	Shown
	RankA int `json:"rank_a"`
	RankB int `json:"rank_b"`
}

// Shown is a document as shown in a report.
type Shown struct {
	ID    string `json:"id"`
	Text  string `json:"text"`  // its beginning
	Grade int    `json:"grade"` // its judgement
}
