package meter_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/storage/sqlite/sqlitetest"
	"mneme/test/backendtest"
)

func TestTermsTakeTheirDefaults(t *testing.T) {
	f := open(t, backendtest.Embedded(), memory.Limits{})
	request := offered(2000, 500)
	request.Terms.MaxHits = new(3)
	made, err := f.market.MakeOffer(f.ctx, as("sam", acl.Internal), "sam", request, nil)
	want := meter.Terms{
		PriceSearch: 2000, PriceEntry: 500, NoveltyPercent: 20, MaxHits: 3, SearchesPerMinute: 60,
		SearchesPerDay: 1000, EntriesPerDay: 200, EntriesTotal: 500, MaxLabel: acl.Internal,
	}
	if err != nil || made.Terms != want {
		t.Errorf("%+v, want %+v; error %v", made.Terms, want, err)
	}
}

func TestARejectedOfferNamesTheInvalidField(t *testing.T) {
	text := func(s string) *string { return &s }
	f, seller := open(t, backendtest.Embedded(), memory.Limits{}), as("sam", acl.Internal)
	made := f.offer(seller)
	for name, c := range map[string]struct {
		r     meter.OfferRequest
		field string // "": none
	}{
		"nothing":              {meter.OfferRequest{}, ""},
		"all at the highest":   {meter.OfferRequest{Title: text(strings.Repeat("é", meter.MaxTitle)), Description: text(strings.Repeat("é\n", meter.MaxDescription/2)), Terms: meter.TermsRequest{PriceSearch: new(int64(meter.MaxAmount)), PriceEntry: new(int64(meter.MaxAmount)), NoveltyPercent: new(int64(meter.MaxNovelty)), MaxHits: new(10), EntriesTotal: new(int64(meter.MaxCap)), MaxLabel: new(acl.Internal)}}, ""},
		"no title":             {meter.OfferRequest{Title: text("")}, "title"},
		"a blank title":        {meter.OfferRequest{Title: text(" \u3000")}, "title"},
		"a long title":         {meter.OfferRequest{Title: text(strings.Repeat("x", meter.MaxTitle+1))}, "title"},
		"a title of two lines": {meter.OfferRequest{Title: text("a\nb")}, "title"},
		"a line separator":     {meter.OfferRequest{Title: text("a\u2028b")}, "title"},
		"an escape":            {meter.OfferRequest{Description: text("a\x1b[2Jb")}, "description"},
		"text turned around":   {meter.OfferRequest{Description: text("a\u202eb")}, "description"},
		"no UTF-8":             {meter.OfferRequest{Description: text("\xff")}, "description"},
		"a long description":   {meter.OfferRequest{Description: text(strings.Repeat("x", meter.MaxDescription+1))}, "description"},
		"a negative price":     {meter.OfferRequest{Terms: meter.TermsRequest{PriceSearch: new(int64(-1))}}, "terms.price_search"},
		"a huge price":         {meter.OfferRequest{Terms: meter.TermsRequest{PriceEntry: new(int64(math.MaxInt64))}}, "terms.price_entry"},
		"negative free ones":   {meter.OfferRequest{Terms: meter.TermsRequest{FreeSearchesPerDay: new(int64(-1))}}, "terms.free_searches_per_day"},
		"too much novelty":     {meter.OfferRequest{Terms: meter.TermsRequest{NoveltyPercent: new(int64(meter.MaxNovelty + 1))}}, "terms.novelty_percent"},
		"no hits":              {meter.OfferRequest{Terms: meter.TermsRequest{MaxHits: new(0)}}, "terms.max_hits"},
		"eleven hits":          {meter.OfferRequest{Terms: meter.TermsRequest{MaxHits: new(11)}}, "terms.max_hits"},
		"a negative lifetime":  {meter.OfferRequest{Terms: meter.TermsRequest{GrantTTL: new(int64(-1))}}, "terms.grant_ttl"},
		"an endless lifetime":  {meter.OfferRequest{Terms: meter.TermsRequest{GrantTTL: new(int64(math.MaxInt64))}}, "terms.grant_ttl"},
		"a higher label":       {meter.OfferRequest{Terms: meter.TermsRequest{MaxLabel: new(acl.Confidential)}}, "terms.max_label"},
		"no label":             {meter.OfferRequest{Terms: meter.TermsRequest{MaxLabel: new(acl.Label(0))}}, "terms.max_label"},
		"a negative cap":       {meter.OfferRequest{Caps: &meter.OfferCaps{EntriesTotal: new(int64(-1))}}, "caps.entries_total"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.market.ChangeOffer(f.ctx, seller, made.ID, c.r, memory.Preconditions{})
			var broken *memory.RuleError
			if c.field == "" && err != nil || c.field != "" && (!errors.As(err, &broken) || broken.Field != c.field) {
				t.Errorf("%v, want a rule of %q", err, c.field)
			}
		})
	}
}

func TestThePriceOfAnEntryRisesWithEachHundredShown(t *testing.T) {
	p := openProcess(t, sqlitetest.Open(t))
	offer := p.sell("shop", priced(100, 10), meter.OfferCaps{}) // 20 percent more for each hundred
	p.topUp("buyer", 10_000)
	for range 10 {
		checkCharge(t, p.mustBuy(p.of(offer, "buyer", entries("shop", 10)...)), 200, 100, 10, 10)
	}
	checkCharge(t, p.mustBuy(p.of(offer, "buyer", entries("shop", 2)...)), 124, 100, 2, 2)
}
