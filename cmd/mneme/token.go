package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/configs"
	"mneme/internal/compose"
	"mneme/server/token"
)

func newToken(p *program) *cobra.Command {
	var (
		as                        callerFlags
		scope, chat, user, revoke string
		ttl                       time.Duration
		apiKey                    bool
	)
	cmd := &cobra.Command{
		Use:   "token --agent A",
		Short: "Issue a token for an agent, or create or revoke an API key",
		Long: `Prints a token for an agent, signed with the local key in the data folder. With
--api-key, creates an API key instead: it is stored as a hash, can be revoked by
its ID, and expires only if --ttl is given. Needs only the data folder, and can
run while a server uses it.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if revoke != "" {
				return revokeKey(config, revoke)
			}
			principal, err := as.principal(as.agent)
			if err != nil {
				return err
			}
			principal.Chat, principal.User = chat, user
			if err := token.SetScope(&principal, scope); err != nil {
				return usageError{fmt.Errorf("--scope: %w", err)}
			}
			if err := principal.Validate(); err != nil {
				return usageError{err}
			}
			if ttl < 0 || ttl > 0 && ttl < time.Second {
				return usageError{errors.New("--ttl must be at least one second")}
			}
			if apiKey {
				if !cmd.Flags().Changed("ttl") {
					ttl = 0
				}
				return p.createKey(config, principal, ttl)
			}
			text, err := mint(config, principal, ttl)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(p.out, text)
			return err
		}),
	}
	as.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&scope, "scope", "", "scopes separated by spaces: platform, share, spend")
	flags.StringVar(&chat, "chat", "", "chat ID of the session")
	flags.StringVar(&user, "user", "", "user ID of the session")
	durationVar(flags, &ttl, "ttl", time.Hour, "lifetime of the token or API key")
	flags.BoolVar(&apiKey, "api-key", false, "create an API key instead of a token")
	flags.StringVar(&revoke, "revoke", "", "revoke the API key with this `ID`")
	cmd.MarkFlagsMutuallyExclusive("revoke", "agent")
	cmd.MarkFlagsOneRequired("revoke", "agent")
	cmd.MarkFlagsMutuallyExclusive("revoke", "api-key")
	return cmd
}

// mint returns a token signed with the local key.
func mint(config configs.Config, principal acl.Principal, ttl time.Duration) (string, error) {
	key, err := token.OpenLocalKey(config.DataDir)
	if err != nil {
		return "", err
	}
	return key.Mint(principal, ttl, time.Now())
}

func (p *program) createKey(config configs.Config, principal acl.Principal, ttl time.Duration) error {
	if err := compose.MakeDataDir(config.DataDir); err != nil {
		return err
	}
	keys, err := token.OpenAPIKeys(config.DataDir)
	if err != nil {
		return err
	}
	credential, id, err := keys.Create(principal, ttl, time.Now())
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(map[string]string{"id": id, "key": credential})
	}
	fmt.Fprintf(p.err, "this key is shown only once; to revoke it, run: mneme token --revoke %s\n", id)
	_, err = fmt.Fprintln(p.out, credential)
	return err
}

func revokeKey(config configs.Config, id string) error {
	keys, err := token.OpenAPIKeys(config.DataDir)
	if err != nil {
		return err
	}
	return keys.Revoke(id, time.Now())
}
