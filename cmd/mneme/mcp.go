package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mneme/acl"
	"mneme/backend"
	client "mneme/clients/go"
	"mneme/configs"
	"mneme/server/mcp"
	"mneme/server/tool"
)

func newMCP(p *program) *cobra.Command {
	m := offering{program: p}
	cmd := &cobra.Command{
		Use:   "mcp --agent A",
		Short: "Offer the tools to an MCP client, on stdin and stdout",
		Long: `Speaks the Model Context Protocol on stdin and stdout, for clients that start
their servers themselves. Acts as the agent, on the store itself or with --url
on a server; works beside a running one. Logs go to stderr.`,
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
	cmd.Flags().BoolVar(&m.share, "share", false, "offer to share the agent's stores with others")
	cmd.Flags().StringVar(&m.url, "url", "", "offer the tools of the server at this address")
	// Without an error: the flag is there.
	_ = cmd.MarkFlagRequired("agent")
	return cmd
}

// offering is one run of the mcp command.
type offering struct {
	*program
	as    callerFlags
	share bool
	url   string
}

func (m *offering) run(ctx context.Context, config configs.Config) error {
	caller, err := m.as.caller(m.as.agent)
	if err != nil {
		return err
	}
	caller.Principal.Share = m.share
	if m.url != "" {
		return m.remote(ctx, config, caller.Principal)
	}
	return m.local(ctx, config, caller.Principal)
}

// local offers the tools over the store itself, with a worker of its own.
func (m *offering) local(ctx context.Context, config configs.Config, p acl.Principal) (err error) {
	service, err := backend.Open(ctx, config, m.logger(config.Log))
	if err != nil {
		return err
	}
	defer closing(service, &err)
	if err := service.RegisterCaller(ctx, p); err != nil {
		return err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	group, serving := errgroup.WithContext(ctx)
	group.Go(func() error { return service.Run(background) })
	group.Go(func() error {
		defer stop()
		return m.serve(serving, backend.NewTools(service.Service, config, nil), p)
	})
	return group.Wait()
}

func (m *offering) serve(ctx context.Context, tools mcp.Tools, p acl.Principal) error {
	err := mcp.ServeStream(ctx, mcp.NewServer(tools, p, thisBuild().Version), tools.MaxInput(), m.in, m.out)
	if errors.Is(err, context.Canceled) { // a signal is how clients end it
		return nil
	}
	return err
}

// remote offers the tools of a server, as that server has them.
func (m *offering) remote(ctx context.Context, config configs.Config, p acl.Principal) error {
	if _, err := dial(config, m.as, m.url); err != nil {
		return err
	}
	r := &remoteTools{offering: m, config: config, principal: p}
	if err := r.load(ctx); err != nil {
		return err
	}
	return m.serve(ctx, r, p)
}

// remoteTools are the tools of a server. They are constant, so they are asked
// for once.
type remoteTools struct {
	*offering
	config      configs.Config
	principal   acl.Principal
	definitions []tool.Definition
	limit       int64
}

// load reads which tools the server offers to this caller. What an API of a
// model has no place for, such as annotations, is the same in this program.
func (r *remoteTools) load(ctx context.Context) error {
	c, err := r.client()
	if err != nil {
		return err
	}
	list, err := client.Decode[client.ToolList](c.ListTools(ctx, &client.ListToolsParams{}))
	if err != nil {
		return err
	}
	if list.Anthropic == nil {
		return client.ErrUnreadable
	}
	known := tool.New(nil, tool.Options{ValueLimit: r.config.Limits.ValueBytes})
	r.limit = known.MaxInput()
	for _, one := range *list.Anthropic {
		d := tool.Definition{Title: one.Name, Destructive: true}
		like := known.Definitions(r.principal)
		if i := slices.IndexFunc(like, func(d tool.Definition) bool { return d.Name == one.Name }); i >= 0 {
			d = like[i]
		}
		d.Name, d.Description, d.Input = one.Name, one.Description, one.InputSchema
		r.definitions = append(r.definitions, d)
	}
	return nil
}

// callLife is how long the token of one call lasts.
const callLife = 5 * time.Minute

// client makes a client with a fresh token, for this may run longer than any
// token lasts.
func (r *remoteTools) client() (*client.Client, error) {
	token, err := tokenOf(r.config, r.principal, callLife)
	if err != nil {
		return nil, err
	}
	return client.New(r.url, client.Options{Token: client.StaticToken(token)})
}

// Definitions are those of the server.
func (r *remoteTools) Definitions(acl.Principal) []tool.Definition { return r.definitions }

// MaxInput is that of this program: the server judges by its own.
func (r *remoteTools) MaxInput() int64 { return r.limit }

// Call calls a tool on the server. What goes wrong on the way there is an
// error for the model to read.
func (r *remoteTools) Call(ctx context.Context, _ acl.Principal, name string, input json.RawMessage) (tool.Result, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	c, err := r.client()
	if err != nil {
		return tool.Result{Text: "Error: " + err.Error(), IsError: true}, nil
	}
	answer, err := client.Decode[client.ToolResult](c.CallToolWithBody(ctx, name, "application/json", bytes.NewReader(input)))
	if err != nil {
		return tool.Result{Text: "Error: " + err.Error(), IsError: true}, nil
	}
	result := tool.Result{Text: answer.Content, IsError: answer.IsError}
	i := slices.IndexFunc(r.definitions, func(d tool.Definition) bool { return d.Name == name })
	if !result.IsError && i >= 0 && r.definitions[i].Output != nil {
		result.Structured = json.RawMessage(answer.Content)
	}
	return result, nil
}

// Index reads MEMORY.md from the server.
func (r *remoteTools) Index(ctx context.Context, _ acl.Principal, store string) (string, error) {
	c, err := r.client()
	if err != nil {
		return "", err
	}
	response, err := c.ReadIndex(ctx, store, &client.ReadIndexParams{})
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}
