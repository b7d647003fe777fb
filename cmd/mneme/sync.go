package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/cmd/mneme/foldersync"
	"mneme/configs"
)

func newSync(p *program) *cobra.Command {
	s := syncing{program: p}
	cmd := &cobra.Command{
		Use:   "sync --agent A [--store S] DIR",
		Short: "Keep a folder of Markdown and a store the same, both ways",
		Long: `Writes the entries of a store to a folder of Markdown files, such as an Obsidian vault,
and the files to the store, and then what changes on either side, until it is
interrupted; with --once, one time. A file's path is its entry's key.

If a file and its entry both changed, the entry takes the file's place, and the file is
kept beside it as "NAME (conflict DATE TIME).md", which is not synchronised: copy from
it what is missing, and delete it. A file that is deleted has its entry moved to the
store's trash; one that is renamed or moved has its entry renamed, with its history, and
the reverse; one whose entry is deleted is moved to .mneme/trash in the folder. If more
than five and more than a quarter of either side are gone within a minute, or all, nothing
is deleted, unless --force is given.

Left out are other files, hidden ones, links, MEMORY.md, trash/, and entries that are not
in context. Works on the local database, also while a server uses it, or with --url on a
server. Exits with status 1 if something was not synchronised, or with --once has a
conflict.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			s.dir = args[0]
			return s.run(cmd.Context(), config)
		}),
	}
	s.as.add(cmd)
	s.zone.add(cmd, "of times that have none")
	flags := cmd.Flags()
	flags.StringVar(&s.store, "store", "", "store to synchronise (default: the agent's own)")
	flags.StringVar(&s.url, "url", "", "synchronise with the server at this address")
	flags.BoolVar(&s.once, "once", false, "synchronise one time, and do not watch")
	flags.BoolVar(&s.force, "force", false, "delete on one side however much is gone on the other")
	return cmd
}

// syncing is one run of the sync command.
type syncing struct {
	*program
	as              callerFlags
	zone            zoneFlag
	store, url, dir string
	once, force     bool
}

func (s *syncing) run(ctx context.Context, config configs.Config) (err error) {
	principal, err := s.as.principal(s.as.agent)
	if err != nil {
		return err
	}
	if s.store == "" {
		s.store = s.as.agent
	}
	if err := acl.CheckID(s.store); err != nil {
		return usageError{fmt.Errorf("--store: %w", err)}
	}
	to, err := s.connect(ctx, config, s.as, s.url, compose.Open)
	if err != nil {
		return err
	}
	defer closeJoin(to, &err)
	source, err := to.source(s.as.agent, s.store)
	if err != nil {
		return err
	}
	server, err := s.server(config)
	if err != nil {
		return err
	}
	options := foldersync.Options{
		Dir: s.dir, Force: s.force, Zone: s.zone.location(), Say: s.say,
		Origin: foldersync.Origin{Server: server, Store: s.store, Agent: s.as.agent, Taint: principal.Taint.String()},
	}
	if !s.once {
		options.Settle = settle
	}
	folder, err := foldersync.Open(syncStore{source}, options)
	if errors.Is(err, foldersync.ErrOrigin) || errors.Is(err, foldersync.ErrState) {
		return fmt.Errorf("%w; choose another folder, or remove .mneme/sync.json in it", err)
	}
	if err != nil {
		return err
	}
	defer closeJoin(folder, &err)
	if !s.once {
		return to.failure(folder.Watch(ctx, func(r foldersync.Report) error { return s.after(ctx, to, r) }))
	}
	report, err := folder.Once(ctx)
	if err != nil {
		return to.failure(err)
	}
	if err := s.after(ctx, to, report); err != nil {
		return err
	}
	return s.report(report)
}

// server returns the name under which the folder's state records the server: the URL, or an
// identifier of the local database. With another server, the state is not valid.
func (s *syncing) server(config configs.Config) (string, error) {
	if s.url != "" {
		return s.url, nil
	}
	id, err := compose.DatabaseID(config)
	return "local " + id, err
}

// after computes the vectors of the entries that a pass wrote to the local database.
func (s *syncing) after(ctx context.Context, to *connection, r foldersync.Report) error {
	if !to.local() || r.Uploaded == 0 {
		return nil
	}
	return s.drain(ctx, to.instance)
}

// say prints an event: with --json, and without --once, as a line of JSON.
func (s *syncing) say(e foldersync.Event) {
	if s.json {
		if !s.once {
			_ = s.printJSON(e) // a failed print must not fail the next pass
		}
		return
	}
	file := fileName(filepath.Join(s.dir, filepath.FromSlash(e.File)))
	switch e.Kind {
	case foldersync.Notice:
		if e.File != "" {
			e.Reason = file + ": " + e.Reason
		}
		fmt.Fprintln(s.err, e.Reason)
	case foldersync.Problem:
		if e.Line > 0 {
			file = fmt.Sprintf("%s:%d", file, e.Line)
		}
		fmt.Fprintf(s.err, "%s: %s\n", file, e.Reason)
	case foldersync.Conflict:
		fmt.Fprintf(s.err, "%s: changed here and in the store; yours is kept as %s\n", file, fileName(e.Reason))
	case foldersync.Renamed:
		if !s.once {
			fmt.Fprintf(s.out, "%s %s to %s\n", e.Kind, fileName(filepath.Join(s.dir, filepath.FromSlash(e.From))), file)
		}
	default:
		if !s.once {
			fmt.Fprintf(s.out, "%s %s\n", e.Kind, file)
		}
	}
}

// report prints the counts of a single pass.
func (s *syncing) report(r foldersync.Report) (err error) {
	if s.json {
		err = s.printJSON(r)
	} else {
		_, err = fmt.Fprintf(s.out, "uploaded %d, downloaded %d, renamed %d, deleted in the store %d, deleted in the folder %d, conflicts %d, unchanged %d\n",
			r.Uploaded, r.Downloaded, r.Renamed, r.Trashed, r.Removed, len(r.Conflicts), r.Unchanged)
	}
	switch {
	case err != nil:
		return err
	case len(r.Problems) > 0:
		return fmt.Errorf("not synchronised: %d", len(r.Problems))
	case len(r.Conflicts) > 0:
		return fmt.Errorf("conflicts: %d", len(r.Conflicts))
	case r.Waiting > 0:
		fmt.Fprintf(s.err, "conflict files that wait for you: %d\n", r.Waiting)
	}
	return nil
}

// settle is how long a file of a watched folder must be unchanged before it is read.
const settle = time.Second
