package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

func newDelete(p *program) *cobra.Command {
	e := pathFlags{marketFlags: marketFlags{program: p}}
	cmd := &cobra.Command{
		Use:   "delete --agent A KEY…",
		Short: "Move entries to the trash",
		Long: `Moves the entries to the trash, all of them or, if one of them cannot be deleted,
none. They can be restored until a purge.`,
		Args: cobra.RangeArgs(1, 1000),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			var items []api.BatchItem
			for _, key := range args {
				items = append(items, api.BatchItem{Op: api.OpDelete, Key: key, Namespace: &e.namespace})
			}
			item := 0 // that refused them all
			err := e.call(cmd, func(ctx context.Context, as *client.Client) error {
				_, err := as.Batch(ctx, e.storeID(), items, true, "")
				var refused *client.Error
				if errors.As(err, &refused) && refused.Item != nil && *refused.Item < len(args) {
					item = *refused.Item
				}
				return err
			})
			if err != nil && len(args) > 1 {
				return fmt.Errorf("%s: %w; nothing was deleted", plain(args[item]), err)
			}
			return err
		}),
	}
	e.add(cmd)
	return cmd
}
