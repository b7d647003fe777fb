package meter

import (
	"errors"
	"math"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
)

func TestTermsTakeTheirDefaults(t *testing.T) {
	search, entry, hits := int64(2000), int64(500), 3
	got := TermsRequest{PriceSearch: &search, PriceEntry: &entry, MaxHits: &hits}.over(defaultTerms(acl.Internal))
	want := Terms{
		PriceSearch: 2000, PriceEntry: 500, NoveltyPercent: 20, MaxHits: 3, SearchesPerMinute: 60,
		SearchesPerDay: 1000, EntriesPerDay: 200, EntriesTotal: 500, MaxLabel: acl.Internal,
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestAnOfferIsRefusedByTheFieldThatBreaksARule(t *testing.T) {
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		r     OfferRequest
		field string // "": none
	}{
		"nothing":              {OfferRequest{}, ""},
		"all at the highest":   {OfferRequest{Title: text(strings.Repeat("é", MaxTitle)), Description: text(strings.Repeat("é\n", MaxDescription/2)), Terms: TermsRequest{PriceSearch: new(int64(MaxAmount)), PriceEntry: new(int64(MaxAmount)), NoveltyPercent: new(int64(MaxNovelty)), MaxHits: new(10), EntriesTotal: new(int64(MaxCap)), MaxLabel: new(acl.Internal)}}, ""},
		"no title":             {OfferRequest{Title: text("")}, "title"},
		"a blank title":        {OfferRequest{Title: text(" \u3000")}, "title"},
		"a long title":         {OfferRequest{Title: text(strings.Repeat("x", MaxTitle+1))}, "title"},
		"a title of two lines": {OfferRequest{Title: text("a\nb")}, "title"},
		"a line separator":     {OfferRequest{Title: text("a\u2028b")}, "title"},
		"an escape":            {OfferRequest{Description: text("a\x1b[2Jb")}, "description"},
		"text turned around":   {OfferRequest{Description: text("a\u202eb")}, "description"},
		"no UTF-8":             {OfferRequest{Description: text("\xff")}, "description"},
		"a long description":   {OfferRequest{Description: text(strings.Repeat("x", MaxDescription+1))}, "description"},
		"a negative price":     {OfferRequest{Terms: TermsRequest{PriceSearch: new(int64(-1))}}, "terms.price_search"},
		"a huge price":         {OfferRequest{Terms: TermsRequest{PriceEntry: new(int64(math.MaxInt64))}}, "terms.price_entry"},
		"negative free ones":   {OfferRequest{Terms: TermsRequest{FreeSearchesPerDay: new(int64(-1))}}, "terms.free_searches_per_day"},
		"too much novelty":     {OfferRequest{Terms: TermsRequest{NoveltyPercent: new(int64(MaxNovelty + 1))}}, "terms.novelty_percent"},
		"no hits":              {OfferRequest{Terms: TermsRequest{MaxHits: new(0)}}, "terms.max_hits"},
		"eleven hits":          {OfferRequest{Terms: TermsRequest{MaxHits: new(11)}}, "terms.max_hits"},
		"a negative lifetime":  {OfferRequest{Terms: TermsRequest{GrantTTL: new(int64(-1))}}, "terms.grant_ttl"},
		"an endless lifetime":  {OfferRequest{Terms: TermsRequest{GrantTTL: new(int64(math.MaxInt64))}}, "terms.grant_ttl"},
		"a higher label":       {OfferRequest{Terms: TermsRequest{MaxLabel: new(acl.Confidential)}}, "terms.max_label"},
		"no label":             {OfferRequest{Terms: TermsRequest{MaxLabel: new(acl.Label(0))}}, "terms.max_label"},
		"a negative cap":       {OfferRequest{Caps: &OfferCaps{EntriesTotal: new(int64(-1))}}, "caps.entries_total"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.r.check(acl.Internal)
			var broken *memory.RuleError
			if c.field == "" && err != nil || c.field != "" && (!errors.As(err, &broken) || broken.Field != c.field) {
				t.Errorf("%v, want a rule of %q", err, c.field)
			}
		})
	}
}
