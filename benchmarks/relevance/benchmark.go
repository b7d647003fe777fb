package relevance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"

	"mneme/acl"
	"mneme/backend"
	"mneme/benchmarks/harness"
	"mneme/configs"
	"mneme/memory"
)

// Fused names the run of both legs together. The others are memory.LegLexical and
// memory.LegVector.
const Fused = "fused"

// legs are the runs of a benchmark, in the order of the table.
var legs = []string{memory.LegLexical, memory.LegVector, Fused}

const (
	defaultStore = "bench" // of documents and queries without a store
	depth        = 100     // hits per query
)

// Benchmark measures the relevance of searches over a dataset.
type Benchmark struct {
	Dataset  *Dataset
	Progress harness.Progress
	Log      *slog.Logger
}

// Run imports the dataset into a temporary data folder with the configured
// backend, and runs every query that has a judgement: on each leg alone and on
// both. It returns the measures, and the runs by leg. A query searches as the
// agent who owns the query's store.
func (b *Benchmark) Run(ctx context.Context, config configs.Config) (_ Report, _ map[string]Run, err error) {
	if config.DataDir, err = os.MkdirTemp("", "mneme-bench-*"); err != nil {
		return Report{}, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(config.DataDir)) }()
	instance, err := backend.Open(ctx, config, b.Log)
	if err != nil {
		return Report{}, nil, err
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	if err := b.load(ctx, instance); err != nil {
		return Report{}, nil, err
	}
	services, err := b.services(ctx, config, instance)
	if err != nil {
		return Report{}, nil, err
	}
	report := Report{
		Documents: len(b.Dataset.Documents), Embedder: instance.Status(ctx).Serving, Legs: make(map[string]Metrics),
	}
	runs := make(map[string]Run)
	for _, leg := range legs {
		if runs[leg], err = b.ask(ctx, services[leg], leg); err != nil {
			return Report{}, nil, fmt.Errorf("%s: %w", leg, err)
		}
		report.Legs[leg] = Evaluate(b.Dataset.Qrels, runs[leg])
	}
	return report, runs, nil
}

// load writes the documents and makes their vectors.
func (b *Benchmark) load(ctx context.Context, instance *backend.Instance) error {
	bar := b.Progress.Start(int64(len(b.Dataset.Documents)), "writing")
	defer bar.Exit()
	texts := make([]harness.Text, len(b.Dataset.Documents))
	for i, d := range b.Dataset.Documents {
		texts[i] = harness.Text{Store: storeOr(d.Store), Key: d.ID, Text: d.Body()}
	}
	if err := harness.Write(ctx, instance.Service, texts, bar); err != nil {
		return err
	}
	return harness.MakeVectors(ctx, instance, b.Progress)
}

// services returns a Service for each leg. The other leg is disabled: the vector
// leg by omitting the indexer, the lexical leg by a storage on which it fails.
func (b *Benchmark) services(ctx context.Context, config configs.Config, instance *backend.Instance) (map[string]*memory.Service, error) {
	lexical, err := memory.New(ctx, instance.Storage, backend.Options(config, b.Log, nil))
	if err != nil {
		return nil, err
	}
	vector, err := memory.New(ctx, vectorOnly{instance.Storage}, backend.Options(config, b.Log, instance.Indexer))
	if err != nil {
		return nil, err
	}
	return map[string]*memory.Service{memory.LegLexical: lexical, memory.LegVector: vector, Fused: instance.Service}, nil
}

// ask runs every query that has a judgement on a Service.
func (b *Benchmark) ask(ctx context.Context, service *memory.Service, leg string) (Run, error) {
	bar := b.Progress.Start(int64(len(b.Dataset.Queries)), "asking "+leg)
	defer bar.Exit()
	run := make(Run, len(b.Dataset.Queries))
	for _, q := range b.Dataset.Queries {
		_ = bar.Add(1) // failing to draw the bar is no reason to stop
		if len(b.Dataset.Qrels[q.ID]) == 0 {
			continue
		}
		caller := memory.Caller{Principal: acl.Principal{Agent: storeOr(q.Store), Taint: acl.Public}}
		answer, err := service.Search(ctx, caller, memory.SearchRequest{Query: q.Text, Limit: depth})
		if err != nil {
			return nil, fmt.Errorf("query %s: %w", q.ID, err)
		}
		if leg == Fused && len(answer.Degraded) > 0 {
			return nil, fmt.Errorf("query %s: failed legs: %v", q.ID, answer.Degraded)
		}
		run[q.ID] = scored(answer.Hits)
	}
	return run, nil
}

// storeOr returns store, or the default store if it is empty.
func storeOr(store string) string {
	if store == "" {
		return defaultStore
	}
	return store
}

// scored converts hits for a run and keeps their order: trec_eval orders equal
// scores by ID, so each score is made lower than the one before it, by at least
// one step of single precision.
func scored(hits []memory.Hit) []Scored {
	out := make([]Scored, len(hits))
	above := float32(math.Inf(1))
	for i, h := range hits {
		score := min(float32(h.Score), math.Nextafter32(above, float32(math.Inf(-1))))
		out[i] = Scored{ID: h.Key, Score: float64(score)}
		above = score
	}
	return out
}
