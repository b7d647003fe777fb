package meter

import (
	"cmp"
	"context"
	"time"

	"mneme/memory"
	"mneme/search"
)

// Options configure a Market. Zero fields take the default.
type Options struct {
	Currency string // ISO 4217, of one credit; USD
	// Meter prices searches that are paid for as they are made, and Gateway takes
	// their payments. Without them only accounts pay.
	Meter    *Meter
	Gateway  Gateway
	Observer PaymentObserver // default: none
	// Hold is how long a request holds the claim of a payment that it settles. It is
	// longer than a settlement takes. Default one minute.
	Hold time.Duration
}

// PaymentObserver is told what becomes of payments, for metrics.
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
	storage  Storage
	service  *memory.Service
	searcher *search.Searcher
	options  Options
	refused  *refusals
}

// NewMarket returns a Market over the database of a service, for the searches of
// searcher.
func NewMarket(storage Storage, service *memory.Service, searcher *search.Searcher, options Options) *Market {
	options.Currency = cmp.Or(options.Currency, "USD")
	options.Hold = cmp.Or(options.Hold, defaultHold)
	if options.Observer == nil {
		options.Observer = noPaymentObserver{}
	}
	return &Market{storage: storage, service: service, searcher: searcher, options: options, refused: newRefusals()}
}

// view runs fn on a snapshot once it is the caller's turn: memory.Readers.Take.
func (m *Market) view(ctx context.Context, c memory.Caller, fn func(ReadTx) error) error {
	done, err := m.service.Readers().Take(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	return m.storage.View(ctx, fn)
}
