package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

func newSales(p *program) *cobra.Command {
	m := marketFlags{program: p}
	var from, to, by string
	var table bool
	cmd := &cobra.Command{
		Use:   "sales --agent SELLER",
		Short: "Sum what searches of an agent's store showed and brought in",
		Long: `Prints the sales of the agent's own store by day, buyer or offer: searches, hits,
entries bought, the part of the store that was shown, and the income in credits;
never a query. With --csv or --json, amounts are in micros. Reads the local database,
also while a server uses it, or with --url asks a server.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			params := api.ListSalesParams{By: new(api.ListSalesParamsBy(by))}
			if !params.By.Valid() {
				return usageError{errors.New("--by must be day, buyer or offer")}
			}
			if table && p.json {
				return usageError{errors.New("--csv and --json exclude each other")}
			}
			var err error
			if params.From, err = instant("from", from); err != nil {
				return err
			}
			if params.To, err = instant("to", to); err != nil {
				return err
			}
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				if table {
					return p.copySales(ctx, as, &params)
				}
				rows, err := as.Sales(ctx, "self", &params)
				if err != nil {
					return err
				}
				return p.printSales(rows)
			})
		}),
	}
	m.addAgent(cmd)
	flags := cmd.Flags()
	flags.StringVar(&from, "from", "", "only charges since this `time`: a date, or such as 2026-01-31T12:00:00Z")
	flags.StringVar(&to, "to", "", "only charges before this `time`")
	flags.StringVar(&by, "by", "day", "sum by day, buyer or offer")
	flags.BoolVar(&table, "csv", false, "print CSV")
	completeWith(cmd, "by", "day", "buyer", "offer")
	return cmd
}

// instant checks a time in the API's format; nil for "".
func instant(flag, text string) (*string, error) {
	if text == "" {
		return nil, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if _, err := time.Parse(layout, text); err == nil {
			return &text, nil
		}
	}
	return nil, usageError{fmt.Errorf("--%s must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z", flag)}
}

// copySales prints the sales in the server's CSV format.
func (p *program) copySales(ctx context.Context, as *client.Client, params *api.ListSalesParams) error {
	response, err := as.ListSalesAs(ctx, "self", params, "text/csv")
	if err != nil {
		return err
	}
	defer response.Close()
	_, err = io.Copy(p.out, response)
	return err
}

func (p *program) printSales(rows []api.SalesRow) error {
	if !p.json && len(rows) == 0 {
		_, err := fmt.Fprintln(p.out, "no sales")
		return err
	}
	table := p.newTable(column{heading: "SALES OF", style: always(bold)}, column{heading: "SEARCHES", right: true}, column{heading: "HITS", right: true},
		column{heading: "BOUGHT", right: true}, column{heading: "SHOWN", right: true}, column{heading: "CREDITS", right: true})
	for _, row := range rows {
		var err error
		if p.json {
			err = p.printJSON(row)
		} else {
			table.add(groupOf(row), table.with(row.Searches, "searches"), table.with(row.Hits, "hits"), table.with(row.Entries, "bought"),
				table.with(fmt.Sprintf("%.1f%%", 100*row.Share), "of the store"), table.with(credits(row.Income), "credits"))
		}
		if err != nil {
			return err
		}
	}
	return table.flush()
}

// groupOf returns the day, buyer or offer of a row.
func groupOf(row api.SalesRow) string {
	switch {
	case row.Day != nil:
		return row.Day.Format(time.DateOnly)
	case row.Buyer != nil:
		return plain(*row.Buyer)
	case row.Offer != nil:
		return row.Offer.String()
	}
	return ""
}
