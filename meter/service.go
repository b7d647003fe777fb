package meter

import (
	"cmp"
	"context"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// Options configure a Market. Zero fields take the default.
type Options struct {
	Currency string // ISO 4217, of one credit; USD
	// Meter prices searches that come with a payment, and Gateway handles these payments.
	// Without them only accounts pay.
	Meter    *Meter
	Gateway  Gateway
	Observer PaymentObserver // default: none
	// Hold is how long a request holds the claim of a payment that it settles. It must be
	// longer than a settlement takes. Default one minute.
	Hold time.Duration
}

// PaymentObserver receives the outcomes of payments, for metrics.
type PaymentObserver interface {
	// SettleFailed counts settlements without an outcome.
	SettleFailed()
	// Reconciled reports how many payments a pass ended, and how many, up to a hundred,
	// are overdue: pending for longer than a hold lasts.
	Reconciled(done, overdue int)
}

type noPaymentObserver struct{}

func (noPaymentObserver) SettleFailed()       {}
func (noPaymentObserver) Reconciled(int, int) {}

// Market has one method for each use case around searches that cost something.
// Like those of memory.Service, they apply every access rule themselves. It is
// safe for concurrent use.
type Market struct {
	storage    Storage
	service    *memory.Service
	searcher   *search.Searcher
	options    Options
	refused    *refusals
	background bool // updateClaim runs for no request, and takes no turn
}

// NewMarket returns a Market over the database of a service, which searches by searcher.
func NewMarket(storage Storage, service *memory.Service, searcher *search.Searcher, options Options) *Market {
	options.Currency = cmp.Or(options.Currency, "USD")
	options.Hold = cmp.Or(options.Hold, defaultHold)
	if options.Observer == nil {
		options.Observer = noPaymentObserver{}
	}
	return &Market{storage: storage, service: service, searcher: searcher, options: options, refused: newRefusals()}
}

// view runs fn on a snapshot once it is the caller's turn: see memory.Readers.Take.
func (m *Market) view(ctx context.Context, c memory.Caller, fn func(ReadTx) error) error {
	done, err := m.service.Readers().Take(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	return m.storage.View(ctx, fn)
}

// update runs fn in a writing transaction once it is the caller's turn: see
// memory.Writers.Take. stores are the stores that fn reads or writes, as far as known.
func (m *Market) update(ctx context.Context, c memory.Caller, fn func(Tx) error, stores ...string) error {
	done, err := m.service.Writers().Take(ctx, c, memory.Work{Stores: stores})
	if err != nil {
		return err
	}
	defer done()
	return m.storage.Update(ctx, fn)
}

// updateClaim is like update, for a transaction that changes a claim: it runs at the turn of
// the agent that owns the claim.
func (m *Market) updateClaim(ctx context.Context, held *Claim, fn func(Tx) error) error {
	if m.background {
		return m.storage.Update(ctx, fn)
	}
	return m.update(ctx, memory.Caller{Principal: acl.Principal{Agent: held.Key.Agent}}, fn)
}

// inBackground returns a Market whose changes of claims do not wait for the turns of agents. It
// is for work that no agent has requested.
func (m *Market) inBackground() *Market {
	b := *m
	b.background = true
	return &b
}
