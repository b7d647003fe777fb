package meter_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/memory"
	"mneme/meter"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// heldViews is a storage in which each View waits until the test sends to hold.
type heldViews struct {
	meter.Storage
	running atomic.Int64
	hold    chan struct{}
}

func (h *heldViews) View(ctx context.Context, fn func(meter.ReadTx) error) error {
	h.running.Add(1)
	defer h.running.Add(-1)
	<-h.hold
	return h.Storage.View(ctx, fn)
}

// An agent's reads of offers, its account and its sales share turns with its reads of
// memories: they take at most half of the readers.
func TestReadsOfTheMarketTakeTurns(t *testing.T) {
	t.Parallel()
	backendtest.Each(t, backendtest.Storages(), func(t *testing.T, b backendtest.Backend) {
		f := open(t, b, memory.Limits{})
		offer := f.offer(sam)
		f.accept(ben, offer)
		rows := &heldViews{Storage: f.rows}
		market := meter.NewMarket(rows, f.memory, f.searcher, meter.Options{})
		now, calls := f.clock.Now(), 8*max(4, runtime.NumCPU())
		for name, call := range map[string]func(c memory.Caller) error{
			"offer":    func(c memory.Caller) error { _, err := market.Offer(f.ctx, c, offer.ID); return err },
			"offers":   func(c memory.Caller) error { _, err := market.Offers(f.ctx, c, 10, ""); return err },
			"offersOn": func(c memory.Caller) error { _, err := market.OffersOn(f.ctx, c, c.Agent); return err },
			"account":  func(c memory.Caller) error { _, err := market.Account(f.ctx, c); return err },
			"usage":    func(c memory.Caller) error { _, err := market.Usage(f.ctx, c, 10, ""); return err },
			"sales": func(c memory.Caller) error {
				_, err := market.Sales(f.ctx, c, c.Agent, now.Add(-time.Hour), now, meter.SaleGroup("day"))
				return err
			},
			"keys": func(memory.Caller) error { _, err := market.Keys(f.ctx); return err },
		} {
			rows.hold = make(chan struct{})
			var group sync.WaitGroup
			for range calls {
				group.Go(func() {
					if err := call(sam); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			var most int64
			wait.Until(t, name+" takes turns", func() error {
				load := f.memory.Readers().Load()
				if most = rows.running.Load(); most != int64(load.Running) || load.Running+load.Waiting != calls {
					return fmt.Errorf("%d views are running, %+v", most, load)
				}
				return nil
			})
			if most > int64(calls)/2 {
				t.Errorf("%s: %d views ran at a time", name, most)
			}
			close(rows.hold)
			group.Wait()
		}
	})
}
