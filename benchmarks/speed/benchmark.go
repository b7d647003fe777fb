// Package speed measures how fast a backend imports and searches generated
// memories, and how the speed scales with their number.
package speed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"mneme/benchmarks/harness"
	"mneme/benchmarks/measure"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/embed"
	"mneme/internal/workload"
)

// Sources of the memories' vectors.
const (
	VectorsSynthetic = "synthetic" // workload.Synthetic
	VectorsModel     = "model"     // the configured embedder
)

// Benchmark measures each backend at each size.
type Benchmark struct {
	Backends  []Backend
	Sizes     []int  // numbers of memories, ascending
	Stores    int    // number of stores, over which the memories are spread evenly
	Questions int    // number of questions per case, asked one at a time
	Vectors   string // VectorsSynthetic or VectorsModel
	Seed      uint64 // of the workload

	Progress harness.Progress
	Log      *slog.Logger
}

// Run measures all cases, with the embedder and the servers that config names. If
// a case fails, Run skips the larger sizes of its backend. The report holds the
// cases that succeeded.
func (b *Benchmark) Run(ctx context.Context, config configs.Config) (Report, error) {
	report := Report{
		CPUs: runtime.GOMAXPROCS(0), Stores: b.Stores, Questions: b.Questions, Seed: b.Seed, Vectors: b.Vectors,
	}
	model, err := compose.OpenEmbedder(config)
	if err != nil {
		return report, err
	}
	if report.Model, err = b.measureModel(ctx, model); err != nil {
		return report, err
	}
	embedder := model
	if b.Vectors == VectorsSynthetic {
		if embedder, err = workload.NewSynthetic(ctx, model); err != nil {
			return report, err
		}
	}
	for _, backend := range b.Backends {
		for _, size := range b.Sizes {
			r := caseRun{Benchmark: b, backend: backend, size: size, embedder: embedder}
			measured, failed := r.run(ctx, config)
			if failed != nil {
				err = errors.Join(err, fmt.Errorf("%s with %d entries: %w", backend, size, failed))
				break
			}
			report.Cases = append(report.Cases, measured)
		}
	}
	return report, err
}

// measureModel measures the model alone, on memories that no case contains.
func (b *Benchmark) measureModel(ctx context.Context, model embed.Embedder) (Model, error) {
	const passages, queries = 128, 32
	seed := ^b.Seed
	var sample []string
	for i := range passages {
		sample = append(sample, workload.NewMemory(seed, i).Text())
	}
	start := time.Now()
	if _, err := model.Passages(ctx, sample); err != nil {
		return Model{}, err
	}
	m := Model{Fingerprint: model.Fingerprint(), TextsPerS: passages / time.Since(start).Seconds()}
	var samples []time.Duration
	for i := range queries {
		start := time.Now()
		if _, err := model.Query(ctx, workload.NewMemory(seed, i).Question()); err != nil {
			return Model{}, err
		}
		samples = append(samples, time.Since(start))
	}
	m.Question = measure.NewLatency(samples)
	return m, nil
}
