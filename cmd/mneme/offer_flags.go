package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/clients/go/api"
)

// offerFlags are the terms of an offer. A term that is not given takes the server's
// default, or stays unchanged.
type offerFlags struct {
	title, description      string
	priceSearch, priceEntry creditValue
	free, novelty, maxHits  countValue
	perBuyer, perOffer      capFlags
	ttl                     time.Duration
	ttlGiven                func() bool
	maxLabel                string
}

// capFlags are caps on the searches of one buyer, or of all buyers of an offer.
type capFlags struct {
	searchesPerMinute, searchesPerDay, entriesPerDay, entriesTotal countValue
}

// add adds the flags. defaults are the server's defaults that the help names, in the order
// of the fields of capFlags.
func (c *capFlags) add(cmd *cobra.Command, prefix, whose string, defaults [4]string) {
	for i, flag := range []struct {
		value      *countValue
		name, what string
	}{
		{&c.searchesPerMinute, "searches-per-minute", "searches a minute"},
		{&c.searchesPerDay, "searches-per-day", "searches a day"},
		{&c.entriesPerDay, "entries-per-day", "new entries a day"},
		{&c.entriesTotal, "entries-total", "new entries in all"},
	} {
		cmd.Flags().Var(flag.value, prefix+flag.name, fmt.Sprintf("cap on the %s of %s (default %s)", flag.what, whose, defaults[i]))
	}
}

func (o *offerFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.title, "title", "", "one line, for buyers")
	flags.StringVar(&o.description, "description", "", "what the store holds, for buyers")
	flags.Var(&o.priceSearch, "price-search", "price of a search, such as 0.002")
	flags.Var(&o.priceEntry, "price-entry", "price of each entry that the buyer has not bought before")
	flags.Var(&o.free, "free-searches-per-day", "how many searches a day cost nothing themselves (default 0)")
	flags.Var(&o.novelty, "novelty-percent", "how much dearer entries get for each hundred that the buyer has been shown (default 20)")
	flags.Var(&o.maxHits, "max-hits", "maximum number of hits of a search, 1 to 10 (default 10)")
	o.perBuyer.add(cmd, "", "a buyer", [4]string{"60", "1000", "200", "500"})
	o.perOffer.add(cmd, "all-", "all buyers together", [4]string{"none", "none", "none", "none"})
	durationVar(flags, &o.ttl, "grant-ttl", 0, "how long a buyer may search after it has accepted; 0: for good")
	flags.StringVar(&o.maxLabel, "max-label", "", "highest label of entries that are sold (default: the session's)")
	o.ttlGiven = func() bool { return flags.Changed("grant-ttl") }
	completeWith(cmd, "max-label", "PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")
}

// terms returns the given terms.
func (o *offerFlags) terms() (api.TermsChange, error) {
	t := api.TermsChange{
		PriceSearch: o.priceSearch.micros, PriceEntry: o.priceEntry.micros,
		FreeSearchesPerDay: o.free.n, NoveltyPercent: o.novelty.n,
		SearchesPerMinute: o.perBuyer.searchesPerMinute.n, SearchesPerDay: o.perBuyer.searchesPerDay.n,
		EntriesPerDay: o.perBuyer.entriesPerDay.n, EntriesTotal: o.perBuyer.entriesTotal.n,
	}
	if hits := o.maxHits.n; hits != nil {
		if *hits < 1 || *hits > 10 {
			return t, usageError{errors.New("--max-hits must be 1 to 10")}
		}
		t.MaxHits = new(int(*hits))
	}
	if o.ttlGiven() {
		if o.ttl < 0 || o.ttl%time.Second != 0 {
			return t, usageError{errors.New("--grant-ttl must be a whole number of seconds")}
		}
		t.GrantTTL = new(int64(o.ttl / time.Second))
	}
	if o.maxLabel != "" {
		if _, err := acl.ParseLabel(o.maxLabel); err != nil {
			return t, usageError{errors.New("--max-label must be PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED")}
		}
		t.MaxLabel = new(api.Label(o.maxLabel))
	}
	return t, nil
}

// caps returns the caps on all buyers combined; nil if none was given.
func (o *offerFlags) caps() *api.OfferCaps {
	c := api.OfferCaps{
		SearchesPerMinute: o.perOffer.searchesPerMinute.n, SearchesPerDay: o.perOffer.searchesPerDay.n,
		EntriesPerDay: o.perOffer.entriesPerDay.n, EntriesTotal: o.perOffer.entriesTotal.n,
	}
	if c == (api.OfferCaps{}) {
		return nil
	}
	return &c
}
