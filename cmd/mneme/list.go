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
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/memory"
)

func newList(p *program) *cobra.Command {
	l := listing{reading: reading{program: p}}
	cmd := &cobra.Command{
		Use:   "list --agent A [--store S]",
		Short: "List the entries of a store",
		Long: `Prints the entries that the agent can list in a store (its own, unless --store
names another), ordered by namespace and key, one per line: its key, label, time of
the last change, and description or the beginning of its value. On a terminal there
are headings, and lines are cut to its width. With --json, one JSON object per line,
as export prints them. Reads the local database, also while a server uses it, or with
--url asks a server.`,
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
	addAsOf(cmd, &l.asOf)
	flags.StringVar(&l.prefix, "prefix", "", "only keys that begin with this")
	flags.IntVar(&l.limit, "limit", 100, "maximum number of entries; 0: all")
	return cmd
}

// listing is one run of the list command.
type listing struct {
	reading
	store, prefix, asOf string
	limit               int
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
	if l.asOf != "" {
		params.AsOf = &l.asOf
	}
	return l.call(ctx, config, compose.OpenRows, func(as *client.Client) error {
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
func (l *listing) print(entries func(func(api.Entry, error) bool)) (shown int, more bool, err error) {
	table := l.newTable(column{heading: "KEY", style: always(bold)}, column{heading: "LABEL", style: labelStyle},
		column{heading: "CHANGED", style: always(faint)}, column{heading: "DESCRIPTION OR VALUE"})
	for e, err := range entries {
		if err != nil {
			return shown, false, errors.Join(err, table.flush())
		}
		if l.limit > 0 && shown == l.limit {
			more = true
			break
		}
		shown++
		if l.json {
			err = l.printJSON(e)
		} else {
			table.add(entryCells(e)...)
		}
		if err != nil {
			return shown, false, err
		}
	}
	return shown, more, table.flush()
}

// entryCells returns the row of an entry.
func entryCells(e api.Entry) []string {
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
		text = memory.MarkDataURLs(valueText(e.Value))
	}
	return []string{path, string(e.Label), e.UpdatedAt.UTC().Format(time.DateTime), clip(plain(text))}
}
