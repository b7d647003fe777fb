package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/backend"
	"mneme/configs"
)

func newImport(p *program) *cobra.Command {
	i := importing{program: p}
	cmd := &cobra.Command{
		Use:   "import [--store S] [--agent A] FILE… | --markdown DIR",
		Short: "Write the entries of files: NDJSON, BEIR corpus.jsonl, Markdown with frontmatter",
		Long: `Writes the entries of files into the store, or into a server with --url. A file
is mneme's own NDJSON, a BEIR corpus.jsonl (_id is the key, title and text are
the value) or Markdown with frontmatter (one entry: name, type, description,
tags, and the body as its value); its format is found from its content, and -
is standard input. A store that a line names goes before --store; without
--agent the agent is the line's store. What is there already, and the same, is
left alone: an import that was interrupted or refused lines is simply repeated.
At the end it waits until the vectors are made.

With --markdown it reads the folder that export --markdown wrote, or MAESTRO
itself: each .md file is an entry as a whole (what it does not say is empty),
those under trash/ are deleted entries, and MEMORY.md is compared with the
files. Problems are reported as FILE:LINE: REASON, and the rest is imported.
Nothing is deleted because its file is missing. --dry-run reports what would
happen and writes nothing.`,
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
			if i.full {
				if !only(cmd) || len(args) != 1 {
					return usageError{errors.New("--full takes one file, and neither --agent, --taint, --store, --url nor --markdown")}
				}
				return p.loadDump(cmd.Context(), config, args[0])
			}
			if i.dryRun && i.markdown == "" {
				return usageError{errors.New("--dry-run goes with --markdown")}
			}
			return i.run(cmd.Context(), config, args)
		}),
	}
	i.as.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&i.store, "store", "", "store of lines that name none")
	flags.StringVar(&i.url, "url", "", "write to the server at this address")
	flags.BoolVar(&i.noWait, "no-wait", false, "do not wait for vectors: a server, or the next import, makes them")
	flags.StringVar(&i.markdown, "markdown", "", "read the Markdown files of this `folder`")
	flags.BoolVar(&i.dryRun, "dry-run", false, "with --markdown: only report what would happen")
	flags.BoolVar(&i.full, "full", false, "restore a dump that export --full wrote, into an empty database")
	return cmd
}

// importing is one run of the import command.
type importing struct {
	*program
	as           callerFlags
	store, url   string
	markdown     string
	noWait, full bool
	dryRun       bool
	counts       importCounts
}

// importCounts is what became of the lines.
type importCounts struct {
	Created   int64     `json:"created"`
	Updated   int64     `json:"updated"`
	Unchanged int64     `json:"unchanged"`
	Trashed   int64     `json:"trashed"` // deleted entries of a Markdown folder
	Refused   []refusal `json:"refused"`
	Notes     []refusal `json:"notes,omitempty"`   // what is odd, and was not refused
	DryRun    bool      `json:"dry_run,omitempty"` // nothing was written
	WriteS    float64   `json:"write_s"`           // reading and writing
	VectorsS  float64   `json:"vectors_s"`         // making vectors, after that
	Pending   int64     `json:"pending,omitempty"` // entries whose vectors were not waited for
}

func (c *importCounts) written() int64 { return c.Created + c.Updated + c.Trashed }
func (c *importCounts) lines() int64 {
	return c.written() + c.Unchanged + int64(len(c.Refused))
}

// refusal is a line that was not written. Reason holds none of its text.
type refusal struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

func (i *importing) run(ctx context.Context, config configs.Config, files []string) (err error) {
	if err := i.names(); err != nil {
		return err
	}
	open := backend.Open
	if i.noWait || i.dryRun {
		open = backend.OpenRows
	}
	to, err := i.connect(ctx, config, i.as, i.url, open)
	if err != nil {
		return err
	}
	defer disconnect(to, &err)
	if i.markdown != "" {
		err = i.writeFolder(ctx, to)
	} else {
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

// names checks the agent. A folder is imported by one agent into one store, of
// which either names the other.
func (i *importing) names() error {
	if i.markdown != "" {
		if i.as.agent == "" {
			i.as.agent = i.store
		}
		if i.store == "" {
			i.store = i.as.agent
		}
		if i.store == "" {
			return usageError{errors.New("--markdown needs --agent or --store")}
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

// interrupted reports how far an import came that ended early.
func (i *importing) interrupted(err error) error {
	fmt.Fprintf(i.err, "%d of the lines read were written or already there. Give the same command again: it goes on where this one ended.\n",
		i.counts.written()+i.counts.Unchanged)
	return err
}

// embed waits until the vectors are made, making them.
func (i *importing) embed(ctx context.Context, service *backend.Instance) error {
	if i.noWait {
		i.counts.Pending = service.Status(ctx).Queue
		return nil
	}
	started := time.Now()
	err := i.drain(ctx, service)
	i.counts.VectorsS = time.Since(started).Seconds()
	return err
}

// drain works the queue until it is empty, with a progress bar.
func (p *program) drain(ctx context.Context, service *backend.Instance) error {
	total := service.Status(ctx).Queue
	bar := p.newBar(total, "making vectors")
	defer bar.Exit()
	return service.Drain(ctx, func(left int64) {
		if left > total { // another process writes too
			total = left
			bar.ChangeMax64(total)
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
			_, err = fmt.Fprintln(i.out, "; the server makes the vectors")
		case i.noWait:
			_, err = fmt.Fprintf(i.out, "; %d wait for their vectors\n", c.Pending)
		case err == nil:
			_, err = fmt.Fprintf(i.out, ", vectors in %.1f s (%s)\n", c.VectorsS, rate(c.written(), seconds(c.VectorsS)))
		}
	}
	if err == nil && len(c.Refused) > 0 {
		err = fmt.Errorf("%d lines were refused", len(c.Refused))
	}
	return err
}

// fileName is a file's name as it can be printed: one that could drive the
// terminal is quoted.
func fileName(name string) string {
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

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
	service, err := backend.Open(ctx, config, p.logger(config.Log))
	if err != nil {
		return err
	}
	defer closing(service, &err)
	records, err := service.LoadDump(ctx, in)
	if err != nil {
		return err
	}
	if err := p.drain(ctx, service); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(map[string]int{"records": records})
	}
	_, err = fmt.Fprintf(p.out, "restored %d records\n", records)
	return err
}
