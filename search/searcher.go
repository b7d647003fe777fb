package search

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"mneme/acl"
	"mneme/internal/fairqueue"
	"mneme/internal/lru"
	"mneme/lexical/language"
	"mneme/memory"
	"mneme/search/cache"
)

// Options configure a Searcher. Zero fields take the default.
type Options struct {
	// Indexer has the models that embed questions. nil: searches use only the lexical leg.
	Indexer Indexer
	// Meter bounds and sells the hits that search-only grants show. nil: these hits are not
	// bounded, and metered stores are not searched.
	Meter Meter
	// VectorBudget bounds the time of a search's vector leg, including embedding. If the leg
	// takes longer, the answer is lexical and says so. Default 3 s.
	VectorBudget time.Duration
	// Language guesses the language of a text, if the first serving model reads only English
	// and the second reads other languages. nil: the first model reads every language.
	Language func(text string) language.Guess
	// Reranker judges the first candidates of searches ordered by relevance. nil: only the
	// scores order them.
	Reranker Reranker
	// RerankBudget bounds the time of the Reranker's answers to a search. If they take
	// longer, the hits are in the order without them, and the answer says so. Default 2 s.
	RerankBudget time.Duration
	// RerankLabel is the highest label of a session whose questions and texts may be sent
	// to the Reranker. Default RESTRICTED.
	RerankLabel acl.Label
	// Reranked is how many candidates the Reranker judges, at most 100. Default 50.
	Reranked int
	// QueryCache bounds the bytes of the cache of queries and their vectors.
	// Default 8 MiB.
	QueryCache int
	// CandidateCache bounds the bytes of the caches of candidates: half for the evidence
	// that entries are scored by, a sixteenth each for the entries of docIDs and for values, the
	// rest for rows.
	// Default 64 MiB.
	CandidateCache int
	// Searches bound how many searches run and wait, per agent and in total. Its zero
	// value means 8 and 64 running, 64 and 1,024 waiting.
	Searches fairqueue.Limits
	// FitTokens counts the tokens of the texts that a search with MaxTokens shows.
	// Default: a token for every four bytes.
	FitTokens FitTokens
	Log       *slog.Logger // default: discard
	// Tracer creates the spans of searches and their steps. Default: none.
	Tracer trace.Tracer
}

// Indexer maintains the vectors of the entries. Package indexer implements it.
type Indexer interface {
	// Serving returns the serving models: see memory.Indexer.
	Serving() []memory.Model
	// SuspectIndex reports to the Indexer that the index of the serving model did not
	// answer a search.
	SuspectIndex()
}

// noIndexer is the Indexer of a Searcher without one: searches use words alone.
type noIndexer struct{}

func (noIndexer) Serving() []memory.Model { return nil }
func (noIndexer) SuspectIndex()           {}

// Searcher answers questions from the entries of a memory.Service. An answer shows only
// what its caller may see. A Searcher is safe for concurrent use.
type Searcher struct {
	storage memory.Storage
	service *memory.Service
	limits  memory.Limits
	secret  memory.Secret
	log     *slog.Logger
	tracer  trace.Tracer

	indexer   Indexer
	language  func(text string) language.Guess
	meter     Meter
	metered   bool // meter is not noMeter
	budget    time.Duration
	fitTokens FitTokens

	reranker     Reranker // nil: none
	rerankBudget time.Duration
	rerankLabel  acl.Label
	reranked     int // at most maxReranked

	readers      *cache.Readers
	queries      *cache.Queries
	documents    *cache.Documents
	rows         *cache.Rows
	contents     *cache.Contents
	evidence     *cache.Evidence
	unnoted      *lru.Cache[string, time.Time] // by store and label: last attempt to record a question
	searches     *fairqueue.Queue
	searchLimits fairqueue.Limits
}

const (
	// queryCacheBytes is the default of Options.QueryCache: about 4,000 short queries of a
	// 384-dimensional model, or 2,500 with the codes of ten tokens.
	queryCacheBytes = 8 << 20
	// candidateCacheBytes is the default of Options.CandidateCache: some 29,000 rows, the
	// evidence of 10,000 entries, and the entries of 100,000 docIDs.
	candidateCacheBytes = 64 << 20
)

// New returns a Searcher over the storage of a Service, whose clock, limits, secret and
// turns it shares.
func New(storage memory.Storage, service *memory.Service, options Options) *Searcher {
	candidateBytes := cmp.Or(options.CandidateCache, candidateCacheBytes)
	readers := cache.NewReaders()
	s := &Searcher{
		storage: storage,
		service: service,
		limits:  service.Limits(),
		secret:  service.Secret(),
		log:     options.Log,
		tracer:  options.Tracer,

		indexer:   options.Indexer,
		language:  options.Language,
		meter:     options.Meter,
		metered:   options.Meter != nil,
		budget:    cmp.Or(options.VectorBudget, defaultVectorBudget),
		fitTokens: options.FitTokens,

		reranker:     options.Reranker,
		rerankBudget: cmp.Or(options.RerankBudget, defaultRerankBudget),
		rerankLabel:  cmp.Or(options.RerankLabel, acl.Restricted),
		reranked:     min(cmp.Or(options.Reranked, defaultReranked), maxReranked),

		readers:      readers,
		queries:      cache.NewQueries(cmp.Or(options.QueryCache, queryCacheBytes)),
		documents:    cache.NewDocuments(candidateBytes / 16),
		rows:         cache.NewRows(readers, candidateBytes/16*6),
		contents:     cache.NewContents(candidateBytes / 16),
		evidence:     cache.NewEvidence(candidateBytes / 2),
		unnoted:      lru.New(unnotedBytes, func(store string, _ time.Time) int { return len(store) }),
		searchLimits: cmp.Or(options.Searches, defaultSearches),
	}
	s.searches = fairqueue.New(s.searchLimits)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.tracer == nil {
		s.tracer = noop.Tracer{}
	}
	if s.indexer == nil {
		s.indexer = noIndexer{}
	}
	if s.language == nil {
		s.language = func(string) language.Guess { return language.Guess{Language: english, Sure: true} }
	}
	if s.meter == nil {
		s.meter = noMeter{}
	}
	if s.fitTokens == nil {
		s.fitTokens = estimateTokens
	}
	return s
}

// instant returns the current time with the precision of rows.
func (s *Searcher) instant() time.Time { return s.service.Instant() }

// view runs fn on a snapshot once it is the caller's turn: see memory.Readers. fn must not
// call view.
func (s *Searcher) view(ctx context.Context, c memory.Caller, fn func(memory.ReadTx) error) error {
	done, err := s.service.Readers().Take(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	return s.storage.View(ctx, fn)
}

// pointersTo returns pointers to entries.
func pointersTo(entries []memory.Entry) []*memory.Entry {
	pointers := make([]*memory.Entry, len(entries))
	for i := range entries {
		pointers[i] = &entries[i]
	}
	return pointers
}

// idsOf returns the ids of entries.
func idsOf(entries []memory.Entry) []uuid.UUID {
	ids := make([]uuid.UUID, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	return ids
}
