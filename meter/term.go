package meter

import (
	"fmt"

	"mneme/memory"
)

// Terms of a new offer where its maker gives none.
const (
	defaultNoveltyPercent    = 20
	defaultMaxHits           = 10
	defaultSearchesPerMinute = 60
	defaultSearchesPerDay    = 1000
	defaultEntriesPerDay     = 200
	defaultEntriesTotal      = 500
)

// defaultTerms are the terms of a new offer before its maker's. MaxLabel is the
// offer's label.
func defaultTerms() Terms {
	return Terms{
		NoveltyPercent: defaultNoveltyPercent, MaxHits: defaultMaxHits,
		SearchesPerMinute: defaultSearchesPerMinute, SearchesPerDay: defaultSearchesPerDay,
		EntriesPerDay: defaultEntriesPerDay, EntriesTotal: defaultEntriesTotal,
	}
}

// Ranges of terms and caps.
const (
	maxNoveltyPercent = 10_000
	maxCount          = 1_000_000_000
	maxGrantTTL       = 100 * 365 * 24 * 60 * 60 // seconds
)

// apply returns terms with what a request gives.
func (r TermsRequest) apply(t Terms) Terms {
	set := func(to *int64, given *int64) {
		if given != nil {
			*to = *given
		}
	}
	set(&t.PriceSearch, r.PriceSearch)
	set(&t.PriceEntry, r.PriceEntry)
	set(&t.FreeSearchesPerDay, r.FreeSearchesPerDay)
	set(&t.NoveltyPercent, r.NoveltyPercent)
	set(&t.SearchesPerMinute, r.SearchesPerMinute)
	set(&t.SearchesPerDay, r.SearchesPerDay)
	set(&t.EntriesPerDay, r.EntriesPerDay)
	set(&t.EntriesTotal, r.EntriesTotal)
	set(&t.GrantTTL, r.GrantTTL)
	if r.MaxHits != nil {
		t.MaxHits = *r.MaxHits
	}
	if r.MaxLabel != nil {
		t.MaxLabel = *r.MaxLabel
	}
	return t
}

// check returns a RuleError for the first of the terms that is out of its range.
// Both prices may be 0: then an offer only counts and limits.
func (t Terms) check() error {
	for _, f := range []struct {
		name             string
		value, low, high int64
	}{
		{"price_search", t.PriceSearch, 0, MaxAmount},
		{"price_entry", t.PriceEntry, 0, MaxAmount},
		{"free_searches_per_day", t.FreeSearchesPerDay, 0, maxCount},
		{"novelty_percent", t.NoveltyPercent, 0, maxNoveltyPercent},
		{"max_hits", int64(t.MaxHits), 1, maxAnswerHits},
		{"searches_per_minute", t.SearchesPerMinute, 1, maxCount},
		{"searches_per_day", t.SearchesPerDay, 1, maxCount},
		{"entries_per_day", t.EntriesPerDay, 1, maxCount},
		{"entries_total", t.EntriesTotal, 1, maxCount},
		{"grant_ttl", t.GrantTTL, 0, maxGrantTTL},
	} {
		if err := checkRange("terms."+f.name, f.value, f.low, f.high); err != nil {
			return err
		}
	}
	if !t.MaxLabel.Valid() {
		return broken("terms.max_label", "must be one of PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED")
	}
	return nil
}

// check returns a RuleError for the first cap that is out of its range. A cap of 0
// sells nothing.
func (c OfferCaps) check() error {
	for _, f := range []struct {
		name  string
		value *int64
	}{
		{"searches_per_minute", c.SearchesPerMinute},
		{"searches_per_day", c.SearchesPerDay},
		{"entries_per_day", c.EntriesPerDay},
		{"entries_total", c.EntriesTotal},
	} {
		if f.value == nil {
			continue
		}
		if err := checkRange("caps."+f.name, *f.value, 0, maxCount); err != nil {
			return err
		}
	}
	return nil
}

func checkRange(field string, value, low, high int64) error {
	if value < low || value > high {
		return broken(field, "must be %d to %d", low, high)
	}
	return nil
}

// checkAmount checks the amount of a top-up or pay-out, in micros.
func checkAmount(field string, amount int64) error { return checkRange(field, amount, 1, MaxAmount) }

func broken(field, format string, args ...any) error {
	return &memory.RuleError{Field: field, Rule: fmt.Sprintf(format, args...)}
}
