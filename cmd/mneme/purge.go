package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/memory"
)

// operator is the acting agent of a purge. An agent of this name has access to no store:
// only the platform right allows the purge.
const operator = "operator"

// heldTimeout is how long a purge waits until no reader of the database holds erased data.
const heldTimeout = time.Minute

func newPurge(p *program) *cobra.Command {
	g := purging{program: p}
	cmd := &cobra.Command{
		Use:   "purge [--before TIME] [--dry-run | --yes]",
		Short: "Permanently erase entries that were deleted or expired long ago",
		Long: `Erases the entries that were deleted or expired before a time, with their rows,
history, lexical terms, vectors and idempotency records. The time must be at
least limits.retention ago, which is the default. Prints the number of entries
or, with --json, their IDs too. On SQLite it returns when no file of the data folder
holds them any more, beside running servers too: it rewrites the database, for which it
takes about a minute per GB, twice that on the disk, and writers wait. If a program
keeps an older state for another minute, it says so and fails, and running servers go
on with it. With --wait=false a server does it when nobody writes.

On a terminal it first says how many entries that are, and asks, unless --yes is given.
Elsewhere, such as in a timer, it does not ask. --dry-run counts them and erases nothing.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			return g.run(cmd.Context(), config)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&g.before, "before", "", "erase entries deleted or expired before this `time`, such as 2026-01-31T00:00:00Z")
	flags.BoolVar(&g.dryRun, "dry-run", false, "count the entries, and erase nothing")
	flags.BoolVar(&g.wait, "wait", true, "return once no file holds the entries; else a server rewrites the files soon")
	flags.BoolVarP(&g.yes, "yes", "y", false, "erase without asking")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return cmd
}

// purging is one run of the purge command.
type purging struct {
	*program
	before            string
	dryRun, yes, wait bool
}

func (g *purging) run(ctx context.Context, config configs.Config) (err error) {
	cutoff := time.Now().Add(-config.Limits.Retention)
	if g.before != "" {
		if cutoff, err = time.Parse(time.RFC3339, g.before); err != nil {
			return usageError{errors.New("--before must be a time such as 2026-01-31T00:00:00Z")}
		}
	}
	// Vectors in a local index are purged with their rows; a remote index must be opened
	// to delete them.
	openFor := compose.OpenRows
	if config.Vector != "flat" && !g.dryRun {
		openFor = compose.Open
	}
	service, err := openFor(ctx, config, g.logger(config.Log))
	if err != nil {
		return err
	}
	defer closeJoin(service, &err)
	caller := memory.Caller{Principal: acl.Principal{Agent: operator, Taint: acl.Public, Platform: true}}
	if g.dryRun || !g.yes && onTerminal(g.in) {
		n, err := service.CountPurge(ctx, caller, cutoff)
		switch {
		case err != nil:
			return err
		case g.dryRun:
			return g.reportCount(n)
		case n == 0:
			return g.report(nil, time.Time{})
		}
		ok, err := g.confirm(ctx, fmt.Sprintf("Erase %s for good?", entries(int(n))))
		if err != nil {
			return err
		}
		if !ok {
			return errors.New("nothing was erased")
		}
	}
	result, err := service.Purge(ctx, caller, memory.PurgeRequest{Before: cutoff, Wait: g.wait}, nil)
	onDisk := result.ErasedOnDisk
	switch {
	case err == nil && g.wait:
		onDisk, err = awaitErased(ctx, service, caller, onDisk)
	case err != nil && len(result.IDs) == 0:
		return err
	}
	if reported := g.report(result.IDs, onDisk); reported != nil {
		return reported
	}
	return err
}

// awaitErased waits until no file of the database contains the erased data. It returns the
// time since which that is so; the zero time if the database does not report it.
func awaitErased(ctx context.Context, service *compose.Instance, caller memory.Caller, at time.Time) (time.Time, error) {
	err := memory.ErrHeld
	for deadline := time.Now().Add(heldTimeout); at.IsZero() && errors.Is(err, memory.ErrHeld) && time.Now().Before(deadline); {
		at, err = service.Scrub(ctx, caller)
	}
	if at.IsZero() {
		return at, err
	}
	return at, nil
}

// reportCount prints the number of entries that a purge would erase.
func (g *purging) reportCount(n int64) error {
	if g.json {
		return g.printJSON(map[string]any{"entries": n, "dry_run": true})
	}
	_, err := fmt.Fprintf(g.out, "would erase %s\n", entries(int(n)))
	return err
}

// report prints the erased entries, and since when no file contains them.
func (g *purging) report(ids []uuid.UUID, onDisk time.Time) error {
	if g.json {
		out := map[string]any{"entries": len(ids), "ids": append([]uuid.UUID{}, ids...)}
		if !onDisk.IsZero() {
			out["erased_on_disk"] = onDisk.UTC()
		}
		return g.printJSON(out)
	}
	later := ""
	if len(ids) > 0 && !g.wait {
		later = "; they leave the files later"
	}
	_, err := fmt.Fprintf(g.out, "erased %s%s\n", entries(len(ids)), later)
	return err
}

// entries returns a count with its noun, such as "1 entry".
func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// confirm asks a question on the terminal. Every answer except y and yes means no.
func (p *program) confirm(ctx context.Context, question string) (bool, error) {
	if _, err := fmt.Fprintf(p.err, "%s [y/N] ", question); err != nil {
		return false, err
	}
	type answered struct {
		text string
		err  error
	}
	answers := make(chan answered, 1)
	go func() { // read concurrently, so that an interrupt ends the wait for the answer
		text, err := bufio.NewReader(p.in).ReadString('\n')
		answers <- answered{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(p.err)
		return false, ctx.Err()
	case a := <-answers:
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			return false, a.err
		}
		text := strings.ToLower(strings.TrimSpace(a.text))
		return text == "y" || text == "yes", nil
	}
}
