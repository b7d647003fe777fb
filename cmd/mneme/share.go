package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
or user; "grant, not accepted": searches that name no store leave it out), the level, when
the access ends, the language that was chosen for it (auto, english or multilingual), and
the models that read its entries, with how many they have read while the multilingual one
reads the store. With --json, the answer of the API, which says why these models, too.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				found, err := client.Decode[api.Stores](as.ListStores(ctx, nil)) //nolint:bodyclose // Decode closes it
				switch {
				case err != nil:
					return err
				case p.json:
					return p.printJSON(found)
				}
				table := p.newTable(column{heading: "STORE", style: always(bold)}, column{heading: "WHY"}, column{heading: "LEVEL"}, column{heading: "ENDS", style: always(faint)}, column{heading: "LANGUAGE"}, column{heading: "MODELS"})
				for _, s := range found.Stores {
					table.add(plain(s.StoreID), formatKind(s), string(s.Level), ends(s.ExpiresAt), cmp.Or(string(deref(s.Language)), "-"), formatModels(deref(s.Models), s.Reading))
				}
				return table.flush()
			})
		}),
	}
	m.addAgent(cmd)
	cmd.AddCommand(newLanguage(p), newAccept(p))
	return cmd
}

// formatKind describes why an agent has access to a store.
func formatKind(s api.StoreInfo) string {
	if s.Accepted != nil && !*s.Accepted {
		return string(s.Kind) + ", not accepted"
	}
	return string(s.Kind)
}

func newAccept(p *program) *cobra.Command {
	m := marketFlags{program: p}
	cmd := &cobra.Command{
		Use:   "accept --agent A STORE",
		Short: "Accept a store that was shared with an agent",
		Long: `From now on the store counts in the agent's searches that name no store. A call of the
agent that names it accepts it, too. mneme unshare --store STORE A refuses it, or ends it.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				grant, err := client.Decode[api.Grant](as.AcceptGrant(ctx, args[0])) //nolint:bodyclose // Decode closes it
				switch {
				case err != nil:
					return err
				case p.json:
					return p.printJSON(grant)
				}
				_, err = fmt.Fprintf(p.out, "%s\t%s\tup to %s\t%s\n", plain(grant.StoreID), grant.Level, grant.MaxLabel, ends(grant.ExpiresAt))
				return err
			})
		}),
	}
	m.addAgent(cmd)
	return cmd
}

// formatModels lists the models that read a store, and their progress; "-" if unknown.
func formatModels(models []string, reading *api.ReadingProgress) string {
	text := plain(cmp.Or(strings.Join(models, ", "), "-"))
	if reading != nil {
		text += fmt.Sprintf(" (%d of %d)", reading.Done, reading.Total)
	}
	return text
}

func newLanguage(p *program) *cobra.Command {
	m := marketFlags{program: p}
	languages := []string{string(api.Auto), string(api.English), string(api.Multilingual)}
	cmd := &cobra.Command{
		Use:   "language --agent A STORE LANGUAGE",
		Short: "Choose the models that read a store",
		Long: `Chooses which models read the entries of a store. With auto the English model reads
what it can, and the multilingual one the rest; once an agent that may write to the
store asks it in another language, or one in twenty of its entries is in another one,
the multilingual one reads every entry, too. With english or multilingual that model
reads every entry. STORE may be self. The entries get their vectors in the background,
by the server that runs or is started next.`,
		Args: cobra.ExactArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return languages, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(languages, args[1]) {
				return usageError{fmt.Errorf("LANGUAGE must be %s", strings.Join(languages, ", "))}
			}
			return m.call(cmd, func(ctx context.Context, as *client.Client) error {
				store, err := client.Decode[api.StoreLanguage](as.PutLanguage(ctx, args[0], api.LanguageChoice{Language: api.Language(args[1])})) //nolint:bodyclose // Decode closes it
				switch {
				case err != nil:
					return err
				case p.json:
					return p.printJSON(store)
				}
				_, err = fmt.Fprintf(p.out, "%s\t%s\t%s\t%s\n", plain(store.StoreID), store.Language, formatModels(store.Models, store.Reading), plain(store.Why))
				return err
			})
		}),
	}
	m.addAgent(cmd)
	return cmd
}

// ends describes when an access ends.
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
label. Sharing again replaces what was granted. Until GRANTEE has accepted the store, or
has named it in a call, its searches that name no store leave it out.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			if ttl < 0 || ttl%time.Second != 0 {
				return usageError{errors.New("--ttl must be whole seconds, such as 90s, 12h or 30d")}
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
	durationVar(flags, &ttl, "ttl", 0, "time until the grant ends; 0: never")
	completeWith(cmd, "level", "search", "read", "readwrite")
	completeWith(cmd, "max-label", "PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")
	return cmd
}

func newUnshare(p *program) *cobra.Command {
	e := pathFlags{marketFlags: marketFlags{program: p}}
	var cascade bool
	cmd := &cobra.Command{
		Use:   "unshare --agent A GRANTEE",
		Short: "End the sharing of a store with another agent",
		Long: `Revokes the grant of a store to GRANTEE. With --store of another agent and A itself as
GRANTEE it ends, or refuses, what was shared with A. Prints the grants that depended on it,
which GRANTEE had made; they are out of effect, or with --cascade revoked, too.`,
		Args: cobra.ExactArgs(1),
		RunE: p.do(func(cmd *cobra.Command, args []string) error {
			return e.call(cmd, func(ctx context.Context, as *client.Client) error {
				revoked, err := as.Unshare(ctx, e.storeID(), args[0], cascade)
				switch {
				case err != nil:
					return err
				case p.json:
					return p.printJSON(revoked)
				}
				state := "out of effect"
				if revoked.Ended {
					state = "revoked"
				}
				for _, g := range revoked.Dependents {
					if _, err := fmt.Fprintf(p.out, "%s\t%s\tby %s\t%s\n", plain(g.Grantee), g.Level, plain(g.Maker), state); err != nil {
						return err
					}
				}
				return nil
			})
		}),
	}
	e.addAgent(cmd)
	e.addStore(cmd)
	cmd.Flags().BoolVar(&cascade, "cascade", false, "revoke the grants that depend on this one, too")
	return cmd
}
