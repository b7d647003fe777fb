package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/backend"
	"mneme/memory"
)

// operator is the acting agent of a purge. The name gives no access to any store.
const operator = "operator"

func newPurge(p *program) *cobra.Command {
	var before string
	cmd := &cobra.Command{
		Use:   "purge [--before TIME]",
		Short: "Permanently erase entries that were deleted or expired long ago",
		Long: `Erases the entries that were deleted or expired before a time, with their rows,
history, lexical terms, vectors and idempotency records. The time must be at
least limits.retention ago, which is the default. Prints the number of entries
or, with --json, their IDs too.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) (err error) {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			cutoff := time.Now().Add(-config.Limits.Retention)
			if before != "" {
				if cutoff, err = time.Parse(time.RFC3339, before); err != nil {
					return usageError{errors.New("--before must be a time such as 2026-01-31T00:00:00Z")}
				}
			}
			ctx := cmd.Context()
			// Vectors in a local index are purged with their rows; a remote index
			// must be opened to delete them.
			openFor := backend.OpenRows
			if config.Vector != "flat" {
				openFor = backend.Open
			}
			service, err := openFor(ctx, config, p.logger(config.Log))
			if err != nil {
				return err
			}
			defer closeJoin(service, &err)
			caller := memory.Caller{Principal: acl.Principal{Agent: operator, Taint: acl.Public, Platform: true}}
			result, err := service.Purge(ctx, caller, cutoff, nil)
			if err != nil {
				return err
			}
			if p.json {
				ids := make([]string, len(result.IDs))
				for i, id := range result.IDs {
					ids[i] = id.String()
				}
				return p.printJSON(map[string]any{"entries": len(ids), "ids": ids})
			}
			_, err = fmt.Fprintf(p.out, "erased %d entries\n", len(result.IDs))
			return err
		}),
	}
	cmd.Flags().StringVar(&before, "before", "", "erase entries deleted or expired before this `time`, such as 2026-01-31T00:00:00Z")
	return cmd
}
