package backendtest

import (
	"context"
	"testing"

	"golang.org/x/sync/errgroup"

	"mneme/indexer"
	"mneme/memory"
	"mneme/meter"
	"mneme/storage"
	"mneme/test/wait"
)

// Process is a service with its indexer over one database, as one process of
// the product has them.
type Process struct {
	*memory.Service
	*indexer.Indexer
	Market *meter.Market
}

// NewProcess opens a service and its indexer over a storage. The indexer has
// the options' clock and log. Unless the options bring a meter, it has the product's.
// Unless they have a budget for vectors, it is long: tests run on busy machines.
func NewProcess(ctx context.Context, data storage.Storage, o memory.Options, models ...indexer.Model) (*Process, error) {
	ix, err := indexer.New(ctx, data.ForIndexer(), indexer.Options{Models: models, Now: o.Now, Log: o.Log})
	if err != nil {
		return nil, err
	}
	o.Indexer = ix
	if o.VectorBudget == 0 {
		o.VectorBudget = wait.Limit
	}
	prices := meter.NewMeter(data.ForMeter(), meter.MeterOptions{Now: o.Now})
	if o.Meter == nil {
		o.Meter = prices
	}
	service, err := memory.New(ctx, data, o)
	if err != nil {
		return nil, err
	}
	return &Process{Service: service, Indexer: ix, Market: meter.NewMarket(data.ForMeter(), service, meter.Options{Meter: prices})}, nil
}

// OpenProcess is NewProcess for the time of a test.
func OpenProcess(t testing.TB, data storage.Storage, o memory.Options, models ...indexer.Model) *Process {
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

// Run runs the background work of both until ctx ends.
func (p *Process) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return p.Service.Run(ctx) })
	group.Go(func() error { return p.Indexer.Run(ctx) })
	return group.Wait()
}
