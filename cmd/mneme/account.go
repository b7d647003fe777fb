package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/clients/go/api"
)

func newAccount(p *program) *cobra.Command {
	m := marketFlags{program: p}
	cmd := &cobra.Command{
		Use:   "account --agent A",
		Short: "Show the balance of an agent's account",
		Long: `Prints the balance of the agent's account in credits or, with --json, in micros:
millionths of a credit. Reads the local database, also while a server uses it, or
with --url asks a server.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				account, err := as.Account(ctx)
				if err != nil {
					return err
				}
				return p.printAccount(account)
			})
		}),
	}
	m.addAgent(cmd)
	return cmd
}

func (p *program) printAccount(a api.Account) error {
	if p.json {
		return p.printJSON(a)
	}
	_, err := fmt.Fprintf(p.out, "%s: %s credits (%s)\n", plain(a.Agent), credits(a.Balance), plain(a.Currency))
	return err
}

// transfer is a call that topup or payout makes.
type transfer func(c *client.Client, ctx context.Context, agent string, amount int64, reference string) (api.Account, error)

func newTopUp(p *program) *cobra.Command {
	return newTransfer(p, &cobra.Command{
		Use:   "topup AGENT CREDITS --reference R",
		Short: "Add money to an agent's account",
		Long: `Adds an amount that the agent has paid in, by whatever way, to its account. The
reference names that payment, such as the number of an invoice: run again with the
same amount, the command changes nothing, and with another it fails. Works on the
local database, also while a server uses it, or with --url asks a server: then
MNEME_TOKEN, if set, must have the scope platform.`,
	}, (*client.Client).TopUp)
}

func newPayOut(p *program) *cobra.Command {
	return newTransfer(p, &cobra.Command{
		Use:   "payout AGENT CREDITS --reference R",
		Short: "Take money from an agent's account that is paid out",
		Long: `Takes an amount that the agent is paid out, by whatever way, from its account. It
fails if the balance is less. The reference names that payment: run again with the
same amount, the command changes nothing, and with another it fails. Works on the
local database, also while a server uses it, or with --url asks a server: then
MNEME_TOKEN, if set, must have the scope platform.`,
	}, (*client.Client).PayOut)
}

func newTransfer(p *program, cmd *cobra.Command, move transfer) *cobra.Command {
	m := marketFlags{program: p}
	var reference string
	cmd.Args = cobra.ExactArgs(2)
	cmd.RunE = p.do(func(cmd *cobra.Command, args []string) error {
		if err := acl.CheckID(args[0]); err != nil {
			return usageError{fmt.Errorf("AGENT: %w", err)}
		}
		amount, err := parseCredits(args[1])
		if err != nil {
			return usageError{fmt.Errorf("CREDITS: %w", err)}
		}
		if amount == 0 {
			return errAmount
		}
		return m.call(cmd, func(ctx context.Context, as *client.Client) error {
			account, err := move(as, ctx, args[0], amount, reference)
			if err != nil {
				return err
			}
			return p.printAccount(account)
		})
	})
	m.addOperator(cmd)
	m.as.addTaint(cmd, "label of the sessions whose account it is")
	cmd.Flags().StringVar(&reference, "reference", "", "name of the payment, unique for the agent and command")
	_ = cmd.MarkFlagRequired("reference") // the flag exists
	return cmd
}

func newRefund(p *program) *cobra.Command {
	m := marketFlags{program: p}
	cmd := &cobra.Command{
		Use:   "refund --agent SELLER CHARGE",
		Short: "Give a charge back to its buyer",
		Long: `Gives the whole amount of a charge back to its buyer, from the seller's account.
What was bought stays bought. CHARGE is an ID that the buyer's usage and its receipt
name. Works on the local database, also while a server uses it, or with --url asks a
server.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			id, err := parseID("CHARGE", args[0])
			if err != nil {
				return err
			}
			key, err := newKey()
			if err != nil {
				return err
			}
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				charge, err := as.Refund(ctx, id, key)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(charge)
				}
				_, err = fmt.Fprintf(p.out, "refunded %s credits to %s\n", credits(charge.Amount), plain(charge.Buyer))
				return err
			})
		}),
	}
	m.addAgent(cmd)
	return cmd
}

func newUsage(p *program) *cobra.Command {
	m := marketFlags{program: p}
	limit := 100
	cmd := &cobra.Command{
		Use:   "usage --agent BUYER",
		Short: "List what an agent's searches cost",
		Long: `Prints the agent's charges, newest first, one per line: its time, ID, store and
amount in credits, how many hits the search showed and how many entries it bought,
and what became of the charge. With --json, one JSON object per line, with amounts
in micros, the receipt, and the keys of the entries. Reads the local database, also
while a server uses it, or with --url asks a server.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return usageError{errors.New("--limit must not be negative")}
			}
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				shown, more, err := p.printUsage(as.Usage(ctx), limit)
				switch {
				case err != nil || p.json:
				case shown == 0:
					_, err = fmt.Fprintln(p.out, "no charges")
				case more:
					_, err = fmt.Fprintf(p.err, "more than %d charges; --limit 0 lists all\n", limit)
				}
				return err
			})
		}),
	}
	m.addAgent(cmd)
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of charges; 0: all")
	return cmd
}

func (p *program) printUsage(charges func(func(api.UsedCharge, error) bool), limit int) (shown int, more bool, err error) {
	table := p.newTable(column{heading: "AT", style: always(faint)}, column{heading: "CHARGE"}, column{heading: "STORE", style: always(bold)},
		column{heading: "CREDITS", right: true}, column{heading: "HITS", right: true}, column{heading: "BOUGHT", right: true}, column{heading: "STATE"})
	for c, err := range charges {
		if err != nil {
			return shown, false, errors.Join(err, table.flush())
		}
		if limit > 0 && shown == limit {
			more = true
			break
		}
		shown++
		if p.json {
			err = p.printJSON(c)
		} else {
			table.add(c.At.UTC().Format(time.DateTime), c.ID.String(), plain(c.StoreID), credits(c.Amount),
				table.with(c.Hits, "hits"), table.with(len(c.Entries), "bought"), string(c.State))
		}
		if err != nil {
			return shown, false, err
		}
	}
	return shown, more, table.flush()
}
