package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/server/token"
)

// tokenCommand is one run of the token command.
type tokenCommand struct {
	*program
	as                              callerFlags
	scope, chat, user, name, revoke string
	ttl                             time.Duration
	apiKey, list, rotate            bool
}

func newToken(p *program) *cobra.Command {
	c := tokenCommand{program: p}
	cmd := &cobra.Command{
		Use:   "token --agent A",
		Short: "Issue, list and revoke tokens and API keys, and rotate the key",
		Long: `Prints a token for an agent, signed with the local key in the data folder. With
--api-key, creates an API key instead: it is stored as a hash, and expires only if
--ttl is given. --list shows both without their secrets, and --revoke ends one by its
ID. --rotate-key replaces the local key: tokens of the former one stay valid for --ttl,
30 days unless it is given. Needs only the data folder, and a running server follows
within a second.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			return c.run(config, cmd.Flags().Changed("ttl"))
		}),
	}
	c.as.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&c.scope, "scope", "", "scopes separated by spaces: platform, share, spend")
	flags.StringVar(&c.chat, "chat", "", "chat ID of the session")
	flags.StringVar(&c.user, "user", "", "user ID of the session")
	flags.StringVar(&c.name, "name", "", "what the token or API key is for, as --list shows it")
	durationVar(flags, &c.ttl, "ttl", time.Hour, "lifetime of the token or API key")
	flags.BoolVar(&c.apiKey, "api-key", false, "create an API key instead of a token")
	flags.BoolVar(&c.list, "list", false, "list tokens and API keys, with --agent those of an agent")
	flags.StringVar(&c.revoke, "revoke", "", "revoke the token or API key with this `ID`")
	flags.BoolVar(&c.rotate, "rotate-key", false, "replace the local key")
	for _, other := range []string{"revoke", "rotate-key"} {
		for _, flag := range []string{"agent", "name", "scope", "chat", "user"} {
			cmd.MarkFlagsMutuallyExclusive(other, flag)
		}
	}
	cmd.MarkFlagsMutuallyExclusive("revoke", "api-key", "list", "rotate-key")
	cmd.MarkFlagsMutuallyExclusive("list", "name")
	cmd.MarkFlagsOneRequired("agent", "list", "revoke", "rotate-key")
	return cmd
}

// run runs the command. ttlGiven reports whether the command line has a lifetime.
func (c *tokenCommand) run(config configs.Config, ttlGiven bool) error {
	if c.ttl < 0 || c.ttl > 0 && c.ttl < time.Second || c.ttl == 0 && ttlGiven && !c.rotate && !c.apiKey {
		return usageError{errors.New("--ttl must be at least one second")}
	}
	switch {
	case c.list:
		return c.printTokens(config)
	case c.revoke != "":
		keys, err := token.OpenKeyring(config.DataDir)
		if err != nil {
			return err
		}
		return keys.Revoke(c.revoke, time.Now())
	case c.rotate:
		if !ttlGiven {
			c.ttl = formerKeyTTL
		}
		return token.Rotate(config.DataDir, c.ttl, time.Now())
	}
	principal, err := c.as.principal(c.as.agent)
	if err != nil {
		return err
	}
	principal.Chat, principal.User = c.chat, c.user
	if err := token.SetScope(&principal, c.scope); err != nil {
		return usageError{fmt.Errorf("--scope: %w", err)}
	}
	if err := principal.Validate(); err != nil {
		return usageError{err}
	}
	if err := token.CheckName(c.name); err != nil {
		return usageError{fmt.Errorf("--name: %w", err)}
	}
	if c.apiKey {
		if !ttlGiven {
			c.ttl = 0
		}
		return c.createKey(config, principal)
	}
	text, err := c.issue(config, principal)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, text)
	return err
}

// formerKeyTTL is how long tokens signed with the former local key are accepted after a
// rotation, unless --ttl is given.
const formerKeyTTL = 30 * 24 * time.Hour

// issue returns a token and lists it. If the folder is read-only, it does not list the
// token, and prints a warning.
func (c *tokenCommand) issue(config configs.Config, principal acl.Principal) (string, error) {
	key, err := token.OpenLocalKey(config.DataDir)
	if err != nil {
		return "", err
	}
	issued, err := token.OpenIssued(config.DataDir)
	if err != nil {
		return "", err
	}
	text, err := issued.Issue(key, principal, c.name, c.ttl, time.Now())
	if token.IsUnwritable(err) {
		fmt.Fprintf(c.err, "the token will not be in the list: %v\n", err)
		return key.Mint(principal, c.ttl, time.Now())
	}
	return text, err
}

// mint returns a token signed with the local key.
func mint(config configs.Config, principal acl.Principal, ttl time.Duration) (string, error) {
	key, err := token.OpenLocalKey(config.DataDir)
	if err != nil {
		return "", err
	}
	return key.Mint(principal, ttl, time.Now())
}

func (c *tokenCommand) createKey(config configs.Config, principal acl.Principal) error {
	if err := compose.MakeDataDir(config.DataDir); err != nil {
		return err
	}
	keys, err := token.OpenKeyring(config.DataDir)
	if err != nil {
		return err
	}
	credential, made, err := keys.Create(principal, c.name, c.ttl, time.Now())
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]string{"id": made.ID, "key": credential})
	}
	fmt.Fprintf(c.err, "this key is shown only once; to revoke it, run: mneme token --revoke %s\n", made.ID)
	_, err = fmt.Fprintln(c.out, credential)
	return err
}
