package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

func newOffer(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "offer",
		Short: "Sell searches of a store, and buy from others",
		Long: `Offers let other agents search a store for money, without being able to list, read
or copy it. Amounts are in credits, such as 0.002; with --json they are in micros,
millionths of a credit. The commands work on the local database, also while a server
uses it, or with --url on a server.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newOfferCreate(p), newOfferList(p), newOfferShow(p), newOfferChange(p), newOfferWithdraw(p), newOfferAccept(p))
	return cmd
}

func newOfferCreate(p *program) *cobra.Command {
	m := marketFlags{program: p}
	var o offerFlags
	cmd := &cobra.Command{
		Use:   "create --agent SELLER --title T --price-search C --price-entry C",
		Short: "Offer searches of an agent's own store",
		Args:  cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			if o.title == "" {
				return usageError{errors.New("--title must not be empty")}
			}
			terms, err := o.terms()
			if err != nil {
				return err
			}
			key, err := newKey()
			if err != nil {
				return err
			}
			offer := api.OfferRequest{Title: o.title, Description: o.description, Terms: terms, Caps: o.caps()}
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				made, err := as.MakeOffer(ctx, "self", offer, key)
				if err != nil {
					return err
				}
				return p.printOffer(made)
			})
		}),
	}
	m.addAgent(cmd)
	o.add(cmd)
	for _, name := range []string{"title", "price-search", "price-entry"} {
		_ = cmd.MarkFlagRequired(name) // the flag exists
	}
	return cmd
}

func newOfferChange(p *program) *cobra.Command {
	m := marketFlags{program: p}
	var o offerFlags
	cmd := &cobra.Command{
		Use:   "change --agent SELLER OFFER",
		Short: "Change an offer",
		Long: `Changes what the flags name. Caps on all buyers together are replaced as a whole.
Who has accepted the offer keeps the terms of that time.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			id, err := parseID("OFFER", args[0])
			if err != nil {
				return err
			}
			terms, err := o.terms()
			if err != nil {
				return err
			}
			change := api.OfferChange{Terms: &terms, Caps: o.caps()}
			if cmd.Flags().Changed("title") {
				change.Title = &o.title
			}
			if cmd.Flags().Changed("description") {
				change.Description = &o.description
			}
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				changed, err := as.Change(ctx, id, change, client.Conditions{})
				if err != nil {
					return err
				}
				return p.printOffer(changed)
			})
		}),
	}
	m.addAgent(cmd)
	o.add(cmd)
	return cmd
}

func newOfferShow(p *program) *cobra.Command {
	m := marketFlags{program: p}
	cmd := &cobra.Command{
		Use:   "show --agent A OFFER",
		Short: "Show an offer with its terms",
		Args:  cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			id, err := parseID("OFFER", args[0])
			if err != nil {
				return err
			}
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				found, err := as.Offer(ctx, id)
				if err != nil {
					return err
				}
				return p.printOffer(found)
			})
		}),
	}
	m.addAgent(cmd)
	return cmd
}

func newOfferWithdraw(p *program) *cobra.Command {
	m := marketFlags{program: p}
	cmd := &cobra.Command{
		Use:   "withdraw --agent SELLER OFFER",
		Short: "Withdraw an offer: nobody can accept it any more",
		Long:  `Withdraws an offer. Agents that have accepted it can still search.`,
		Args:  cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			id, err := parseID("OFFER", args[0])
			if err != nil {
				return err
			}
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				return as.Withdraw(ctx, id, client.Conditions{})
			})
		}),
	}
	m.addAgent(cmd)
	return cmd
}

func newOfferAccept(p *program) *cobra.Command {
	m := marketFlags{program: p}
	var version string
	cmd := &cobra.Command{
		Use:   "accept --agent BUYER OFFER",
		Short: "Accept an offer: its searches are paid from the agent's account",
		Long: `Accepts an offer at its terms of now, which the agent keeps whatever becomes of the
offer. Nothing is paid yet. With --version, which "mneme offer show" prints, it fails
if the offer has changed since.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			id, err := parseID("OFFER", args[0])
			if err != nil {
				return err
			}
			key, err := newKey()
			if err != nil {
				return err
			}
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				grant, err := as.Accept(ctx, id, client.Conditions{Match: version}, key)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(grant)
				}
				until := ""
				if grant.ExpiresAt != nil {
					until = " until " + grant.ExpiresAt.UTC().Format(time.DateTime)
				}
				_, err = fmt.Fprintf(p.out, "%s may search %s%s\n", plain(grant.Grantee), plain(grant.StoreID), until)
				return err
			})
		}),
	}
	m.addAgent(cmd)
	cmd.Flags().StringVar(&version, "version", "", "accept only this `version` of the offer")
	return cmd
}

func newOfferList(p *program) *cobra.Command {
	m := marketFlags{program: p}
	var own bool
	cmd := &cobra.Command{
		Use:   "list --agent A [--own]",
		Short: "List the offers that can be accepted, or an agent's own",
		Long: `Prints offers, one per line: ID, store, prices of a search and of an entry in
credits, state and title. With --json, one JSON object per line.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				offers := as.Offers(ctx)
				if own {
					found, err := as.StoreOffers(ctx, "self")
					if err != nil {
						return err
					}
					offers = func(yield func(api.Offer, error) bool) {
						for _, offer := range found {
							if !yield(offer, nil) {
								return
							}
						}
					}
				}
				return p.printOffers(offers)
			})
		}),
	}
	m.addAgent(cmd)
	cmd.Flags().BoolVar(&own, "own", false, "list the agent's own offers, withdrawn ones too")
	return cmd
}

func (p *program) printOffers(offers func(func(api.Offer, error) bool)) error {
	table := p.newTable(column{heading: "OFFER"}, column{heading: "STORE", style: always(bold)}, column{heading: "A SEARCH", right: true},
		column{heading: "AN ENTRY", right: true}, column{heading: "STATE", style: always(faint)}, column{heading: "TITLE"})
	shown := 0
	for o, err := range offers {
		if err != nil {
			return errors.Join(err, table.flush())
		}
		shown++
		if p.json {
			err = p.printJSON(o)
		} else {
			table.add(o.ID.String(), plain(o.StoreID), table.with(credits(o.Terms.PriceSearch), "a search"),
				table.with(credits(o.Terms.PriceEntry), "an entry"), string(o.State), plain(o.Title))
		}
		if err != nil {
			return err
		}
	}
	if shown == 0 && !p.json {
		_, err := fmt.Fprintln(p.out, "no offers")
		return err
	}
	return table.flush()
}

// printOffer prints an offer with all its terms.
func (p *program) printOffer(o client.StoredOffer) error {
	if p.json {
		return p.printJSON(struct {
			api.Offer
			Version string `json:"version"`
		}{o.Offer, o.ETag})
	}
	table := p.newTable(column{style: always(bold)}, column{})
	line := func(name string, format string, values ...any) {
		table.add(name, fmt.Sprintf(format, values...))
	}
	t := o.Terms
	line("offer", "%s", o.ID)
	line("version", "%s", plain(o.ETag))
	line("store", "%s (%s, %s)", plain(o.StoreID), o.State, o.Label)
	line("title", "%s", plain(o.Title))
	if o.Description != "" {
		line("description", "%s", plain(o.Description))
	}
	line("search", "%s credits, %d a day free", credits(t.PriceSearch), t.FreeSearchesPerDay)
	line("entry", "%s credits, %d%% more for each hundred", credits(t.PriceEntry), t.NoveltyPercent)
	line("answers", "at most %d hits, up to %s", t.MaxHits, t.MaxLabel)
	line("caps", "%d searches a minute and %d a day, %d new entries a day and %d in all",
		t.SearchesPerMinute, t.SearchesPerDay, t.EntriesPerDay, t.EntriesTotal)
	if t.GrantTTL != nil {
		line("ends", "%s after it is accepted", time.Duration(*t.GrantTTL)*time.Second)
	}
	if o.Caps != nil {
		line("caps of all buyers", "%s", capsText(*o.Caps))
	}
	return table.flush()
}

func capsText(c api.OfferCaps) string {
	var parts []string
	for _, cap := range []struct {
		n    *int64
		what string
	}{{c.SearchesPerMinute, "searches a minute"}, {c.SearchesPerDay, "searches a day"}, {c.EntriesPerDay, "new entries a day"}, {c.EntriesTotal, "new entries in all"}} {
		if cap.n != nil {
			parts = append(parts, fmt.Sprintf("%d %s", *cap.n, cap.what))
		}
	}
	return strings.Join(parts, ", ")
}
