// Package compose builds a mneme Service from its configuration. It is the only package
// that knows every storage, vector index, embedder and reranker: to add one, write its
// package and a case here.
package compose

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/configs"
	"mneme/embed/e5"
	"mneme/embed/rerank"
	"mneme/indexer"
	"mneme/internal/fairqueue"
	"mneme/internal/system"
	"mneme/internal/tracing"
	"mneme/lexical/language"
	"mneme/memory"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/search"
	"mneme/storage"
	"mneme/storage/sqlcommon"
	"mneme/storage/sqlite"
)

// Instance is a Service with its Searcher, its Indexer, the Market and their storage. Close
// it after use.
type Instance struct {
	*memory.Service
	*memory.Admin
	*search.Searcher
	*indexer.Indexer
	Storage storage.Storage
	Market  *meter.Market
	meter   *meter.Meter
	// payments are the ways to pay with a request; nil: none.
	payments *payment.Methods
	reranker *rerank.Client // nil: none
	sales    *saleObserver
	tracing  tracing.Provider
	log      *slog.Logger
}

// Open opens the storage, the vector index and the embedder that config names,
// and the Service over them. An invalid configuration is a *ConfigError.
func Open(ctx context.Context, config configs.Config, log *slog.Logger) (*Instance, error) {
	models, err := OpenModels(config, log)
	if err != nil {
		return nil, err
	}
	return OpenWith(ctx, config, log, models)
}

// OpenRows opens the Service without a model, for work that needs no vectors.
func OpenRows(ctx context.Context, config configs.Config, log *slog.Logger) (*Instance, error) {
	return OpenWith(ctx, config, log, Models{})
}

// OpenWith opens the Service with the given models, the preferred one first.
func OpenWith(ctx context.Context, config configs.Config, log *slog.Logger, models Models) (*Instance, error) {
	return OpenAt(ctx, config, log, models, time.Now)
}

// OpenAt is OpenWith with a clock, for simulations.
func OpenAt(ctx context.Context, config configs.Config, log *slog.Logger, models Models, now func() time.Time) (*Instance, error) {
	spans, err := tracing.New(ctx, tracing.Options{Endpoint: config.Tracing.Endpoint, SampleRatio: config.Tracing.SampleRatio, Log: log})
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("tracing: %w", err)}
	}
	instance, err := open(ctx, config, log, models, spans, now)
	if err != nil {
		closeTracing(spans)
		return nil, err
	}
	return instance, nil
}

func open(ctx context.Context, config configs.Config, log *slog.Logger, models Models, spans tracing.Provider, now func() time.Time) (*Instance, error) {
	payments, err := NewPayments(config.Meter)
	if err != nil {
		return nil, err
	}
	reranker, err := OpenReranker(config.Rerank)
	if err != nil {
		return nil, err
	}
	rows, err := openStorage(ctx, config, log)
	if err != nil {
		return nil, err
	}
	ix, err := indexer.New(ctx, rows.ForIndexer(), indexer.Options{
		Models: models.Main, Multilingual: models.Multilingual, Foreign: language.Foreign, Log: log, Tracer: spans.Tracer("mneme/indexer"),
	})
	if err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	sales := &saleObserver{}
	prices := meter.NewMeter(rows.ForMeter(), meter.MeterOptions{Currency: config.Meter.Currency, Observer: sales, Now: now})
	writing := Options(config, log, ix)
	writing.Ledger, writing.Now = prices, now
	service, err := memory.New(ctx, rows, writing)
	if err != nil {
		return nil, errors.Join(err, ix.Close(), rows.Close())
	}
	searching := SearchOptions(config, log, ix)
	searching.Meter, searching.Tracer = prices, spans.Tracer("mneme/search")
	if reranker != nil {
		searching.Reranker = reranker
	}
	searcher := search.New(rows, service, searching)
	service.UseSimilar(searcher)
	selling := meter.Options{Currency: config.Meter.Currency, Meter: prices, Observer: sales, Hold: config.Meter.Hold}
	if payments != nil {
		selling.Gateway = payments
	}
	market := meter.NewMarket(rows.ForMeter(), service, searcher, selling)
	return &Instance{
		Service: service, Admin: service.Admin(), Searcher: searcher, Indexer: ix, Storage: rows, Market: market,
		meter: prices, payments: payments, reranker: reranker, sales: sales, tracing: spans, log: log,
	}, nil
}

// SearchLoad returns how many searches run and wait, and how many were refused.
func (i *Instance) SearchLoad() fairqueue.Load { return i.Searcher.Load() }

// ReadLoad returns how many snapshots are read and wait, and how many were refused.
func (i *Instance) ReadLoad() fairqueue.Load { return i.Readers().Load() }

// WriteLoad returns how many transactions of callers are written and wait, and how many
// were refused.
func (i *Instance) WriteLoad() fairqueue.Load { return i.Writers().Load() }

// Run runs the background work of the Service, the Indexer and the Market until
// ctx ends.
func (i *Instance) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return i.Service.Run(ctx) })
	group.Go(func() error { return i.Indexer.Run(ctx) })
	group.Go(func() error { return i.meter.Run(ctx) })
	group.Go(func() error { return i.watchStorage(ctx) })
	group.Go(func() error {
		i.payments.Run(ctx, func(err error) {
			i.log.WarnContext(ctx, "the facilitator does not say what it supports", "error", err)
		})
		return nil
	})
	group.Go(func() error {
		i.Market.Run(ctx, func(err error) {
			i.log.ErrorContext(ctx, "payments could not be reconciled", "error", err)
		})
		return nil
	})
	group.Go(func() error {
		i.checkStorage(ctx)
		debug.FreeOSMemory() // the memory that only the start needed
		return nil
	})
	return group.Wait()
}

// checkStorage looks for damage once, if the storage can. A damaged storage fails
// every call from then on.
func (i *Instance) checkStorage(ctx context.Context) {
	checker, ok := i.Storage.(interface{ Check(context.Context) error })
	if !ok {
		return
	}
	if err := checker.Check(ctx); err != nil && ctx.Err() == nil {
		i.log.ErrorContext(ctx, "the storage could not be checked for damage, or is damaged", "error", err)
	}
}

// watchEvery is the interval at which watchStorage checks whether the database was
// replaced.
const watchEvery = 200 * time.Millisecond

// watchStorage checks whether the database was replaced, as by a restore. From then on
// every call fails, since the data in memory is the former database's. On PostgreSQL,
// watchStorage returns the error, which ends the process, so that a supervisor starts it
// again. On SQLite, the process keeps running, and fails every call, so that no supervisor
// starts another before the restore is complete: that one would apply the write-ahead log
// of the former file to the new one.
func (i *Instance) watchStorage(ctx context.Context) error {
	watched, ok := i.Storage.(interface{ Continues(context.Context) error })
	if !ok {
		return nil
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for failing := false; ; {
		err := watched.Continues(ctx)
		if errors.Is(err, sqlcommon.ErrReplaced) {
			if _, file := i.Storage.(*sqlite.Storage); !file {
				return err
			}
			i.log.ErrorContext(ctx, "nothing is served any more", "error", err)
			return nil
		}
		if failed := err != nil && ctx.Err() == nil; failed && !failing {
			i.log.WarnContext(ctx, "whether the database was replaced is not known", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Close closes the vector indexes and then the storage, and exports the last
// spans.
func (i *Instance) Close() error {
	defer closeTracing(i.tracing)
	if i.reranker != nil {
		i.reranker.Close()
	}
	return errors.Join(i.Indexer.Close(), i.Storage.Close())
}

// exportTimeout is how long closeTracing waits for the collector.
const exportTimeout = 5 * time.Second

// closeTracing exports the last spans.
func closeTracing(spans tracing.Provider) {
	ctx, cancel := context.WithTimeout(context.Background(), exportTimeout)
	defer cancel()
	spans.Close(ctx)
}

// Options returns the Service's options as configured. A nil ix leaves the Service without
// vectors.
func Options(config configs.Config, log *slog.Logger, ix memory.Indexer) memory.Options {
	return memory.Options{
		Limits: memory.Limits{
			Value: config.Limits.ValueBytes, Keys: config.Limits.Keys, Bytes: config.Limits.Bytes,
			Retention: &config.Limits.Retention, Grants: config.Limits.Grants,
			History:    memory.HistoryLimits{Versions: config.Limits.HistoryVersions},
			Conditions: memory.ConditionLimits{Bytes: config.Limits.ConditionBytes},
			WriteWait:  config.Limits.WriteWait,
		},
		Indexer:       ix,
		EveryLanguage: !builtIn(config),
		Log:           log,
	}
}

// SearchOptions returns the Searcher's options as configured, without Meter and Reranker. A
// nil ix leaves the Searcher without vectors.
func SearchOptions(config configs.Config, log *slog.Logger, ix search.Indexer) search.Options {
	running := concurrentSearches(config)
	return search.Options{
		Indexer:      ix,
		VectorBudget: config.Search.VectorBudget,
		RerankBudget: config.Rerank.Timeout,
		RerankLabel:  labelOf(config.Rerank.MaxLabel),
		Searches: fairqueue.Limits{
			// RunningEach is lower than Running, so that one agent leaves room for others.
			Running: running, RunningEach: max(1, min(8, running/2)),
			Waiting: 1024, WaitingEach: 64,
		},
		QueryCache:     config.Search.QueryCacheBytes,
		CandidateCache: config.Search.CandidateCacheBytes,
		Language:       language.Of,
		FitTokens:      e5.FitTokens,
		Log:            log,
	}
}

// concurrentSearches returns the number of concurrent searches: search.running or, if that is 0,
// 64 if searches wait for a server, and otherwise two for each processor. More would only
// slow each other down, some more than others: docs/decisions/0056-reads-take-turns.md.
func concurrentSearches(config configs.Config) int {
	remote := config.Storage != "sqlite" || config.Vector != "flat" || remoteOf(config) != nil || config.Rerank.URL != ""
	switch {
	case config.Search.Running > 0:
		return config.Search.Running
	case remote:
		return 64
	}
	return 2 * runtime.GOMAXPROCS(0)
}

// MakeDataDir creates the data folder if it is missing, accessible only to its
// owner.
func MakeDataDir(dir string) error {
	if err := system.MakeFolder(dir); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}
