package speed

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"mneme/benchmarks/harness"
	"mneme/benchmarks/measure"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/embed"
	"mneme/internal/workload"
	"mneme/memory"
	"mneme/vector"
	"mneme/vector/milvus"
)

// Case holds the figures of one backend at one size.
type Case struct {
	Backend   string                     `json:"backend"`
	Entries   int                        `json:"entries"`
	WriteS    float64                    `json:"write_s"`
	VectorsS  float64                    `json:"vectors_s"` // embedding, storing and indexing
	SettleS   float64                    `json:"settle_s"`  // vacuuming, and building Milvus's graphs
	DiskBytes int64                      `json:"disk_bytes"`
	HeapBytes uint64                     `json:"heap_bytes"`          // live after a garbage collection
	RSSBytes  int64                      `json:"rss_bytes,omitempty"` // as counted by the kernel; 0 if unknown
	Steps     map[string]measure.Latency `json:"steps"`               // of a search in one store, by step
	Degraded  int                        `json:"degraded"`            // answers without a leg
	Scopes    []Scope                    `json:"scopes"`              // one for each of scopePercents
	Load      float64                    `json:"load,omitempty"`      // the machine's load average over the last minute
}

// caseRun is the measurement of one case.
type caseRun struct {
	*Benchmark
	backend  Backend
	size     int
	embedder embed.Embedder

	sandbox  *harness.Sandbox
	instance *compose.Instance
	index    vector.Index // the index of instance
}

// run measures the case in a sandbox, and removes the sandbox.
func (r *caseRun) run(ctx context.Context, config configs.Config) (c Case, err error) {
	c = Case{Backend: r.backend.String(), Entries: r.size, Steps: make(map[string]measure.Latency)}
	debug.FreeOSMemory() // of the previous case
	config.Storage, config.Vector = r.backend.Storage, r.backend.Vector
	if r.sandbox, err = harness.NewSandbox(ctx, config, compose.Embedders{Main: r.embedder}); err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, r.sandbox.Remove(ctx)) }()
	if err := r.open(ctx); err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, r.instance.Close()) }()
	for _, step := range []struct {
		took *float64 // seconds
		do   func(context.Context) error
	}{{&c.WriteS, r.write}, {&c.VectorsS, r.makeVectors}, {&c.SettleS, r.settle}} {
		start := time.Now()
		if err := step.do(ctx); err != nil {
			return c, err
		}
		*step.took = time.Since(start).Seconds()
	}
	if err := r.searchOneStore(ctx, &c); err != nil {
		return c, err
	}
	if c.DiskBytes, err = r.sandbox.Size(ctx); err != nil {
		return c, err
	}
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	c.HeapBytes, c.RSSBytes = heap.HeapAlloc, residentBytes()
	c.Scopes, err = r.searchManyStores(ctx)
	c.Load = loadAverage()
	return c, err
}

// open opens the instance in the sandbox. It retains the vector index, to
// measure its recall separately.
func (r *caseRun) open(ctx context.Context) error {
	models, err := r.sandbox.Models(r.Log)
	if err != nil {
		return err
	}
	model := &models.Main[0]
	openIndex := model.Open
	model.Open = func(ctx context.Context) (index vector.Index, err error) {
		index, err = openIndex(ctx)
		r.index = index
		return index, err
	}
	r.instance, err = r.sandbox.Open(ctx, models, r.Log)
	return err
}

// storeOf returns the store of a memory.
func (r *caseRun) storeOf(memory int) string { return fmt.Sprintf("agent-%d", memory%r.Stores) }

// write writes the memories, store by store.
func (r *caseRun) write(ctx context.Context) error {
	bar := r.Progress.Start(int64(r.size), "writing")
	defer bar.Exit()
	for store := range min(r.Stores, r.size) {
		var texts []memory.PutRequest
		for i := store; i < r.size; i += r.Stores {
			texts = append(texts, harness.NewText(r.storeOf(i), fmt.Sprintf("memory/%07d", i), workload.NewMemory(r.Seed, i).Text()))
		}
		if err := harness.Write(ctx, r.instance.Service, texts, bar); err != nil {
			return err
		}
	}
	return nil
}

func (r *caseRun) makeVectors(ctx context.Context) error {
	return harness.MakeVectors(ctx, r.instance, r.Progress, "making vectors")
}

// settle brings the backend into its steady state: vacuumed and analyzed,
// with Milvus's graphs built.
func (r *caseRun) settle(ctx context.Context) error {
	if err := r.sandbox.Vacuum(ctx); err != nil {
		return err
	}
	if index, ok := r.index.(*milvus.Index); ok {
		if err := index.Build(ctx); err != nil {
			return err
		}
		return index.Settle(ctx)
	}
	return nil
}
