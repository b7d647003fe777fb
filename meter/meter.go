package meter

import (
	"cmp"
	"context"
	"time"

	"mneme/memory"
	"mneme/search"
)

// MeterOptions configure a Meter. Zero fields take the default.
type MeterOptions struct {
	Currency string        // ISO 4217, of one credit; USD
	KeyAge   time.Duration // the age at which a new key replaces that of receipts; 90 days
	Observer Observer      // default: none
	// Now is the clock of Run. Default time.Now.
	Now func() time.Time
}

// Observer receives the events of searches, for metrics. It never learns who searched.
type Observer interface {
	// Charged counts charges, including charges of no amount.
	Charged(n int)
	// Refused counts the stores that a paid search left out or failed at, by reason.
	Refused(reason search.SkipReason)
	// PassedHalf counts buyers that have been shown more than half of a store's entries.
	PassedHalf()
}

// Meter decides which entries of stores at level search a search may show, and charges for
// them, in the transactions of the search. It is safe for concurrent use.
type Meter struct {
	storage Storage
	options MeterOptions
	sold    chan sold // for Run
}

var _ search.Meter = (*Meter)(nil)

// NewMeter returns a Meter over a database. Its Run calls Observer.PassedHalf.
func NewMeter(storage Storage, options MeterOptions) *Meter {
	options.Currency = cmp.Or(options.Currency, "USD")
	options.KeyAge = cmp.Or(options.KeyAge, 90*24*time.Hour)
	if options.Observer == nil {
		options.Observer = noObserver{}
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Meter{storage: storage, options: options, sold: make(chan sold, 256)}
}

// VerifyLoaded implements memory.Ledger.
func (m *Meter) VerifyLoaded(ctx context.Context, tx memory.Tx) error {
	_, err := VerifyLedger(ctx, m.storage.Writing(tx))
	return err
}

type noObserver struct{}

func (noObserver) Charged(int)               {}
func (noObserver) Refused(search.SkipReason) {}
func (noObserver) PassedHalf()               {}
