package meter

import (
	"cmp"

	"mneme/memory"
)

// Options configure a Market. Zero fields take the default.
type Options struct {
	Currency string // ISO 4217, of one credit; USD
}

// Market has one method for each use case around searches that cost something.
// Like those of memory.Service, they apply every access rule themselves. It is
// safe for concurrent use.
type Market struct {
	storage Storage
	service *memory.Service
	options Options
}

// NewMarket returns a Market over the database of a service.
func NewMarket(storage Storage, service *memory.Service, options Options) *Market {
	options.Currency = cmp.Or(options.Currency, "USD")
	return &Market{storage: storage, service: service, options: options}
}
