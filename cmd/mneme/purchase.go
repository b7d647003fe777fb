package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

// purchaseFlags describe what a search may buy.
type purchaseFlags struct {
	maxCharge creditValue
	offer     string
	key       string
	id        uuid.UUID // parsed from offer
}

func (f *purchaseFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&f.maxCharge, "max-charge", "pay at most so many credits, such as 0.01, for stores with an accepted offer")
	flags.StringVar(&f.offer, "offer", "", "search the store of the offer with this `ID`, and no other")
	flags.StringVar(&f.key, "idempotency-key", "", "pay only once for all searches that are sent with this key and the same question")
}

// withOffer are the flags of a search that are valid with --offer.
var withOffer = map[string]bool{
	"agent": true, "taint": true, "url": true, "offer": true, "max-charge": true, "idempotency-key": true,
	"limit": true, "min-relevance": true, "max-tokens": true, "passages": true,
}

// check refuses flags that exclude each other.
func (f *purchaseFlags) check(cmd *cobra.Command) (err error) {
	if f.key != "" && f.offer == "" && f.maxCharge.micros == nil {
		return usageError{errors.New("--idempotency-key requires --offer or --max-charge")}
	}
	if f.offer == "" {
		return nil
	}
	cmd.Flags().Visit(func(given *pflag.Flag) {
		if !withOffer[given.Name] && cmd.InheritedFlags().Lookup(given.Name) == nil {
			err = usageError{fmt.Errorf("--offer takes no --%s", given.Name)}
		}
	})
	if err != nil {
		return err
	}
	f.id, err = parseID("--offer", f.offer)
	return err
}

// search asks a question, and pays for it if necessary.
func (f *purchaseFlags) search(ctx context.Context, as *client.Client, q api.Question) (api.Answer, *client.Timing, error) {
	if f.offer == "" && f.maxCharge.micros == nil {
		return as.Search(ctx, q)
	}
	if f.key == "" {
		var err error
		if f.key, err = newKey(); err != nil {
			return api.Answer{}, nil, err
		}
	}
	if f.offer == "" {
		return as.SearchOnce(ctx, q, f.key)
	}
	found, err := as.SearchOffer(ctx, f.id, api.OfferQuestion{
		Query: *q.Query, Limit: q.Limit, MinRelevance: q.MinRelevance, MaxTokens: q.MaxTokens, Passages: q.Passages, MaxCharge: q.MaxCharge,
	}, f.key)
	return found, nil, err
}

// writeBill writes the cost of a search, and what it left out because of the cost.
func writeBill(text *strings.Builder, a api.Answer) {
	if a.Charges != nil {
		for _, c := range *a.Charges {
			fmt.Fprintf(text, "paid %s credits for %s: the search %s, %d new entries %s (charge %s)\n",
				credits(c.Amount), plain(c.StoreID), credits(c.Search), len(c.Entries), credits(c.Amount-c.Search), c.ID)
		}
	}
	if a.Balance != nil {
		fmt.Fprintf(text, "%s credits are left\n", credits(*a.Balance))
	}
	if a.Skipped != nil {
		for _, s := range *a.Skipped {
			fmt.Fprintf(text, "not searched: %s, %s\n", plain(s.StoreID), skipReason(s.Reason))
		}
	}
}

// skipReason returns the reason why a store was not searched.
func skipReason(reason api.SkippedReason) string {
	switch reason {
	case api.NotNamed:
		return "which costs money; name it in --stores, with --max-charge"
	case api.MaxCharge:
		return "for which --max-charge has no room"
	case api.Cap:
		return "of which a cap is spent"
	case api.Balance:
		return "for which the balance is too low"
	case api.Prefix:
		return "since a prefix stands for too many words there"
	case api.Budget:
		return "since --where would read too much of its values"
	case api.Spend: // only from tools
		return "since the token may not spend"
	}
	return "because of " + plain(string(reason))
}
