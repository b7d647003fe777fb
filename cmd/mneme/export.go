package main

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/clients/go/api"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/markdown"
)

func newExport(p *program) *cobra.Command {
	var as callerFlags
	var store, address, folder string
	var full, force bool
	var where whereFlag
	var zone zoneFlag
	var match matchFlag
	cmd := &cobra.Command{
		Use:   "export --agent A [--store S] [--markdown DIR]",
		Short: "Export the entries of a store as NDJSON or Markdown files",
		Long: `Prints the entries that the agent can list in a store (its own, unless --store
names another), one JSON object per line. --where selects those that fit a condition, --match
those with exact words.

With --markdown, writes them to a folder in MAESTRO's layout: one key.md per
entry with frontmatter and the value, the index MEMORY.md, and under trash/ the
deleted entries that the agent can restore. Exporting into the same folder again
updates it: changed entries are written, and the files of entries that no longer
exist are removed. Files edited since the last export are kept and reported.
Other folders must be empty. --force overwrites edited files and accepts any
folder.

With --full, dumps the whole database for an operator: IDs, owners, labels,
versions, times, history, grants, settings and trash. import --full restores it
exactly.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) (err error) {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if full {
				if !only(cmd) || folder != "" || where != "" || zone != "" || match != "" {
					return usageError{errors.New("--full takes no --agent, --taint, --store, --url, --where, --timezone, --match or --markdown")}
				}
				return p.dump(cmd.Context(), config)
			}
			principal, err := as.principal(as.agent)
			if err != nil {
				return err
			}
			if store == "" {
				store = as.agent
			}
			if err := acl.CheckID(store); err != nil {
				return usageError{err}
			}
			if (where != "" || zone != "" || match != "") && folder != "" {
				return usageError{errors.New("--where, --timezone and --match do not go with --markdown, which mirrors a whole store")}
			}
			if force && folder == "" {
				return usageError{errors.New("--force requires --markdown")}
			}
			to, err := p.connectToRead(cmd.Context(), config, as, address, compose.OpenRows)
			if err != nil {
				return err
			}
			defer closeJoin(to, &err)
			from, err := to.source(as.agent, store)
			if err != nil {
				return err
			}
			if folder == "" {
				err = from.print(cmd.Context(), p.out, &api.ExportMemoriesParams{Where: where.param(), Timezone: zone.param(), Match: match.param()})
			} else {
				err = p.exportFolder(cmd.Context(), from, markdown.Origin{Store: store, Agent: as.agent, Taint: principal.Taint.String()}, folder, force)
			}
			return to.failure(err)
		}),
	}
	as.add(cmd)
	where.add(cmd)
	zone.add(cmd, "of dates and times in --where that have none")
	match.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&store, "store", "", "store to export (default: the agent's own)")
	flags.StringVar(&address, "url", "", "read from the server at this address")
	flags.StringVar(&folder, "markdown", "", "write Markdown files to this `folder`")
	flags.BoolVar(&force, "force", false, "with --markdown: overwrite edited files, and accept any folder")
	flags.BoolVar(&full, "full", false, "dump the whole database")
	return cmd
}

// dump writes an operator's dump of the whole database.
func (p *program) dump(ctx context.Context, config configs.Config) (err error) {
	service, err := compose.OpenRows(ctx, config, p.logger(config.Log))
	if err != nil {
		return err
	}
	defer closeJoin(service, &err)
	if onTerminal(p.out) { // no bar: the printed records show the progress
		return service.Dump(ctx, p.out)
	}
	bar := p.newBar(-1, "dumping")
	bar.unit = "records"
	defer bar.Exit()
	return service.Dump(ctx, &countedLines{out: p.out, bar: bar})
}

// countedLines counts written lines as steps of a bar.
type countedLines struct {
	out io.Writer
	bar *bar
}

func (c *countedLines) Write(text []byte) (int, error) {
	n, err := c.out.Write(text)
	_ = c.bar.Add(bytes.Count(text[:n], []byte{'\n'}))
	return n, err
}
