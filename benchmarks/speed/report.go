package speed

import "mneme/benchmarks/measure"

// Report holds the results of a benchmark.
type Report struct {
	CPUs      int    `json:"cpus"`
	Questions int    `json:"questions"`
	Seed      uint64 `json:"seed"`
	Vectors   string `json:"vectors"` // VectorsSynthetic or VectorsModel
	Model     Model  `json:"model"`
	Cases     []Case `json:"columns"` // grouped by backend, ascending by size
}

// Model holds the figures of the embedder alone.
type Model struct {
	Fingerprint string          `json:"fingerprint"`
	TextsPerS   float64         `json:"texts_per_s"`
	Question    measure.Latency `json:"question"`
}
