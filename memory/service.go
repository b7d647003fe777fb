package memory

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"mneme/internal/fairqueue"
)

// Limits bound what the Service accepts. Zero fields take the default.
type Limits struct {
	Value          int            // bytes of one value; 100,000
	Query          int            // bytes of one query; 16,000
	Keys           int64          // live entries in a store at a label that an agent wrote last; 1,000,000
	Bytes          int64          // of the values of these entries; 1 GiB
	Grants         int64          // unexpired grants of a store; 10,000
	History        HistoryLimits  // of an entry's versions; 100 and 10 MB
	Retention      *time.Duration // a purge spares later deletions than this ago; nil: 7 days
	IdempotencyTTL time.Duration  // how long an Idempotency-Key is kept; 24 h
	Feed           FeedLimits     // of the changes of a store and label; 7 days and 1,000,000
	Batch          BatchLimits    // of one Batch; 1,000 and 10 MB
	Reading        ReadingLimits  // of values, for the filter of one call; 512 MB and 5 s
}

func (l Limits) withDefaults() Limits {
	if l.Value == 0 {
		l.Value = 100_000
	}
	if l.Query == 0 {
		l.Query = 16_000
	}
	if l.Keys == 0 {
		l.Keys = 1_000_000
	}
	if l.Bytes == 0 {
		l.Bytes = 1 << 30
	}
	if l.Grants == 0 {
		l.Grants = 10_000
	}
	if l.History.Versions == 0 {
		l.History.Versions = 100
	}
	if l.History.Bytes == 0 {
		l.History.Bytes = 10_000_000
	}
	if l.Retention == nil {
		l.Retention = new(7 * 24 * time.Hour)
	}
	if l.Feed.Age == 0 {
		l.Feed.Age = 7 * 24 * time.Hour
	}
	if l.Feed.Records == 0 {
		l.Feed.Records = 1_000_000
	}
	if l.Batch.Items == 0 {
		l.Batch.Items = 1000
	}
	if l.Batch.Bytes == 0 {
		l.Batch.Bytes = 10_000_000
	}
	if l.Reading.Bytes == 0 {
		l.Reading.Bytes = 512_000_000
	}
	if l.Reading.Time == 0 {
		l.Reading.Time = 5 * time.Second
	}
	if l.IdempotencyTTL == 0 {
		l.IdempotencyTTL = 24 * time.Hour
	}
	return l
}

// Options configure a Service. Zero fields take the default.
type Options struct {
	Limits Limits
	// Indexer keeps the vectors up to date with the rows. nil: searches use
	// the lexical leg alone.
	Indexer Indexer
	// Meter bounds and sells what search-only grants show. nil: nothing is bounded,
	// and metered stores are not searched.
	Meter Meter
	// VectorBudget bounds the time of a search's vector leg, embedding
	// included. After it the answer is lexical and says so. Default 3 s.
	VectorBudget time.Duration
	// SimilarWait bounds how long a Put with Similar waits for it. Default 2 s.
	SimilarWait time.Duration
	// Reranker judges the first candidates of searches ordered by relevance. nil: the
	// order is that of the scores alone.
	Reranker Reranker
	// RerankBudget bounds the time of the Reranker's answers to a search. After it the
	// order is that without it, and the answer says so. Default 2 s.
	RerankBudget time.Duration
	// Reranked is how many candidates the Reranker judges, at most 100. Default 50.
	Reranked int
	// QueryCache bounds the bytes of the cache of queries and their vectors.
	// Default 8 MiB.
	QueryCache int
	// CandidateCache bounds the bytes of the cache of rows that searches have read.
	// Default 64 MiB.
	CandidateCache int
	// Searches bound how many searches run and wait, of each agent and in all.
	// Its zero value stands for 8 and 64 running, 64 and 1,024 waiting.
	Searches fairqueue.Limits
	// FitTokens counts the tokens of what a search with MaxTokens shows. Default:
	// a token for every four bytes.
	FitTokens FitTokens
	// Now is the clock. Default time.Now.
	Now func() time.Time
	Log *slog.Logger // default: discard
	// Tracer makes the spans of searches and their steps. Default: none.
	Tracer trace.Tracer
}

// Service has one method for each use case. Surfaces translate their requests
// to these methods, which apply every access rule. It is safe for concurrent
// use.
type Service struct {
	storage Storage
	limits  Limits
	now     func() time.Time
	log     *slog.Logger
	tracer  trace.Tracer
	budget  time.Duration
	secret  secret

	similarWait time.Duration

	reranker     Reranker // nil: none
	rerankBudget time.Duration
	reranked     int // at most maxReranked

	indexer Indexer
	meter   Meter
	metered bool // meter is not noMeter
	queries *queryCache
	callers *callerCache
	waits   *feedWaits

	candidates   *candidateCache
	fitTokens    FitTokens
	written      atomic.Int64 // entries
	searches     *fairqueue.Queue
	reads        *fairqueue.Queue // what holds a reader of the storage
	searchLimits fairqueue.Limits
}

// New returns a Service over a storage. Call Run to have expired entries swept.
func New(ctx context.Context, storage Storage, options Options) (*Service, error) {
	s := &Service{
		storage:     storage,
		limits:      options.Limits.withDefaults(),
		now:         options.Now,
		log:         options.Log,
		tracer:      options.Tracer,
		budget:      options.VectorBudget,
		similarWait: cmp.Or(options.SimilarWait, defaultSimilarWait),
		queries:     newQueryCache(cmp.Or(options.QueryCache, queryCacheBytes)),
		callers:     newCallerCache(),

		reranker:     options.Reranker,
		rerankBudget: cmp.Or(options.RerankBudget, defaultRerankBudget),
		reranked:     min(cmp.Or(options.Reranked, defaultReranked), maxReranked),

		candidates:   newCandidateCache(cmp.Or(options.CandidateCache, candidateCacheBytes)),
		searchLimits: cmp.Or(options.Searches, defaultSearches),
		indexer:      options.Indexer,
		meter:        options.Meter,
		metered:      options.Meter != nil,
		fitTokens:    options.FitTokens,
	}
	s.searches, s.reads = fairqueue.New(s.searchLimits), readTurns(storage.Readers())
	if s.fitTokens == nil {
		s.fitTokens = estimateTokens
	}
	s.waits = newFeedWaits(storage)
	s.storage = announcing{storage, s.waits.wake}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.tracer == nil {
		s.tracer = noop.Tracer{}
	}
	if s.budget == 0 {
		s.budget = 3 * time.Second
	}
	if s.indexer == nil {
		s.indexer = noIndexer{}
	}
	if s.meter == nil {
		s.meter = noMeter{}
	}
	var err error
	if s.secret, err = loadSecret(ctx, storage); err != nil {
		return nil, fmt.Errorf("open memory service: %w", err)
	}
	if err = analyzeAgain(ctx, storage, s.log, s.instant()); err != nil {
		return nil, fmt.Errorf("open memory service: %w", err)
	}
	return s, nil
}

// instant returns the current time in the precision of rows.
func (s *Service) instant() time.Time { return instantOf(s.now()) }

// loadSecret returns the database's secret, which it creates in a new database.
// Every process over one database has the same.
func loadSecret(ctx context.Context, storage Storage) (secret, error) {
	const name = "secret"
	var key []byte
	err := storage.Update(ctx, func(tx Tx) (err error) {
		if key, err = tx.Meta(ctx, name); err != nil || key != nil {
			return err
		}
		key = make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			return err
		}
		return tx.SetMeta(ctx, name, key)
	})
	if err != nil {
		return secret{}, err
	}
	return newSecret(key)
}

// wrote has the vectors of entries made that were written, moved or deleted.
func (s *Service) wrote(entries int) {
	s.written.Add(int64(entries))
	s.indexer.Wake()
}

// Written returns how many entries this process has written, moved, deleted and
// restored for callers since it started.
func (s *Service) Written() int64 { return s.written.Load() }

// newID returns an id for a new entry. Ids are ordered by time.
func newID() (uuid.UUID, error) { return uuid.NewV7() }
