package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/backend"
	"mneme/configs"
	"mneme/markdown"
)

func newExport(p *program) *cobra.Command {
	var as callerFlags
	var store, address, folder string
	var full, force bool
	cmd := &cobra.Command{
		Use:   "export --agent A [--store S] [--markdown DIR]",
		Short: "Print what an agent can list of a store, as NDJSON or Markdown files that import takes",
		Long: `Prints the entries of a store (the agent's own, unless --store names another)
that the agent can list, one JSON object a line.

With --markdown they become files of a folder, in MAESTRO's form: key.md with
frontmatter and the value, the index MEMORY.md, and what the agent may restore
under trash/. Such a folder is brought up to date by exporting into it again:
what changed is written, and files of entries that are gone are removed, but
files that were edited since are left and told, and any other folder that is
not empty is refused, unless --force is given.

With --full it is an operator's dump of the whole database: ids, owners, labels,
versions, times, history, grants, settings and trash, which import --full
restores as they were.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) (err error) {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if full {
				if !only(cmd) || folder != "" {
					return usageError{errors.New("--full takes neither --agent, --taint, --store, --url nor --markdown")}
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
			if force && folder == "" {
				return usageError{errors.New("--force goes with --markdown")}
			}
			to, err := p.connect(cmd.Context(), config, as, address, backend.OpenRows)
			if err != nil {
				return err
			}
			defer disconnect(to, &err)
			from, err := to.source(as.agent, store)
			if err != nil {
				return err
			}
			if folder == "" {
				err = from.print(cmd.Context(), p.out)
			} else {
				err = p.exportFolder(cmd.Context(), from, markdown.Origin{Store: store, Agent: as.agent, Taint: principal.Taint.String()}, folder, force)
			}
			return to.failure(err)
		}),
	}
	as.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&store, "store", "", "the store (default: the agent's own)")
	flags.StringVar(&address, "url", "", "read from the server at this address")
	flags.StringVar(&folder, "markdown", "", "write Markdown files into this `folder`")
	flags.BoolVar(&force, "force", false, "with --markdown: into any folder, and over edited files")
	flags.BoolVar(&full, "full", false, "dump the whole database")
	return cmd
}

func (p *program) dump(ctx context.Context, config configs.Config) (err error) {
	service, err := backend.OpenRows(ctx, config, p.logger(config.Log))
	if err != nil {
		return err
	}
	defer closing(service, &err)
	return service.Dump(ctx, p.out)
}
