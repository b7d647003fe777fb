package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/cmd/mneme/importer/origin"
	"mneme/configs"
)

func newImport(p *program) *cobra.Command {
	i := importing{program: p}
	cmd := &cobra.Command{
		Use:   "import [--store S] [--agent A] [--from SYSTEM] FILE… | DIR | --markdown DIR",
		Short: "Import entries from files, or from exports of other systems",
		Long: `Imports files into the local database or, with --url, into a server. A file is
mneme's own NDJSON, a BEIR corpus.jsonl (_id becomes the key, title and text the
value) or Markdown with frontmatter (one entry: name, type, description, tags,
and the body as its value). The format is detected; - reads standard input. A
store named by a line takes precedence over --store, whose default is the store
of --agent. Without --agent, each store is written by its own agent; with --as AGENT,
that agent writes all into its own store (or --store), whatever store a line names:
so the export of one agent becomes another's. Entries that are already there
unchanged are skipped, so an import that was interrupted or had lines refused can be
repeated. What was deleted here stays in the trash, unless --restore is given. A local
import ends when all vectors are made.

A folder of Markdown (an Obsidian vault, a wiki) is imported as it is: a file's path is
its entry's key, its title the description. Frontmatter that an entry has no place for
stays with the text; other files are left out, and one line says what. A folder written
by export --markdown is imported as with --markdown.

With --markdown, imports a folder written by export --markdown or by MAESTRO.
Each .md file is a whole entry: fields it omits become empty. Files under trash/
are deleted entries, and MEMORY.md is checked against the files. Problems are
reported as FILE:LINE: REASON, and the other files are imported. A missing file
deletes nothing. --dry-run reports what would happen and writes nothing.

When it happened (occurred_at) may have any usual form, such as 2026/06/30, June 30,
2026 or seconds since 1970. A date that is not understood stays as a text in the
entry's description, and a note says so.

With --from, imports what another system exported, or a ZIP archive or a folder of
it: mem0 (what get_all answers, OpenMemory's backup), letta (agent files), zep and
graphiti (edges, nodes and episodes as JSON), basic-memory (a folder of notes),
chatgpt and claude (data exports), markdown (a folder as it is). The entries are in
the namespace named after the system (of markdown: none), or --namespace, and keep
their keys when a newer export is imported.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if i.markdown != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if err := i.chooseFolder(args); err != nil {
				return err
			}
			if err := i.checkFrom(cmd.Flags()); err != nil {
				return err
			}
			if err := i.checkAs(cmd.Flags()); err != nil {
				return err
			}
			if i.dryRun && i.markdown == "" {
				return usageError{errors.New("--dry-run requires --markdown")}
			}
			if i.full {
				if !only(cmd) || len(args) != 1 || i.zone != "" || i.reassign || i.noWait || i.restore != restoreNone {
					return usageError{errors.New("--full takes one file, and no --agent, --as, --taint, --store, --url, --timezone, --no-wait, --restore or --markdown")}
				}
				return p.loadDump(cmd.Context(), config, args[0])
			}
			if i.markdown != "" {
				args = nil
			}
			return i.run(cmd.Context(), config, args)
		}),
	}
	i.as.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&i.store, "store", "", "store of entries that name none")
	flags.StringVar(&i.newOwner, "as", "", "write all as this `agent`, whatever store a line names")
	flags.StringVar(&i.url, "url", "", "write to the server at this address")
	flags.BoolVar(&i.noWait, "no-wait", false, "do not make vectors: leave that to a server or the next import")
	flags.StringVar(&i.markdown, "markdown", "", "read the Markdown files of this `folder`")
	flags.BoolVar(&i.dryRun, "dry-run", false, "with --markdown: report what would happen, and write nothing")
	flags.StringVar(&i.from, "from", "", "read exports of this `system`: "+strings.Join(origin.Names(), ", "))
	completeWith(cmd, "from", origin.Names()...)
	flags.StringVar(&i.namespace, "namespace", "", "with --from or a folder: namespace of the entries (default: the system's name; of markdown: none)")
	i.restore.add(flags)
	completeWith(cmd, "restore", string(restoreAll), string(restoreChanged))
	i.zone.add(cmd, "of times that have none")
	flags.BoolVar(&i.full, "full", false, "restore a dump written by export --full into an empty database")
	return cmd
}

// importing is one run of the import command.
type importing struct {
	*program
	as           callerFlags
	store, url   string
	newOwner     string // --as: the agent that writes all lines; "": the agent of each line
	reassign     bool   // whether the stores in the lines are ignored
	markdown     string
	from         string // the system whose exports are imported; "" for none
	namespace    string // of the imported entries
	zone         zoneFlag
	noWait, full bool
	dryRun       bool
	restore      restoring
	trashes      map[target]*trash // by store, once read
	counts       importCounts
}

// importCounts counts the outcomes of an import's lines or files.
type importCounts struct {
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Trashed   int64 `json:"trashed"`                // deleted entries of a Markdown folder that were written to the trash
	Deleted   int64 `json:"deleted_here,omitempty"` // entries that were left in the trash
	// DeletedChanged counts the entries of Deleted that the source has changed since.
	DeletedChanged int64     `json:"deleted_changed,omitempty"`
	Restored       int64     `json:"restored,omitempty"` // from the trash; counted as updated or unchanged too
	Refused        []refusal `json:"refused"`
	Notes          []refusal `json:"notes,omitempty"`    // problems for which nothing was refused
	LeftOut        leftOut   `json:"left_out,omitempty"` // files in a folder of Markdown that are not entries
	DryRun         bool      `json:"dry_run,omitempty"`  // whether nothing was written
	WriteS         float64   `json:"write_s"`            // seconds of reading and writing
	VectorsS       float64   `json:"vectors_s"`          // seconds of computing vectors afterwards
	Pending        int64     `json:"pending,omitempty"`  // entries whose vectors the import did not wait for
}

func (c *importCounts) written() int64 { return c.Created + c.Updated + c.Trashed }
func (c *importCounts) lines() int64 {
	return c.written() + c.Unchanged + c.Deleted + int64(len(c.Refused))
}

// refusal is a line that was not written. Reason never includes its text.
type refusal struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// checkAs makes the agent of --as the acting agent.
func (i *importing) checkAs(flags *pflag.FlagSet) error {
	if !flags.Changed("as") {
		return nil
	}
	if flags.Changed("agent") {
		return usageError{errors.New("--as takes the place of --agent: give one of them")}
	}
	i.as.agent, i.reassign = i.newOwner, true
	if i.store == "" {
		i.store = i.newOwner
	}
	_, err := i.as.principal(i.as.agent)
	return err
}

func (i *importing) run(ctx context.Context, config configs.Config, files []string) (err error) {
	if err := i.checkNames(); err != nil {
		return err
	}
	open := compose.Open
	if i.noWait || i.dryRun {
		open = compose.OpenRows
	}
	to, err := i.connect(ctx, config, i.as, i.url, open)
	if err != nil {
		return err
	}
	defer closeJoin(to, &err)
	switch {
	case i.markdown != "":
		err = i.writeFolder(ctx, to)
	case i.from != "":
		err = i.writeFrom(ctx, to, files)
	default:
		err = i.write(ctx, to, files)
	}
	if err == nil && to.local() && !i.dryRun {
		err = i.embed(ctx, to.instance)
	}
	if err != nil {
		return i.interrupted(err)
	}
	return i.report()
}

// checkNames validates the agent and the store. For a folder, and for exports of another
// system, one agent writes one store, and each of the two names defaults to the other.
func (i *importing) checkNames() error {
	if i.markdown != "" || i.from != "" {
		if i.as.agent == "" {
			i.as.agent = i.store
		}
		if i.store == "" {
			i.store = i.as.agent
		}
		if i.store == "" {
			flag := "--markdown"
			switch i.from {
			case "":
			case origin.Markdown:
				flag = "a folder"
			default:
				flag = "--from"
			}
			return usageError{fmt.Errorf("%s requires --agent or --store", flag)}
		}
		if err := acl.CheckID(i.store); err != nil {
			return usageError{err}
		}
	}
	if i.as.agent == "" {
		return nil
	}
	_, err := i.as.principal(i.as.agent)
	return err
}

// interrupted reports the progress of an import that ended early.
func (i *importing) interrupted(err error) error {
	fmt.Fprintf(i.err, "%d entries were written or already there; run the same command again to import the rest\n",
		i.counts.written()+i.counts.Unchanged)
	return err
}

// embed computes the vectors, unless --no-wait is given.
func (i *importing) embed(ctx context.Context, service *compose.Instance) error {
	if i.noWait {
		i.counts.Pending = service.Status(ctx).Queue
		return nil
	}
	started := time.Now()
	err := i.drain(ctx, service)
	i.counts.VectorsS = time.Since(started).Seconds()
	return err
}

// drain embeds and indexes the queued entries, with a progress bar.
func (p *program) drain(ctx context.Context, service *compose.Instance) error {
	total := service.Status(ctx).Queue
	bar := p.newBar(total, "making vectors")
	defer bar.Exit()
	return service.Drain(ctx, func(left int64) {
		if left > total { // another process is writing too
			total = left
			bar.setTotal(total)
		}
		_ = bar.Set64(total - left)
	})
}

func (i *importing) report() error {
	c := &i.counts
	if c.Refused == nil {
		c.Refused = []refusal{}
	}
	for _, r := range c.Refused {
		fmt.Fprintf(i.err, "%s:%d: %s\n", fileName(r.File), r.Line, r.Reason)
	}
	for _, r := range c.Notes {
		fmt.Fprintf(i.err, "%s:%d: note: %s\n", fileName(r.File), r.Line, r.Reason)
	}
	if len(c.LeftOut) > 0 {
		fmt.Fprintf(i.err, "left out: %s\n", c.LeftOut)
	}
	i.sayDeleted()
	var err error
	switch {
	case i.json:
		err = i.printJSON(c)
	case i.markdown != "":
		err = i.reportFolder()
	default:
		_, err = fmt.Fprintf(i.out, "created %d, updated %d, unchanged %d, refused %d: written in %.1f s (%s)",
			c.Created, c.Updated, c.Unchanged, len(c.Refused), c.WriteS, rate(c.lines(), seconds(c.WriteS)))
		switch {
		case i.url != "":
			_, err = fmt.Fprintln(i.out, "; the server computes the vectors")
		case i.noWait:
			_, err = fmt.Fprintf(i.out, "; %d entries waiting for vectors\n", c.Pending)
		case err == nil:
			_, err = fmt.Fprintf(i.out, ", vectors in %.1f s (%s)\n", c.VectorsS, rate(c.written(), seconds(c.VectorsS)))
		}
	}
	switch {
	case err != nil || len(c.Refused) == 0:
	case len(c.Refused) == 1:
		err = fmt.Errorf("one %s was refused, the rest is imported: fix it and run the same command again", i.unit())
	default:
		err = fmt.Errorf("%d %ss were refused, the rest is imported: fix them and run the same command again", len(c.Refused), i.unit())
	}
	return err
}

// unit is the noun for what is refused.
func (i *importing) unit() string {
	if i.from == origin.Markdown {
		return "file"
	}
	return "line"
}

// fileName returns a file's name for printing. It quotes a name with control
// characters, which could drive the terminal.
func fileName(name string) string {
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// load loads a dump, with a progress bar from its first record on.
func (p *program) load(ctx context.Context, service *compose.Instance, in io.Reader) (int, error) {
	bar := p.newBar(0, "restoring")
	bar.unit = "records"
	defer bar.Exit()
	return service.LoadDump(ctx, in, func(done, total int) {
		bar.setTotal(int64(total))
		if done%loadedEach == 0 || done == total {
			_ = bar.Set64(int64(done))
		}
	})
}

// loadedEach is the number of records between two updates of the progress bar.
const loadedEach = 50

// loadDump restores an operator's dump.
func (p *program) loadDump(ctx context.Context, config configs.Config, file string) (err error) {
	in := p.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	service, err := compose.Open(ctx, config, p.logger(config.Log))
	if err != nil {
		return err
	}
	defer closeJoin(service, &err)
	records, err := p.load(ctx, service, in)
	if err != nil {
		return err
	}
	// Print this before computing vectors: the records are stored even if that fails.
	if p.json {
		err = p.printJSON(map[string]int{"records": records})
	} else {
		_, err = fmt.Fprintf(p.out, "restored %d records\n", records)
	}
	if err != nil {
		return err
	}
	if err := p.drain(ctx, service); err != nil {
		fmt.Fprintln(p.err, "the restore is complete except for vectors, which a running server computes")
		return err
	}
	return nil
}
