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
	Shapes    []Shape
	Questions int    // number of questions, and of single writes, per case, one at a time
	Vectors   string // VectorsSynthetic or VectorsModel
	Seed      uint64 // of the workload

	Program string   // the mneme executable whose start is measured; "": no start is measured
	Flags   []string // further flags of its serve command

	Finished func(Report) error // called after each case; nil: nothing
	Progress harness.Progress
	Log      *slog.Logger
}

// Shape is the number of memories of a case, and of the stores over which they are
// spread evenly.
type Shape struct{ Stores, Entries int }

// Run measures all cases, with the embedder and the servers that config names. If
// a case fails, Run skips the further shapes of its backend with as many stores. The
// report holds the cases that succeeded.
func (b *Benchmark) Run(ctx context.Context, config configs.Config) (Report, error) {
	report := Report{
		CPUs: runtime.GOMAXPROCS(0), Questions: b.Questions, Seed: b.Seed, Vectors: b.Vectors,
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
		synthetic, err := workload.NewSynthetic(ctx, model)
		if err != nil {
			return report, err
		}
		embedder = synthetic.AsModel()
	}
	for _, backend := range b.Backends {
		failed := make(map[int]bool) // by number of stores
		for _, shape := range b.Shapes {
			if failed[shape.Stores] {
				continue
			}
			r := caseRun{Benchmark: b, backend: backend, shape: shape, embedder: embedder}
			measured, caseErr := r.run(ctx, config)
			if caseErr != nil {
				failed[shape.Stores] = true
				err = errors.Join(err, fmt.Errorf("%s with %d entries in %s: %w", backend, shape.Entries, storesText(shape.Stores), caseErr))
				continue
			}
			report.Cases = append(report.Cases, measured)
			if b.Finished != nil {
				err = errors.Join(err, b.Finished(report))
			}
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
