package meter

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter/price"
)

// Bounds of the fields of an offer.
const (
	MaxTitle       = 100           // characters
	MaxDescription = 2000          // characters
	MaxNovelty     = 10_000        // percent
	MaxHits        = 10            // of an answer from a store at level search
	MaxCap         = 1_000_000_000 // searches or entries of a window
	MaxGrantTTL    = 100 * 365 * 24 * time.Hour
)

// defaultTerms returns the default terms of an offer at a label. Prices have no default.
func defaultTerms(label acl.Label) Terms {
	return Terms{
		NoveltyPercent: 20, MaxHits: MaxHits,
		SearchesPerMinute: 60, SearchesPerDay: 1000, EntriesPerDay: 200, EntriesTotal: 500,
		MaxLabel: label,
	}
}

// prices returns the prices of the terms.
func (t Terms) prices() price.List {
	return price.List{
		Search: t.PriceSearch, Free: t.FreeSearchesPerDay,
		Entry: t.PriceEntry, Novelty: t.NoveltyPercent, MaxHits: min(t.MaxHits, MaxHits),
	}
}

// over returns t with the fields that r gives replaced by r's.
func (r TermsRequest) over(t Terms) Terms {
	give(&t.PriceSearch, r.PriceSearch)
	give(&t.PriceEntry, r.PriceEntry)
	give(&t.FreeSearchesPerDay, r.FreeSearchesPerDay)
	give(&t.NoveltyPercent, r.NoveltyPercent)
	give(&t.MaxHits, r.MaxHits)
	give(&t.SearchesPerMinute, r.SearchesPerMinute)
	give(&t.SearchesPerDay, r.SearchesPerDay)
	give(&t.EntriesPerDay, r.EntriesPerDay)
	give(&t.EntriesTotal, r.EntriesTotal)
	give(&t.GrantTTL, r.GrantTTL)
	give(&t.MaxLabel, r.MaxLabel)
	return t
}

// give sets a field to a value, unless value is nil.
func give[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// check checks the fields that are given, for an offer at a label.
func (r TermsRequest) check(label acl.Label) error {
	for _, f := range []struct {
		name  string
		value *int64
		most  int64
	}{
		{"terms.price_search", r.PriceSearch, MaxAmount},
		{"terms.price_entry", r.PriceEntry, MaxAmount},
		{"terms.free_searches_per_day", r.FreeSearchesPerDay, MaxCap},
		{"terms.novelty_percent", r.NoveltyPercent, MaxNovelty},
		{"terms.searches_per_minute", r.SearchesPerMinute, MaxCap},
		{"terms.searches_per_day", r.SearchesPerDay, MaxCap},
		{"terms.entries_per_day", r.EntriesPerDay, MaxCap},
		{"terms.entries_total", r.EntriesTotal, MaxCap},
		{"terms.grant_ttl", r.GrantTTL, int64(MaxGrantTTL / time.Second)},
	} {
		if err := checkRange(f.name, f.value, f.most); err != nil {
			return err
		}
	}
	if r.MaxHits != nil && (*r.MaxHits < 1 || *r.MaxHits > MaxHits) {
		return rule("terms.max_hits", "must be 1 to %d", MaxHits)
	}
	if r.MaxLabel != nil && (!r.MaxLabel.Valid() || *r.MaxLabel > label) {
		return rule("terms.max_label", "must be a label up to the offer's own")
	}
	return nil
}

// check checks the caps that are given.
func (c OfferCaps) check() error {
	for _, f := range []struct {
		name  string
		value *int64
	}{
		{"caps.searches_per_minute", c.SearchesPerMinute},
		{"caps.searches_per_day", c.SearchesPerDay},
		{"caps.entries_per_day", c.EntriesPerDay},
		{"caps.entries_total", c.EntriesTotal},
	} {
		if err := checkRange(f.name, f.value, MaxCap); err != nil {
			return err
		}
	}
	return nil
}

func checkRange(field string, value *int64, most int64) error {
	if value != nil && (*value < 0 || *value > most) {
		return rule(field, "must be 0 to %d", most)
	}
	return nil
}

// check checks the fields that are given, for an offer at a label.
func (r OfferRequest) check(label acl.Label) error {
	if r.Title != nil {
		if err := checkText("title", *r.Title, 1, MaxTitle, ""); err != nil {
			return err
		}
	}
	if r.Description != nil {
		if err := checkText("description", *r.Description, 0, MaxDescription, "\n"); err != nil {
			return err
		}
	}
	if err := r.Terms.check(label); err != nil {
		return err
	}
	if r.Caps != nil {
		return r.Caps.check()
	}
	return nil
}

// checkWhole checks that a new offer has the fields without a default.
func (r OfferRequest) checkWhole() error {
	switch {
	case r.Title == nil:
		return rule("title", "must be given")
	case r.Terms.PriceSearch == nil:
		return rule("terms.price_search", "must be given")
	case r.Terms.PriceEntry == nil:
		return rule("terms.price_entry", "must be given")
	}
	return nil
}

// checkText checks that a text has least to most characters, and no control character, line
// break or bidirectional formatting mark, except those in allowed.
func checkText(field, text string, least, most int, allowed string) error {
	if !utf8.ValidString(text) {
		return rule(field, "must be valid UTF-8")
	}
	if n := utf8.RuneCountInString(text); n < least || n > most {
		return rule(field, "must have %d to %d characters", least, most)
	}
	blank := true
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) && !strings.ContainsRune(allowed, r) {
			return rule(field, "must have no control characters")
		}
		blank = blank && unicode.IsSpace(r)
	}
	if blank && least > 0 {
		return rule(field, "must not be blank")
	}
	return nil
}

func rule(field, format string, args ...any) error {
	return &memory.RuleError{Field: field, Rule: fmt.Sprintf(format, args...)}
}

func conflict(reason string) error { return &memory.ConflictError{Reason: reason} }
