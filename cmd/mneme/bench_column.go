package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"mneme/acl"
	"mneme/backend"
	"mneme/benchmarks/measure"
	"mneme/benchmarks/workload"
	"mneme/configs"
	"mneme/embed"
	"mneme/indexer"
	"mneme/memory"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus"
)

// columnBench measures one backend at one size.
type columnBench struct {
	*speedBench
	backend  combination
	entries  int
	embedder embed.Embedder

	place   *benchPlace
	service *backend.Instance
	index   vector.Index // as the service has it
}

// run measures in a place of its own and removes it.
func (c *columnBench) run(ctx context.Context, config configs.Config) (column speedColumn, err error) {
	column = speedColumn{Backend: c.backend.String(), Entries: c.entries, Steps: make(map[string]measure.Latency)}
	debug.FreeOSMemory() // what the column before has left
	if c.place, err = newBenchPlace(ctx, config, c.backend, c.embedder); err != nil {
		return column, err
	}
	defer func() { err = errors.Join(err, c.place.remove(ctx)) }()
	if err := c.open(ctx); err != nil {
		return column, err
	}
	defer closing(c.service, &err)
	for _, step := range []struct {
		took *float64 // seconds
		do   func(context.Context) error
	}{{&column.WriteS, c.write}, {&column.VectorsS, c.makeVectors}, {&column.SettleS, c.settle}} {
		began := time.Now()
		if err := step.do(ctx); err != nil {
			return column, err
		}
		*step.took = time.Since(began).Seconds()
	}
	if err := c.ask(ctx, &column); err != nil {
		return column, err
	}
	if column.DiskBytes, err = c.place.size(ctx); err != nil {
		return column, err
	}
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	column.HeapBytes, column.RSSBytes = heap.HeapAlloc, resident()
	column.Scopes, err = c.widen(ctx)
	column.Load = load()
	return column, err
}

// open opens the service over the place. It keeps the vector index, to be
// measured by itself.
func (c *columnBench) open(ctx context.Context) error {
	log := c.logger(configs.Log{Level: "error", Format: "text"})
	model, err := backend.NewModel(c.place.config, c.embedder, log)
	if err != nil {
		return err
	}
	openIndex := model.Open
	model.Open = func(ctx context.Context) (index vector.Index, err error) {
		index, err = openIndex(ctx)
		c.index = index
		return index, err
	}
	if c.service, err = backend.OpenWith(ctx, c.place.config, log, []indexer.Model{model}); err != nil {
		return err
	}
	if !c.service.Status(ctx).Vector {
		// The service would go on without; the index's own error says why.
		_, err := openIndex(ctx)
		return errors.Join(errors.New("the vector index cannot be used"), err, c.service.Close())
	}
	return nil
}

// store is the name of the store that a memory is in.
func (c *columnBench) store(entry int) string { return fmt.Sprintf("agent-%d", entry%c.stores) }

// write writes the memories, a store's in batches, as its agent would.
func (c *columnBench) write(ctx context.Context) error {
	bar := c.newBar(int64(c.entries), "writing")
	defer bar.Exit()
	to := importing{program: c.program, as: callerFlags{taint: acl.Public.String()}}
	sink := &localSink{service: c.service.Service, as: to.as}
	for store := range min(c.stores, c.entries) {
		var records []record
		for entry := store; entry < c.entries; entry += c.stores {
			value, err := json.Marshal(workload.NewMemory(c.seed, entry).Text())
			if err != nil {
				return err
			}
			path := memory.Path{Store: c.store(entry), Key: fmt.Sprintf("memory/%07d", entry)}
			records = append(records, record{put: memory.PutRequest{Path: path, Value: value}})
			if len(records) < batch && entry+c.stores < c.entries {
				continue
			}
			if err := to.hand(ctx, sink, records); err != nil {
				return err
			}
			_ = bar.Add(len(records))
			records = records[:0]
		}
	}
	if refused := to.counts.Refused; len(refused) > 0 {
		return fmt.Errorf("%d memories were refused, the first because: %s", len(refused), refused[0].Reason)
	}
	return nil
}

func (c *columnBench) makeVectors(ctx context.Context) error { return c.drain(ctx, c.service) }

// settle brings about the state in which a database is most of its life:
// vacuumed and analysed, and with Milvus's graphs built.
func (c *columnBench) settle(ctx context.Context) error {
	if err := c.place.vacuum(ctx); err != nil {
		return err
	}
	if index, ok := c.index.(*milvus.Index); ok {
		if err := index.Build(ctx); err != nil {
			return err
		}
		return index.Settle(ctx)
	}
	return nil
}

// ask puts questions about memories spread over the whole set, each by the
// agent of their store.
func (c *columnBench) ask(ctx context.Context, column *speedColumn) error {
	const warmUp = 10 // questions that are not counted
	bar := c.newBar(int64(c.questions), "asking")
	defer bar.Exit()
	took := make(map[string][]time.Duration)
	for i := range warmUp + c.questions {
		entry := c.pick(i)
		answer, total, err := c.search(ctx, c.store(entry), entry, i)
		if err != nil {
			return err
		}
		if i < warmUp {
			continue
		}
		if len(answer.Degraded) > 0 {
			column.Degraded++
		}
		for n, d := range []time.Duration{answer.Took.Embed, answer.Took.Lexical, answer.Took.Vector, answer.Took.Fetch, total} {
			took[speedSteps[n]] = append(took[speedSteps[n]], d)
		}
		_ = bar.Add(1)
	}
	for step, all := range took {
		column.Steps[step] = measure.NewLatency(all)
	}
	return nil
}

// pick spreads questions over the memories, by Knuth's multiplicative hash.
func (c *columnBench) pick(i int) int { return int(uint64(i) * 2_654_435_761 % uint64(c.entries)) }

// search has an agent ask for a memory. Each question is new, so that no cache
// answers it.
func (c *columnBench) search(ctx context.Context, agent string, entry, number int) (memory.Answer, time.Duration, error) {
	caller := memory.Caller{Principal: acl.Principal{Agent: agent, Taint: acl.Public}}
	query := workload.NewMemory(c.seed, entry).Question() + " " + strconv.Itoa(number)
	began := time.Now()
	answer, err := c.service.Search(ctx, caller, memory.SearchRequest{Query: query, Limit: 10})
	return answer, time.Since(began), err
}

// widths are the scopes that are measured beside one store, as hundredths of
// all stores.
var widths = []int{1, 10, 100}

// widen measures searches of agents to whom many stores are granted, and the
// recall of an approximate index there.
func (c *columnBench) widen(ctx context.Context) ([]speedScope, error) {
	exact, err := c.exact(ctx)
	if err != nil {
		return nil, err
	}
	var scopes []speedScope
	for _, share := range widths {
		s := speedScope{Percent: share, Stores: max(1, c.stores*share/100)}
		reader := fmt.Sprintf("reader-%d", share)
		if err := c.grant(ctx, reader, s.Stores); err != nil {
			return nil, err
		}
		var took []time.Duration
		for i := range max(10, c.questions/10) {
			_, total, err := c.search(ctx, reader, c.pick(i), i)
			if err != nil {
				return nil, err
			}
			took = append(took, total)
		}
		s.Search = measure.NewLatency(took)
		if exact != nil {
			if s.Recall, err = c.recall(ctx, reader, exact); err != nil {
				return nil, err
			}
		}
		scopes = append(scopes, s)
	}
	return scopes, nil
}

// grant lets a reader read stores that are spread evenly over all.
func (c *columnBench) grant(ctx context.Context, reader string, stores int) error {
	return c.service.Storage.Update(ctx, func(tx memory.Tx) error {
		for n := range stores {
			err := tx.PutGrant(ctx, acl.Grant{
				Store: c.store(n * c.stores / stores), Grantee: reader, Level: acl.Read, MaxLabel: acl.Public,
				ByPlatform: true, CreatedAt: time.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// exact is a flat index of the service's vectors, to compare an approximate
// index with; nil where the service's own is exact.
func (c *columnBench) exact(ctx context.Context) (vector.Index, error) {
	if c.backend.vector == "flat" {
		return nil, nil
	}
	exact := flat.New(c.embedder.Dim())
	err := c.service.Storage.View(ctx, func(tx memory.ReadTx) error {
		// The memories are short: each is one chunk.
		return tx.AllVectors(ctx, c.embedder.Fingerprint(), func(r vector.Record) error {
			return exact.Upsert(ctx, []vector.Record{r})
		})
	})
	return exact, err
}

func (c *columnBench) recall(ctx context.Context, reader string, exact vector.Index) (*measure.Recall, error) {
	var scope acl.Scope
	err := c.service.Storage.View(ctx, func(tx memory.ReadTx) (err error) {
		scope, err = acl.NewScope(ctx, tx, acl.Principal{Agent: reader, Taint: acl.Public}, acl.ScopeRequest{}, time.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	bar := c.newBar(int64(c.questions), "comparing")
	defer bar.Exit()
	questions := make([][]float32, c.questions)
	for i := range questions {
		if questions[i], err = c.embedder.Query(ctx, workload.NewMemory(c.seed, c.pick(i)).Question()); err != nil {
			return nil, err
		}
	}
	next := -1
	recall, err := measure.MeasureRecall(ctx, c.index, exact, c.questions, func() (acl.Scope, []float32) {
		next++
		_ = bar.Add(1)
		return scope, questions[next]
	})
	return &recall, err
}
