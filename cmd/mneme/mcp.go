package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/cmd/compose"
	"mneme/cmd/mneme/toolproxy"
	"mneme/configs"
	"mneme/server/mcp"
	"mneme/server/tool"
)

func newMCP(p *program) *cobra.Command {
	m := mcpCommand{program: p}
	cmd := &cobra.Command{
		Use:   "mcp --agent A",
		Short: "Serve the tools to an MCP client over stdin and stdout",
		Long: `Speaks the Model Context Protocol over stdin and stdout, for clients that start
their own servers. Acts as the given agent, directly on the database or, with
--url, through a server. It can run while a server uses the same database. Logs
go to stderr.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			return m.run(cmd.Context(), config)
		}),
	}
	m.as.add(cmd)
	cmd.Flags().BoolVar(&m.share, "share", false, "allow the tools to share the agent's stores with others")
	cmd.Flags().BoolVar(&m.spend, "spend", false, "allow the tools to pay for searches from the agent's account")
	cmd.Flags().StringVar(&m.tools, "tools", "", "families of tools to list: all, or some of memory, triggerfish, maestro and kv")
	cmd.Flags().StringVar(&m.url, "url", "", "serve the tools of the server at this address")
	_ = cmd.MarkFlagRequired("agent") // the flag exists
	return cmd
}

// mcpCommand is one run of the mcp command.
type mcpCommand struct {
	*program
	as    callerFlags
	share bool
	spend bool
	tools string
	url   string
}

func (m *mcpCommand) run(ctx context.Context, config configs.Config) error {
	principal, err := m.as.principal(m.as.agent)
	if err != nil {
		return err
	}
	principal.Share, principal.Spend = m.share, m.spend
	if _, err := tool.ParseFamilies(m.tools); err != nil {
		return usageError{fmt.Errorf("--tools %w", err)}
	}
	if m.url != "" {
		return m.remote(ctx, config, principal)
	}
	return m.local(ctx, config, principal)
}

// callWait is how long a call waits for the database to open. A test shortens it.
var callWait = toolproxy.LateWait

// local serves the tools directly on the database, and indexes what they write. It answers
// clients while the database opens.
func (m *mcpCommand) local(ctx context.Context, config configs.Config, p acl.Principal) (err error) {
	log := m.logger(config.Log)
	if m.tools != "" {
		config.Tools.Listed = strings.Split(m.tools, ",")
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	group, serving := errgroup.WithContext(ctx)
	var service *compose.Instance // set by at most one attempt
	tools := toolproxy.NewLate(compose.KnownTools(config), callWait, log, func(ctx context.Context) (mcp.Tools, error) {
		opened, err := compose.Open(ctx, config, log)
		if err != nil {
			return nil, err
		}
		if err := opened.RegisterCaller(ctx, p); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
		service = opened
		group.Go(func() error { return service.Run(background) })
		return compose.NewTools(service, config, nil), nil
	})
	group.Go(func() error {
		defer stop()
		defer tools.Close()
		tools.Start()
		return m.serve(serving, tools, p)
	})
	err = group.Wait()
	if service != nil {
		closeJoin(service, &err)
	}
	return err
}

func (m *mcpCommand) serve(ctx context.Context, tools mcp.Tools, p acl.Principal) error {
	err := mcp.ServeStream(ctx, mcp.NewServer(tools, p, thisBuild().Version), tools.MaxInput(), m.in, m.out)
	if errors.Is(err, context.Canceled) { // clients stop the command with a signal
		return nil
	}
	return err
}

// callTokenTTL is the lifetime of the token of one call.
const callTokenTTL = 5 * time.Minute

// remote serves the tools of a server. Every call has a new token, since the command may
// outlive any token.
func (m *mcpCommand) remote(ctx context.Context, config configs.Config, p acl.Principal) error {
	if _, err := dial(config, m.as, m.url); err != nil {
		return err
	}
	server, err := client.New(m.url, client.Options{Token: func(context.Context) (string, error) {
		return tokenOf(config, p, callTokenTTL)
	}})
	if err != nil {
		return err
	}
	return m.serve(ctx, toolproxy.New(ctx, server, p, m.tools, config.Limits.ValueBytes, m.logger(config.Log)), p)
}
