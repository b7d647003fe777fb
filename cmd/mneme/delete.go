package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

// maxDeleted is the number of entries deleted in one call: the maximum of a batch.
const maxDeleted = 1000

func newDelete(p *program) *cobra.Command {
	d := deletion{pathFlags: pathFlags{marketFlags: marketFlags{program: p}}}
	cmd := &cobra.Command{
		Use:   "delete --agent A [KEY…]",
		Short: "Move entries to the trash",
		Long: `Moves the entries to the trash, all of them or, if one of them cannot be deleted,
none. They can be restored until a purge.

Without keys it deletes what the filters select, as list shows it with the same ones,
any number of entries; what cannot be deleted stays, and is counted. On a terminal it
asks first, elsewhere it needs --yes. --dry-run lists what would be deleted.`,
		Args: cobra.MaximumNArgs(maxDeleted),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			if err := d.check(cmd, args); err != nil {
				return err
			}
			if len(args) > 0 {
				return d.deleteKeys(cmd, args)
			}
			return d.call(cmd, d.deleteSelected)
		}),
	}
	d.addAgent(cmd)
	d.addStore(cmd)
	d.filter.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&d.prefix, "prefix", "", "only keys that begin with this")
	flags.BoolVar(&d.dryRun, "dry-run", false, "list the entries, and delete nothing")
	flags.BoolVarP(&d.yes, "yes", "y", false, "delete without asking")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return cmd
}

// deletion is one run of the delete command.
type deletion struct {
	pathFlags
	filter      filterFlags
	prefix      string
	dryRun, yes bool
}

// selecting are the flags that select entries to delete.
var selecting = []string{"prefix", "tags", "type", "where", "since", "match"}

// check rejects a command that both names keys and selects entries, or does neither, and
// an empty filter: an empty variable in a script must not delete a store.
func (d *deletion) check(cmd *cobra.Command, keys []string) error {
	selects := cmd.Flags().Changed("namespace") && len(keys) == 0
	for _, name := range selecting {
		flag := cmd.Flags().Lookup(name)
		if !flag.Changed {
			continue
		}
		if text := flag.Value.String(); text == "" || text == "[]" {
			return usageError{fmt.Errorf("--%s must not be empty", name)}
		}
		selects = true
	}
	switch {
	case len(keys) == 0 && !selects:
		return usageError{errors.New("name keys, or select entries by a filter such as --prefix or --where")}
	case len(keys) > 0 && (selects || d.dryRun || d.yes):
		return usageError{errors.New("keys and filters, --dry-run or --yes exclude each other")}
	}
	return nil
}

// deleteKeys deletes all of the keys, or none.
func (d *deletion) deleteKeys(cmd *cobra.Command, keys []string) error {
	var items []api.BatchItem
	for _, key := range keys {
		items = append(items, api.BatchItem{Op: api.OpDelete, Key: key, Namespace: d.filter.namespace.text})
	}
	item := 0 // the item because of which all were refused
	err := d.call(cmd, func(ctx context.Context, as *client.Client) error {
		_, err := as.Batch(ctx, d.storeID(), items, true, "")
		var refused *client.Error
		if errors.As(err, &refused) && refused.Item != nil && *refused.Item < len(keys) {
			item = *refused.Item
		}
		return err
	})
	if err != nil && len(keys) > 1 {
		return fmt.Errorf("%s: %w; nothing was deleted", plain(keys[item]), err)
	}
	return err
}

// deleteSelected deletes the entries that the filters select. It lists them first, since
// deletions during a listing would invalidate its cursor.
func (d *deletion) deleteSelected(ctx context.Context, as *client.Client) error {
	params := d.filter.listing()
	if d.prefix != "" {
		params.Prefix = &d.prefix
	}
	listed := as.List(ctx, d.storeID(), params)
	if d.dryRun {
		l := listing{reading: reading{program: d.program}}
		n, _, err := l.print(listed)
		if err != nil || d.json {
			return err
		}
		_, err = fmt.Fprintf(d.err, "would delete %s\n", entries(n))
		return err
	}
	var items []api.BatchItem
	for e, err := range listed {
		if err != nil {
			return err
		}
		items = append(items, api.BatchItem{Op: api.OpDelete, Key: e.Key, Namespace: &e.Namespace})
	}
	if ok, err := d.mayDelete(ctx, len(items)); err != nil || !ok {
		return err
	}
	return d.deleteAll(ctx, as, items)
}

// mayDelete reports whether to delete n entries.
func (d *deletion) mayDelete(ctx context.Context, n int) (bool, error) {
	switch {
	case n == 0 || d.yes:
		return true, nil
	case !onTerminal(d.in):
		return false, usageError{fmt.Errorf("would delete %s: --yes is required where nobody can be asked", entries(n))}
	}
	ok, err := d.confirm(ctx, fmt.Sprintf("Delete %s?", entries(n)))
	if err == nil && !ok {
		err = errors.New("nothing was deleted")
	}
	return ok, err
}

// deleteAll deletes items, a batch at a time, and prints their number.
func (d *deletion) deleteAll(ctx context.Context, as *client.Client, items []api.BatchItem) (err error) {
	deleted, refused := 0, 0
	var why *api.BatchProblem // of the first refused item
	for len(items) > 0 && err == nil {
		n := min(maxDeleted, len(items))
		var outcomes []api.BatchOutcome
		outcomes, err = as.Batch(ctx, d.storeID(), items[:n], false, "")
		for i := range outcomes {
			if outcomes[i].Problem == nil {
				deleted++
				continue
			}
			if refused++; why == nil {
				why = outcomes[i].Problem
			}
		}
		items = items[n:]
	}
	if d.json {
		err = errors.Join(err, d.printJSON(map[string]any{"deleted": deleted, "refused": refused}))
	} else {
		_, printed := fmt.Fprintf(d.out, "deleted %s\n", entries(deleted))
		err = errors.Join(err, printed)
	}
	if refused > 0 {
		err = errors.Join(err, fmt.Errorf("%s could not be deleted: %s", entries(refused), why.Title))
	}
	return err
}
