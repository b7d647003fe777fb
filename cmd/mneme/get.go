package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

// pathFlags are the flags of a command about one entry, or one store, of an agent.
type pathFlags struct {
	marketFlags
	store, namespace string
}

func (e *pathFlags) add(cmd *cobra.Command) {
	e.addAgent(cmd)
	e.addStore(cmd)
	cmd.Flags().StringVar(&e.namespace, "namespace", "", "the entry's namespace")
}

// addStore adds the flag of the store.
func (e *pathFlags) addStore(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.store, "store", "", "another store than the agent's own")
}

// storeID returns the named store, or else the agent's own.
func (e *pathFlags) storeID() string {
	if e.store == "" {
		return "self"
	}
	return e.store
}

func (e *pathFlags) path(key string) client.Path {
	return client.Path{Store: e.storeID(), Namespace: e.namespace, Key: key}
}

func newGet(p *program) *cobra.Command {
	e := pathFlags{marketFlags: marketFlags{program: p, reads: true}}
	asOf := ""
	cmd := &cobra.Command{
		Use:   "get --agent A KEY",
		Short: "Print the value of an entry",
		Long: `Prints the value of the entry: a string as it is, other values as JSON. With --json,
the whole entry. Reads the local database, also while a server uses it, or with
--url asks a server.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			return e.call(cmd, func(ctx context.Context, as *client.Client) error {
				entry, _, err := getAsOf(ctx, as, e.path(args[0]), asOf)
				switch {
				case err != nil:
					return err
				case p.json:
					return p.printJSON(entry)
				}
				text := valueText(entry.Value)
				if onTerminal(p.out) {
					text = printable(text)
				}
				_, err = fmt.Fprintln(p.out, text)
				return err
			})
		}),
	}
	e.add(cmd)
	addAsOf(cmd, &asOf)
	return cmd
}

// addAsOf adds the flag --as-of, the time whose state a command reads.
func addAsOf(cmd *cobra.Command, asOf *string) {
	cmd.Flags().StringVar(asOf, "as-of", "", "what stood at this time: a date (2026-05-01, 2026-05, 2026: at its end), or a time in RFC 3339; without zone in UTC")
}

// getAsOf reads an entry as of a time, "" for now.
func getAsOf(ctx context.Context, as *client.Client, path client.Path, asOf string) (api.Entry, string, error) {
	if asOf == "" {
		return as.Get(ctx, path)
	}
	return as.GetAsOf(ctx, path, asOf)
}
