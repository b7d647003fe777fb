package memory

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"mneme/internal/lru"
)

// Limits bound what the Service accepts. Zero fields take the default.
type Limits struct {
	Value          int             // bytes of one value; 100,000
	Query          int             // bytes of one query; 16,000
	Keys           int64           // live entries that an agent wrote last, per store and label; 1,000,000
	Bytes          int64           // total bytes of the values of these entries; 1 GiB
	Grants         int64           // unexpired grants of a store; 10,000
	History        HistoryLimits   // of an entry's versions; 100 and 10 MB
	Retention      *time.Duration  // how long before now a purge must leave deletions alone; nil: 7 days
	IdempotencyTTL time.Duration   // how long an Idempotency-Key is stored; 24 h
	Feed           FeedLimits      // of the changes of a store and label; 7 days and 1,000,000
	Batch          BatchLimits     // of one Batch; 1,000 and 10 MB
	Conditions     ConditionLimits // of values, for the filter of one call; 512 MB and 5 s
	WriteWait      time.Duration   // how long a write waits for other writes before it is refused; 10 s
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
	if l.Conditions.Bytes == 0 {
		l.Conditions.Bytes = 512_000_000
	}
	if l.Conditions.Time == 0 {
		l.Conditions.Time = 5 * time.Second
	}
	if l.WriteWait == 0 {
		l.WriteWait = 10 * time.Second
	}
	if l.IdempotencyTTL == 0 {
		l.IdempotencyTTL = 24 * time.Hour
	}
	return l
}

// Options configure a Service. Zero fields take the default.
type Options struct {
	Limits Limits
	// Indexer keeps the vectors up to date with the rows. nil: no vectors.
	Indexer Indexer
	// EveryLanguage is set if the configured embedder reads every language, so that no language
	// can be chosen for a store. It matters only while the Indexer serves no model.
	EveryLanguage bool
	// Ledger verifies the meter records in a dump. nil: dumps with such records are refused.
	Ledger Ledger
	// IndexedWait bounds how long a Put with Wait waits. Default 10 s.
	IndexedWait time.Duration
	// SimilarWait bounds how long a Put with Similar waits. Default 2 s.
	SimilarWait time.Duration
	// Now is the clock. Default time.Now.
	Now func() time.Time
	Log *slog.Logger // default: discard
}

// Service has one method for each use case of writing, reading, sharing and following entries.
// The REST, MCP and other interfaces translate their requests to these methods, which apply
// every access rule. Operators' use cases are methods of Admin, and package search answers
// questions. It is safe for concurrent use.
type Service struct {
	storage Storage
	readers *Readers
	writers *Writers
	limits  Limits
	now     func() time.Time
	log     *slog.Logger
	secret  Secret

	indexer       Indexer
	everyLanguage bool
	ledger        Ledger        // nil: none
	similar       SimilarFinder // nil: none
	indexedWait   time.Duration
	similarWait   time.Duration

	callers *callerCache
	// unaccepted has the time of the last attempt of Named to accept a grant, by store and
	// grantee.
	unaccepted *lru.Cache[string, time.Time]
	waits      *feedWaits
	purged     chan struct{} // buffer of one: a purge has left data to scrub
	written    atomic.Int64  // entries
}

// New returns a Service over a storage. Call Run to sweep expired entries.
func New(ctx context.Context, storage Storage, options Options) (*Service, error) {
	s := &Service{
		readers:       newReaders(storage.Readers()),
		limits:        options.Limits.withDefaults(),
		now:           options.Now,
		log:           options.Log,
		indexer:       options.Indexer,
		everyLanguage: options.EveryLanguage,
		ledger:        options.Ledger,
		indexedWait:   cmp.Or(options.IndexedWait, defaultIndexedWait),
		similarWait:   cmp.Or(options.SimilarWait, defaultSimilarWait),
		callers:       newCallerCache(),
		unaccepted:    lru.New(unacceptedBytes, func(key string, _ time.Time) int { return len(key) }),
		waits:         newFeedWaits(storage),
		purged:        make(chan struct{}, 1),
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.writers = newWriters(storage.Writers(), s.limits.WriteWait, s.Instant)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.indexer == nil {
		s.indexer = noIndexer{}
	}
	s.storage = announcing{storage, s.indexer, s.waits.wake}
	var err error
	if s.secret, err = loadSecret(ctx, storage); err != nil {
		return nil, fmt.Errorf("open memory service: %w", err)
	}
	if err = nameAgain(ctx, storage, s.log); err != nil {
		return nil, fmt.Errorf("open memory service: %w", err)
	}
	if err = analyzeAgain(ctx, storage, s.log, s.Instant()); err != nil {
		return nil, fmt.Errorf("open memory service: %w", err)
	}
	return s, nil
}

// Admin returns the use cases of operators.
func (s *Service) Admin() *Admin { return &Admin{s} }

// Instant returns the current time in the precision of rows.
func (s *Service) Instant() time.Time { return instantOf(s.now()) }

// Limits returns what the Service accepts.
func (s *Service) Limits() Limits { return s.limits }

// Readers returns the queue that gives callers the storage's readers in turn.
func (s *Service) Readers() *Readers { return s.readers }

// Writers returns the queue that gives callers the storage's writers in turn.
func (s *Service) Writers() *Writers { return s.writers }

// Outcomes returns the outcomes of calls with Idempotency-Keys.
func (s *Service) Outcomes() *Outcomes { return &Outcomes{s} }

// Secret returns the keys of entity tags and cursors.
func (s *Service) Secret() Secret { return s.secret }

// view runs fn on a snapshot once it is the caller's turn: see Readers.Take. fn must not call
// view, which could deadlock.
func (s *Service) view(ctx context.Context, c Caller, fn func(ReadTx) error) error {
	done, err := s.readers.Take(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	return s.storage.View(ctx, fn)
}

// wrote tells the indexer that entries were written, moved or deleted.
func (s *Service) wrote(entries int) {
	s.written.Add(int64(entries))
	s.indexer.Wake()
}

// Activity is what a process does and has done for callers.
type Activity struct {
	Written        int64 // entries written, moved, deleted and restored since the process started
	ChangesWaiting int   // calls of Changes that are waiting
}

// Activity returns the Activity of this process.
func (s *Service) Activity() Activity {
	return Activity{Written: s.written.Load(), ChangesWaiting: s.waits.count()}
}

// newID returns an id for a new entry. Ids are ordered by time.
func newID() (uuid.UUID, error) { return uuid.NewV7() }
