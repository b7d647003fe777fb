package speed

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mneme/acl"
	"mneme/benchmarks/measure"
	"mneme/indexer"
	"mneme/internal/workload"
	"mneme/memory"
	"mneme/search"
	"mneme/vector"
	"mneme/vector/flat"
)

// steps are the steps of a search, in the order of the table. The lexical step runs
// in parallel with embed and vector. The last is the search without embedding: see
// withoutEmbedding.
var steps = []string{"embed", "lexical", "vector", "rank", "fetch", "total", WithoutEmbedding}

// WithoutEmbedding is the step of Case.Steps that withoutEmbedding computes.
const WithoutEmbedding = "without_embedding"

// withoutEmbedding returns how long a search of the duration total would have taken if
// the vector of its question had been known: the words are searched while the question is
// embedded and its vector is searched, so that total lacks what the slower leg saves.
func withoutEmbedding(took search.Took, total time.Duration) time.Duration {
	return total - max(took.Lexical, took.Embed+took.Vector) + max(took.Lexical, took.Vector)
}

// searchOneStore asks for memories of all stores, each as the agent who owns the
// memory's store.
func (r *caseRun) searchOneStore(ctx context.Context, c *Case) error {
	const warmUp = 10 // questions that are not counted
	bar := r.Progress.Start(int64(r.Questions), "asking")
	defer bar.Exit()
	samples := make(map[string][]time.Duration)
	for i := range warmUp + r.Questions {
		target := r.target(i)
		answer, total, err := r.search(ctx, r.storeOf(target), target, i)
		if err != nil {
			return err
		}
		if i < warmUp {
			continue
		}
		if len(answer.Degraded) > 0 {
			c.Degraded++
		}
		took := answer.Took
		for n, step := range []time.Duration{took.Embed, took.Lexical, took.Vector, took.Rank, took.Fetch, total, withoutEmbedding(took, total)} {
			samples[steps[n]] = append(samples[steps[n]], step)
		}
		_ = bar.Add(1)
	}
	for step, took := range samples {
		c.Steps[step] = measure.NewLatency(took)
	}
	return nil
}

// target returns the memory for question i. Knuth's multiplicative hash
// spreads the targets over all memories.
func (r *caseRun) target(i int) int { return int(uint64(i) * 2_654_435_761 % uint64(r.shape.Entries)) }

// search searches for a memory as an agent. number makes each question unique, so
// that no cache answers it.
func (r *caseRun) search(ctx context.Context, agent string, target, number int) (search.Answer, time.Duration, error) {
	caller := memory.Caller{Principal: acl.Principal{Agent: agent, Taint: acl.Public}}
	query := workload.NewMemory(r.Seed, target).Question() + " " + strconv.Itoa(number)
	start := time.Now()
	answer, err := r.instance.Search(ctx, caller, search.Request{Query: query, Limit: 10})
	return answer, time.Since(start), err
}

// scopePercents are the scopes to measure besides one store, in percent of all
// stores.
var scopePercents = []int{1, 10, 100}

// Scope holds the figures of searches in many stores.
type Scope struct {
	Percent int             `json:"percent"` // of all stores
	Stores  int             `json:"stores"`
	Search  measure.Latency `json:"search"`
	Recall  *measure.Recall `json:"recall,omitempty"` // nil: the index is exact
}

// scope returns the figures of searches in a percentage of all stores.
func (c Case) scope(percent int) (Scope, bool) {
	i := slices.IndexFunc(c.Scopes, func(s Scope) bool { return s.Percent == percent })
	if i < 0 {
		return Scope{}, false
	}
	return c.Scopes[i], true
}

// searchManyStores asks as agents with grants for many stores, and measures the
// recall of an approximate index within their scopes.
func (r *caseRun) searchManyStores(ctx context.Context) ([]Scope, error) {
	exact, err := r.exactIndex(ctx)
	if err != nil {
		return nil, err
	}
	var scopes []Scope
	for _, percent := range scopePercents {
		if r.shape.Stores == 1 && percent < 100 {
			continue // the same store
		}
		s := Scope{Percent: percent, Stores: max(1, r.shape.Stores*percent/100)}
		reader := fmt.Sprintf("reader-%d", percent)
		if err := r.grant(ctx, reader, s.Stores); err != nil {
			return nil, err
		}
		var samples []time.Duration
		for i := range max(10, r.Questions/10) {
			_, total, err := r.search(ctx, reader, r.target(i), i)
			if err != nil {
				return nil, err
			}
			samples = append(samples, total)
		}
		s.Search = measure.NewLatency(samples)
		if exact != nil {
			if s.Recall, err = r.recall(ctx, reader, exact); err != nil {
				return nil, err
			}
		}
		scopes = append(scopes, s)
	}
	return scopes, nil
}

// grant lets reader read a number of stores, spread evenly over all.
func (r *caseRun) grant(ctx context.Context, reader string, stores int) error {
	return r.instance.Storage.Update(ctx, func(tx memory.Tx) error {
		for n := range stores {
			err := tx.PutGrant(ctx, acl.Grant{
				Store: r.storeOf(n * r.shape.Stores / stores), Grantee: reader, Level: acl.Read, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public,
				ByPlatform: true, CreatedAt: time.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// exactIndex returns a flat index of the instance's vectors, for comparison. It
// returns nil if the instance's own index is exact.
func (r *caseRun) exactIndex(ctx context.Context) (vector.Index, error) {
	if r.backend.Vector == "flat" {
		return nil, nil
	}
	exact := flat.New(r.embedder.Dim())
	err := r.instance.Storage.ForIndexer().View(ctx, func(tx indexer.ReadTx) error {
		// The memories are short: each is one chunk.
		return tx.AllVectors(ctx, r.embedder.Fingerprint(), func(record vector.Record) error {
			return exact.Upsert(ctx, []vector.Record{record})
		})
	})
	return exact, err
}

// recall measures the recall of the instance's index within a reader's scope.
func (r *caseRun) recall(ctx context.Context, reader string, exact vector.Index) (*measure.Recall, error) {
	var scope acl.Scope
	err := r.instance.Storage.View(ctx, func(tx memory.ReadTx) (err error) {
		scope, err = acl.NewScope(ctx, tx, acl.Principal{Agent: reader, Taint: acl.Public}, acl.ScopeRequest{}, time.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	bar := r.Progress.Start(int64(r.Questions), "comparing")
	defer bar.Exit()
	queries := make([][]float32, r.Questions)
	for i := range queries {
		query, err := r.embedder.Query(ctx, workload.NewMemory(r.Seed, r.target(i)).Question())
		if err != nil {
			return nil, err
		}
		queries[i] = query.Vector
	}
	next := -1
	recall, err := measure.MeasureRecall(ctx, r.index, exact, r.Questions, func() (acl.Scope, []float32) {
		next++
		_ = bar.Add(1)
		return scope, queries[next]
	})
	return &recall, err
}
