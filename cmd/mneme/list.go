package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/backend"
	client "mneme/clients/go"
	"mneme/configs"
)

func newList(p *program) *cobra.Command {
	l := listing{reading: reading{program: p}}
	cmd := &cobra.Command{
		Use:   "list --agent A [--store S]",
		Short: "List the entries of a store",
		Long: `Prints the entries that the agent can list in a store (its own, unless --store
names another), ordered by namespace and key, one per line: its key, label, time of
the last change, and description or the beginning of its value. With --json, one
JSON object per line, as export prints them. Reads the local database, also while a
server uses it, or with --url asks a server.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			return l.run(cmd.Context(), config)
		}),
	}
	l.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&l.store, "store", "", "store to list (default: the agent's own)")
	flags.StringVar(&l.prefix, "prefix", "", "only keys that begin with this")
	flags.IntVar(&l.limit, "limit", 100, "maximum number of entries; 0: all")
	return cmd
}

// listing is one run of the list command.
type listing struct {
	reading
	store, prefix string
	limit         int
}

func (l *listing) run(ctx context.Context, config configs.Config) error {
	if _, err := l.as.principal(l.as.agent); err != nil {
		return err
	}
	if l.limit < 0 {
		return usageError{errors.New("--limit must not be negative")}
	}
	if l.store == "" {
		l.store = l.as.agent
	}
	if err := acl.CheckID(l.store); err != nil {
		return usageError{fmt.Errorf("--store: %w", err)}
	}
	params := l.filter.listing()
	if l.prefix != "" {
		params.Prefix = &l.prefix
	}
	return l.call(ctx, config, backend.OpenRows, func(as *client.Client) error {
		shown, more, err := l.print(as.List(ctx, l.store, params))
		switch {
		case err != nil || l.json:
		case shown == 0:
			_, err = fmt.Fprintln(l.out, "no entries")
		case more:
			_, err = fmt.Fprintf(l.err, "more than %d entries; --limit 0 lists all\n", l.limit)
		}
		return err
	})
}

// print prints entries up to the limit, and reports whether there are more.
func (l *listing) print(entries func(func(client.Entry, error) bool)) (shown int, more bool, err error) {
	table := tabwriter.NewWriter(l.out, 0, 0, 2, ' ', 0)
	for e, err := range entries {
		if err != nil {
			return shown, false, errors.Join(err, table.Flush())
		}
		if l.limit > 0 && shown == l.limit {
			more = true
			break
		}
		shown++
		if l.json {
			err = l.printJSON(e)
		} else {
			err = printEntry(table, e)
		}
		if err != nil {
			return shown, false, err
		}
	}
	return shown, more, table.Flush()
}

// printEntry prints one line of a table of entries.
func printEntry(table io.Writer, e client.Entry) error {
	path := plain(e.Key)
	if e.Namespace != "" {
		path = plain(e.Namespace) + ": " + path
	}
	text := e.Description
	switch {
	case text != "":
	case e.Encrypted:
		text = "(encrypted)"
	default:
		text = valueText(e.Value)
	}
	_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", path, e.Label, e.UpdatedAt.UTC().Format(time.DateTime), clip(plain(text)))
	return err
}
