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
	Stores    int                        `json:"stores"`
	Entries   int                        `json:"entries"`
	WriteS    float64                    `json:"write_s"`
	VectorsS  float64                    `json:"vectors_s"` // embedding, storing and indexing
	SettleS   float64                    `json:"settle_s"`  // vacuuming, and building Milvus's graphs
	DiskBytes int64                      `json:"disk_bytes"`
	HeapBytes uint64                     `json:"heap_bytes"`          // live after a garbage collection
	RSSBytes  int64                      `json:"rss_bytes,omitempty"` // a page that several connections map counts once; 0 if unknown
	Steps     map[string]measure.Latency `json:"steps"`               // of a search in one store, by step
	Degraded  int                        `json:"degraded"`            // answers without a leg
	Scopes    []Scope                    `json:"scopes"`              // one for each of scopePercents; of one store only all
	Put       measure.Latency            `json:"put"`                 // of one entry, until it is committed
	ReadyMS   float64                    `json:"ready_ms,omitempty"`  // from the start of a server until it is ready; 0: not measured
	Load      float64                    `json:"load,omitempty"`      // the machine's load average over the last minute
}

// caseRun is the measurement of one case.
type caseRun struct {
	*Benchmark
	backend  Backend
	shape    Shape
	embedder embed.Embedder

	sandbox  *harness.Sandbox
	instance *compose.Instance
	index    vector.Index // the index of instance
}

// run measures the case in a sandbox, and removes the sandbox.
func (r *caseRun) run(ctx context.Context, config configs.Config) (c Case, err error) {
	c = Case{Backend: r.backend.String(), Stores: r.shape.Stores, Entries: r.shape.Entries, Steps: make(map[string]measure.Latency)}
	debug.FreeOSMemory() // of the previous case
	config.Storage, config.Vector = r.backend.Storage, r.backend.Vector
	// A store may hold the memories of the shape and those of the single writes.
	config.Limits.Keys = max(config.Limits.Keys, int64(r.shape.Entries+r.Questions))
	if r.sandbox, err = harness.NewSandbox(ctx, config, compose.Embedders{Main: r.embedder}); err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, r.sandbox.Remove(ctx)) }()
	if err := r.open(ctx); err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.fill(ctx, &c); err != nil {
		return c, err
	}
	if err := r.use(ctx, &c); err != nil {
		return c, err
	}
	// While it is open, a database has a log of recent writes beside it.
	if err := r.close(); err != nil {
		return c, err
	}
	if c.DiskBytes, err = r.sandbox.Size(ctx); err != nil {
		return c, err
	}
	c.ReadyMS, err = r.startServers(ctx)
	return c, err
}

// fill writes the memories and their vectors.
func (r *caseRun) fill(ctx context.Context, c *Case) error {
	for _, step := range []struct {
		took *float64 // seconds
		do   func(context.Context) error
	}{{&c.WriteS, r.write}, {&c.VectorsS, r.makeVectors}, {&c.SettleS, r.settle}} {
		start := time.Now()
		if err := step.do(ctx); err != nil {
			return err
		}
		*step.took = time.Since(start).Seconds()
	}
	return nil
}

// use searches and writes.
func (r *caseRun) use(ctx context.Context, c *Case) (err error) {
	if err := r.searchOneStore(ctx, c); err != nil {
		return err
	}
	debug.FreeOSMemory() // of the import
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	c.HeapBytes, c.RSSBytes = heap.HeapAlloc, harness.ResidentBytes("self")
	if c.Scopes, err = r.searchManyStores(ctx); err != nil {
		return err
	}
	c.Put, err = r.putOneAtATime(ctx)
	c.Load = loadAverage()
	return err
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

// close closes the instance, if it is open.
func (r *caseRun) close() error {
	instance := r.instance
	r.instance, r.index = nil, nil
	if instance == nil {
		return nil
	}
	return instance.Close()
}

// storeOf returns the store of a memory.
func (r *caseRun) storeOf(memory int) string { return fmt.Sprintf("agent-%d", memory%r.shape.Stores) }

// write writes the memories, store by store.
func (r *caseRun) write(ctx context.Context) error {
	const atOnce = 10_000 // bounds the texts in memory
	bar := r.Progress.Start(int64(r.shape.Entries), "writing")
	defer bar.Exit()
	for store := range min(r.shape.Stores, r.shape.Entries) {
		var texts []memory.PutRequest
		for i := store; i < r.shape.Entries; i += r.shape.Stores {
			texts = append(texts, r.text(r.storeOf(i), i))
			if len(texts) < atOnce && i+r.shape.Stores < r.shape.Entries {
				continue
			}
			if err := harness.Write(ctx, r.instance.Service, texts, bar); err != nil {
				return err
			}
			texts = texts[:0]
		}
	}
	return nil
}

// text returns a request that writes memory i into a store.
func (r *caseRun) text(store string, i int) memory.PutRequest {
	return harness.NewText(store, fmt.Sprintf("memory/%07d", i), workload.NewMemory(r.Seed, i).Text())
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
