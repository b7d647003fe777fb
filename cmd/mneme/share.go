package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

func newStores(p *program) *cobra.Command {
	m := marketFlags{program: p, reads: true}
	cmd := &cobra.Command{
		Use:   "stores --agent A",
		Short: "List the stores that an agent has access to",
		Long: `Prints the stores, one per line: its id, why the agent has access (self, grant, chat
or user), the level, and when the access ends. With --json, the answer of the API.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				found, err := client.Decode[api.Stores](as.ListStores(ctx)) //nolint:bodyclose // Decode closes it
				switch {
				case err != nil:
					return err
				case p.json:
					return p.printJSON(found)
				}
				table := p.newTable(column{heading: "STORE", style: always(bold)}, column{heading: "WHY"}, column{heading: "LEVEL"}, column{heading: "ENDS", style: always(faint)})
				for _, s := range found.Stores {
					table.add(plain(s.StoreID), string(s.Kind), string(s.Level), ends(s.ExpiresAt))
				}
				return table.flush()
			})
		}),
	}
	m.addAgent(cmd)
	return cmd
}

// ends says when an access ends.
func ends(at *time.Time) string {
	if at == nil {
		return "no end"
	}
	return "until " + at.UTC().Format(time.DateTime)
}

func newShare(p *program) *cobra.Command {
	e := pathFlags{marketFlags: marketFlags{program: p}}
	var level, maxLabel string
	var ttl time.Duration
	cmd := &cobra.Command{
		Use:   "share --agent A GRANTEE",
		Short: "Share a store with another agent",
		Long: `Lets the agent GRANTEE search, read, or read and write a store of the agent, up to a
label. Sharing again replaces what was granted.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			if ttl < 0 || ttl%time.Second != 0 {
				return usageError{errors.New("--ttl must be whole seconds, such as 90s or 720h")}
			}
			share := api.Share{Level: new(api.Level(level)), TTL: new(int64(ttl / time.Second))}
			if maxLabel != "" {
				share.MaxLabel = new(api.Label(maxLabel))
			}
			return e.call(cmd, func(ctx context.Context, as *client.Client) error {
				grant, err := client.Decode[api.Grant](as.PutGrant(ctx, e.storeID(), args[0], share)) //nolint:bodyclose // Decode closes it
				switch {
				case err != nil:
					return err
				case p.json:
					return p.printJSON(grant)
				}
				_, err = fmt.Fprintf(p.out, "%s\t%s\tup to %s\t%s\n", grant.Grantee, grant.Level, grant.MaxLabel, ends(grant.ExpiresAt))
				return err
			})
		}),
	}
	e.addAgent(cmd)
	e.addStore(cmd)
	flags := cmd.Flags()
	flags.StringVar(&level, "level", "read", "search, read or readwrite")
	flags.StringVar(&maxLabel, "max-label", "", "highest label that the grantee sees (default: the session's)")
	flags.DurationVar(&ttl, "ttl", 0, "time until the grant ends; 0: never")
	completeWith(cmd, "level", "search", "read", "readwrite")
	completeWith(cmd, "max-label", "PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")
	return cmd
}

func newUnshare(p *program) *cobra.Command {
	e := pathFlags{marketFlags: marketFlags{program: p}}
	cmd := &cobra.Command{
		Use:   "unshare --agent A GRANTEE",
		Short: "End the sharing of a store with another agent",
		Args:  cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			return e.call(cmd, func(ctx context.Context, as *client.Client) error {
				return client.Discard(as.DeleteGrant(ctx, e.storeID(), args[0])) //nolint:bodyclose // Discard closes it
			})
		}),
	}
	e.addAgent(cmd)
	e.addStore(cmd)
	return cmd
}
