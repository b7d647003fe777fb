package meter_test

import (
	"testing"

	"mneme/meter"
	"mneme/search"
	"mneme/storage"
	"mneme/storage/postgres"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlite/sqlitetest"
)

// BenchmarkSale measures the cost of a meter in a search with ten hits: admission and the
// transaction of the sale, for an unmetered and a metered store.
func BenchmarkSale(b *testing.B) {
	for name, open := range map[string]func() storage.Storage{
		"sqlite": func() storage.Storage { return sqlitetest.Open(b) },
		"postgres": func() storage.Storage {
			rows, err := postgres.Open(b.Context(), postgrestest.Database(b), postgres.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = rows.Close() })
			return rows
		},
	} {
		b.Run(name, func(b *testing.B) {
			p := openProcess(b, open())
			terms := priced(1, 1)
			terms.SearchesPerMinute, terms.SearchesPerDay = new(int64(meter.MaxCap)), new(int64(meter.MaxCap))
			offer := p.sell("shop", terms, meter.OfferCaps{})
			p.topUp("buyer", meter.MaxAmount)
			found := entries("shop", 30)
			metered := p.of(offer, "buyer", found...)
			free := p.of(offer, "buyer", found...)
			free.purchase, free.stores = search.Purchase{}, nil
			for name, search := range map[string]buying{"metered": metered, "none": free} {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						p.mustBuy(search)
					}
				})
			}
		})
	}
}
