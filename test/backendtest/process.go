package backendtest

import (
	"context"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/acl"
	"mneme/embed"
	"mneme/indexer"
	"mneme/internal/fairqueue"
	"mneme/lexical/language"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/storage"
	"mneme/test/wait"
)

// Process is a service with its indexer over one database, as in a process of
// mneme.
type Process struct {
	*memory.Service
	*memory.Admin
	*search.Searcher
	*indexer.Indexer
	Market *meter.Market
}

// Options configure a Process. Zero fields take the defaults of their packages.
type Options struct {
	Memory memory.Options
	Search search.Options
	// Multilingual are models for texts that the other, English models cannot read. If
	// Second is set, Open and OpenOver set Multilingual to a model with that embedder.
	Multilingual []indexer.Model
	Second       embed.Embedder
	// MaxLabel is the MaxLabel of each model.
	MaxLabel acl.Label
	// DropPause sets indexer.Options.DropPause.
	DropPause time.Duration
}

// NewProcess opens a service and its indexer over a storage. The indexer has the
// options' clock and log. Unless the options have a meter, the service has mneme's. The
// defaults of its time limits (vector leg, reading values, Put with Wait, waiting for
// other writes) are long, because tests run on busy machines.
func NewProcess(ctx context.Context, data storage.Storage, o Options, models ...indexer.Model) (*Process, error) {
	models = slices.Clone(models)
	for i := range models {
		models[i].MaxLabel = o.MaxLabel
	}
	if len(o.Multilingual) > 0 {
		for i := range models {
			models[i].EnglishOnly = true
		}
		o.Search.Language = language.Of
	}
	ix, err := indexer.New(ctx, data.ForIndexer(), indexer.Options{
		Models: models, Multilingual: o.Multilingual, Foreign: language.Foreign, Now: o.Memory.Now, Log: o.Memory.Log, DropPause: o.DropPause,
	})
	if err != nil {
		return nil, err
	}
	o.Memory.Indexer, o.Search.Indexer = ix, ix
	if o.Search.VectorBudget == 0 {
		o.Search.VectorBudget = wait.Limit
	}
	if o.Memory.Limits.Conditions.Time == 0 {
		o.Memory.Limits.Conditions.Time = wait.Limit
	}
	if o.Memory.Limits.WriteWait == 0 {
		o.Memory.Limits.WriteWait = wait.Limit
	}
	if o.Memory.IndexedWait == 0 {
		o.Memory.IndexedWait = wait.Limit
	}
	prices := meter.NewMeter(data.ForMeter(), meter.MeterOptions{Now: o.Memory.Now})
	if o.Search.Meter == nil {
		o.Search.Meter = prices
	}
	o.Memory.Ledger = prices
	service, err := memory.New(ctx, data, o.Memory)
	if err != nil {
		return nil, err
	}
	searcher := search.New(data, service, o.Search)
	service.UseSimilar(searcher)
	market := meter.NewMarket(data.ForMeter(), service, searcher, meter.Options{Meter: prices})
	return &Process{Service: service, Admin: service.Admin(), Searcher: searcher, Indexer: ix, Market: market}, nil
}

// SearchLoad returns the numbers of running, waiting and refused searches.
func (p *Process) SearchLoad() fairqueue.Load { return p.Searcher.Load() }

// ReadLoad returns the numbers of running, waiting and refused snapshots.
func (p *Process) ReadLoad() fairqueue.Load { return p.Readers().Load() }

// WriteLoad returns the numbers of running, waiting and refused transactions of
// callers.
func (p *Process) WriteLoad() fairqueue.Load { return p.Writers().Load() }

// OpenProcess is like NewProcess, and closes the service when the test ends.
func OpenProcess(t testing.TB, data storage.Storage, o Options, models ...indexer.Model) *Process {
	t.Helper()
	p, err := NewProcess(context.Background(), data, o, models...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// Run runs the background work of the service and the indexer until ctx ends.
func (p *Process) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return p.Service.Run(ctx) })
	group.Go(func() error { return p.Indexer.Run(ctx) })
	return group.Wait()
}
