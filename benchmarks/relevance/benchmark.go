package relevance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"time"

	"mneme/benchmarks/harness"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/memory"
)

// defaultStore is the store of documents and queries without one.
const defaultStore = "bench"

// Set is a dataset with additional measurements on it.
type Set struct {
	*Dataset
	Imported     []NamedRun // of other systems
	Unanswerable []Query    // queries that no document answers
	WrongStore   bool       // ask each query of a store that is not its own, too
}

// NamedRun is a run with the name of its system.
type NamedRun struct {
	Name string
	Run  Run
}

// Benchmark measures the relevance of searches over datasets.
type Benchmark struct {
	Sets    []*Set
	Cache   string   // folder of the vector cache; "": no cache
	Slices  []string // fields of the queries by which they are grouped, or SliceStoreSize
	Changes int      // number of wins and of losses to show for two runs
	Seed    uint64   // of intervals and significance tests

	Progress harness.Progress
	Log      *slog.Logger
}

// Run imports each dataset into a sandbox on the configured backend. It runs every
// answerable query with each search configuration in Systems and, if a reranking service is
// configured, with SystemRerank. A query searches as the agent who owns the query's store.
// The report has the figures; the runs are returned by dataset, in the report's order.
func (b *Benchmark) Run(ctx context.Context, config configs.Config) (_ Report, _ [][]NamedRun, err error) {
	if err := b.check(); err != nil {
		return Report{}, nil, err
	}
	dir := b.Cache
	if dir == "" {
		if dir, err = os.MkdirTemp("", "mneme-bench-*"); err != nil {
			return Report{}, nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	models, err := compose.OpenEmbedders(config)
	if err != nil {
		return Report{}, nil, err
	}
	caches, err := harness.OpenCaches(dir, models)
	if err != nil {
		return Report{}, nil, err
	}
	defer func() { err = errors.Join(err, caches.Close()) }()
	reranker, err := compose.OpenReranker(config.Rerank)
	if err != nil {
		return Report{}, nil, err
	}
	report := Report{Embedder: models.Main.Fingerprint(), Reranker: reranker.Name(), Backend: config.Storage + "+" + config.Vector, Seed: b.Seed}
	var runs [][]NamedRun
	for _, set := range b.Sets {
		answers, err := b.measure(ctx, config, caches.Embedders, set)
		if err != nil {
			return Report{}, nil, fmt.Errorf("%s: %w", set.Name, err)
		}
		report.Sets = append(report.Sets, b.evaluate(set, answers))
		runs = append(runs, answers.runs)
	}
	report.Vectors = caches.Stats()
	return report, runs, nil
}

// check returns an error if the datasets cannot be distinguished or lack the
// requested data.
func (b *Benchmark) check() error {
	names := make(map[string]bool)
	for _, set := range b.Sets {
		if names[set.Name] {
			return fmt.Errorf("two datasets are called %s: rename a folder", set.Name)
		}
		names[set.Name] = true
		systems := make(map[string]bool)
		for _, name := range append(slices.Clone(Systems), SystemRerank) {
			systems[name] = true
		}
		for _, run := range set.Imported {
			if systems[run.Name] {
				return fmt.Errorf("%s: two runs are called %s: change the tag in the last column of one", set.Name, run.Name)
			}
			systems[run.Name] = true
			if err := set.checkRun(run); err != nil {
				return err
			}
		}
	}
	for _, field := range b.Slices {
		if err := checkSlice(b.Sets, field); err != nil {
			return err
		}
	}
	return nil
}

// checkRun returns an error if a run answers none of the judged queries.
func (s *Set) checkRun(run NamedRun) error {
	for _, query := range s.Qrels.Answerable() {
		if len(run.Run[query]) > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s: the run %s answers none of the judged queries", s.Name, run.Name)
}

// unhurried is the budget of the vector leg, large enough that answers do not depend
// on the machine's speed or load.
const unhurried = time.Hour

// measure runs a set's queries in a sandbox, which it removes.
func (b *Benchmark) measure(ctx context.Context, config configs.Config, embedders compose.Embedders, set *Set) (_ *answers, err error) {
	config.Search.VectorBudget = unhurried
	sandbox, err := harness.NewSandbox(ctx, config, embedders)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sandbox.Remove(ctx)) }()
	models, err := sandbox.Models(b.Log)
	if err != nil {
		return nil, err
	}
	instance, err := sandbox.Open(ctx, models, b.Log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	return b.measureOn(ctx, sandbox.Config, instance, set)
}

// measureOn runs a set's queries on an instance without entries.
func (b *Benchmark) measureOn(ctx context.Context, config configs.Config, instance *compose.Instance, set *Set) (*answers, error) {
	if err := b.load(ctx, instance, set); err != nil {
		return nil, err
	}
	searches := newSearcher(config, instance, b.Log)
	if err := searches.askForeign(ctx, set); err != nil {
		return nil, err
	}
	if err := harness.MakeVectors(ctx, instance, b.Progress, set.Name+": vectors of other languages"); err != nil {
		return nil, err
	}
	return b.ask(ctx, searches, set)
}

// load writes the documents and makes their vectors.
func (b *Benchmark) load(ctx context.Context, instance *compose.Instance, set *Set) error {
	bar := b.Progress.Start(int64(len(set.Documents)), set.Name+": writing")
	defer bar.Exit()
	if err := harness.Write(ctx, instance.Service, set.Entries(), bar); err != nil {
		return err
	}
	return harness.MakeVectors(ctx, instance, b.Progress, set.Name+": making vectors")
}

// Entries returns the requests that write the documents, in order.
func (d *Dataset) Entries() []memory.PutRequest {
	requests := make([]memory.PutRequest, len(d.Documents))
	for i, document := range d.Documents {
		requests[i] = document.put()
	}
	return requests
}

// put returns the request that writes the document. A document of a corpus is a
// text whose key is its ID.
func (d Document) put() memory.PutRequest {
	e := d.entry
	if e == nil {
		return harness.NewText(StoreOr(d.Store), d.ID, d.Body())
	}
	return memory.PutRequest{
		Path:  memory.Path{Store: StoreOr(d.Store), Namespace: e.Namespace, Key: e.Key},
		Value: e.Value, Type: e.Type, Description: e.Description, Tags: e.Tags, OccurredAt: e.OccurredAt,
	}
}

// StoreOr returns the store of a document or query of a dataset, or the default store
// if it is empty.
func StoreOr(store string) string {
	if store == "" {
		return defaultStore
	}
	return store
}

// ask runs the answerable queries with each search configuration, and the unanswerable ones
// with the last one only, which ranks by relevance.
func (b *Benchmark) ask(ctx context.Context, s *searcher, set *Set) (*answers, error) {
	a := &answers{byRelevance: make(map[string][]found)}
	answerable, ids := set.answerable(), set.ids()
	for _, system := range s.systems {
		run := make(Run, len(answerable))
		err := b.each(answerable, set.Name+": "+system, func(q Query) error {
			hits, err := s.search(ctx, system, q.Store, q.Text, ids)
			if system == s.relevant() {
				a.byRelevance[q.ID] = hits
			}
			run[q.ID] = scored(hits)
			return err
		})
		if err != nil {
			return nil, err
		}
		a.runs = append(a.runs, NamedRun{Name: system, Run: run})
	}
	a.runs = append(a.runs, set.Imported...)
	err := b.each(set.Unanswerable, set.Name+": unanswerable", func(q Query) error {
		hits, err := s.search(ctx, s.relevant(), q.Store, q.Text, ids)
		a.unanswerable = append(a.unanswerable, highest(hits))
		return err
	})
	if err != nil {
		return a, err
	}
	return a, b.each(set.inWrongStores(), set.Name+": wrong store", func(q Query) error {
		hits, err := s.search(ctx, s.relevant(), q.Store, q.Text, ids)
		a.wrongStore = append(a.wrongStore, highest(hits))
		return err
	})
}

// answerable returns the queries with a relevant document, in byte order of their IDs.
func (s *Set) answerable() []Query {
	var queries []Query
	for _, id := range s.Qrels.Answerable() {
		queries = append(queries, s.Queries[s.queries[id]])
	}
	return queries
}

// inWrongStores returns the answerable queries, each with a store that is not its own. It
// returns none unless WrongStore is set and there are several stores.
func (s *Set) inWrongStores() []Query {
	stores := sortedKeys(s.stores)
	if !s.WrongStore || len(stores) < 2 {
		return nil
	}
	queries := s.answerable()
	for i, q := range queries {
		queries[i].Store = otherStore(stores, q.Store, i)
	}
	return queries
}

// otherStore returns a store other than the given one: consecutive numbers cycle
// through the others.
func otherStore(stores []string, store string, number int) string {
	for i, one := range stores {
		if one == store {
			return stores[(i+1+number%(len(stores)-1))%len(stores)]
		}
	}
	return stores[0]
}

// each calls fn for every query, and shows the progress of the task.
func (b *Benchmark) each(queries []Query, task string, fn func(Query) error) error {
	if len(queries) == 0 {
		return nil
	}
	bar := b.Progress.Start(int64(len(queries)), task)
	defer bar.Exit()
	for _, q := range queries {
		if err := fn(q); err != nil {
			return fmt.Errorf("%s: query %s: %w", task, strconv.Quote(q.ID), err)
		}
		_ = bar.Add(1) // failing to draw the bar is no reason to stop
	}
	return nil
}

// ids returns the documents' IDs by the paths of their entries.
func (d *Dataset) ids() map[memory.Path]string {
	ids := make(map[memory.Path]string, len(d.Documents))
	for _, one := range d.Documents {
		ids[one.put().Path.Normal()] = one.ID
	}
	return ids
}
