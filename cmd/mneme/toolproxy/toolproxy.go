// Package toolproxy offers tools to a local MCP client that are not directly available:
// the tools of a remote mneme server, called over REST, and the tools of a database that
// is being opened.
package toolproxy

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/meter"
	"mneme/server/problem"
	"mneme/server/tool"
)

// Tools are the tools of a server, as it offers them to one principal. It implements
// mcp.Tools.
type Tools struct {
	server   *client.Client
	known    []tool.Definition // of this program
	maxInput int64
	fetched  chan struct{}     // closed when offered is set
	offered  []tool.Definition // nil: the server did not list any
}

// listWait is how long Definitions waits for the server.
const listWait = 5 * time.Second

// New begins to fetch the definitions of the tools that server offers to p. They do not
// change while a server runs. asked names the families to list, in the format of
// tool.ParseFamilies; "": the server's choice. valueLimit is the maximum size of a value
// in bytes, which limits the size of a tool's input here; the server applies its own
// limit. If the server does not list its tools in time, Tools offers the tools of this
// program: their calls report why they fail, which a model and its user can read, unlike
// the reason why a program exited.
func New(ctx context.Context, server *client.Client, p acl.Principal, asked string, valueLimit int, log *slog.Logger) *Tools {
	families, _ := tool.ParseFamilies(asked) // the server rejects invalid names
	known := tool.New(nil, tool.Options{ValueLimit: valueLimit, Listed: families})
	t := &Tools{server: server, known: known.Definitions(p), maxInput: known.MaxInput(), fetched: make(chan struct{})}
	go func() {
		defer close(t.fetched)
		if err := t.fetch(ctx, asked); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "the server does not list its tools", "error", err)
		}
	}()
	return t
}

// fetch sets the tools that the server offers in the requested families.
func (t *Tools) fetch(ctx context.Context, asked string) error {
	wanted := &api.ListToolsParams{}
	if asked != "" {
		wanted.Tools = &asked
	}
	list, err := client.Decode[api.ToolList](t.server.ListTools(ctx, wanted)) //nolint:bodyclose // Decode closes it
	switch {
	case err != nil:
		return err
	case list.Anthropic == nil:
		return client.ErrUnreadable
	}
	t.offered = join(*list.Anthropic, t.known)
	return nil
}

// join returns the definitions of the tools that a server lists.
func join(listed []api.AnthropicTool, known []tool.Definition) (definitions []tool.Definition) {
	for _, offered := range listed {
		// The list omits annotations and the like. Take those of this program's tool with
		// the same name.
		d := tool.Definition{Title: offered.Name, Destructive: true}
		if i := slices.IndexFunc(known, func(d tool.Definition) bool { return d.Name == offered.Name }); i >= 0 {
			d = known[i]
		}
		d.Name, d.Description, d.Input = offered.Name, offered.Description, offered.InputSchema
		d.Unlisted = false
		definitions = append(definitions, d)
	}
	for _, d := range known { // the server may have them, too
		if d.Unlisted = true; !slices.ContainsFunc(definitions, func(listed tool.Definition) bool { return listed.Name == d.Name }) {
			definitions = append(definitions, d)
		}
	}
	return definitions
}

// Definitions returns the tools of the server. It waits for the server to list them.
func (t *Tools) Definitions(acl.Principal) []tool.Definition {
	timer := time.NewTimer(listWait)
	defer timer.Stop()
	select {
	case <-t.fetched:
	case <-timer.C:
	}
	return t.current()
}

// current returns the tools that the server has listed, or else this program's.
func (t *Tools) current() []tool.Definition {
	select {
	case <-t.fetched:
		if t.offered != nil {
			return t.offered
		}
	default:
	}
	return t.known
}

// MaxInput returns the maximum size of a tool's input in bytes.
func (t *Tools) MaxInput() int64 { return t.maxInput }

// Pay calls a tool on the server. If the call fails, the error is the result, for
// the model to read.
func (t *Tools) Pay(ctx context.Context, _ acl.Principal, name string, input json.RawMessage, paid *meter.Payment) (tool.Result, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	response, err := t.server.CallToolWithBody(ctx, name, &api.CallToolParams{}, "application/json", bytes.NewReader(input), paying(paid)) //nolint:bodyclose // Decode closes it
	answer, err := client.Decode[api.ToolResult](response, err)
	if err != nil {
		return tool.Result{Text: "Error: " + err.Error(), IsError: true}, nil
	}
	result := tool.Result{Text: answer.Content, IsError: answer.IsError}
	if settled, err := base64.StdEncoding.DecodeString(response.Header.Get(tool.SettlementHeader)); err == nil && len(settled) > 0 {
		result.Settlement = settled
	}
	if result.IsError && strings.HasPrefix(result.Text, "{") { // it describes the required payment
		result.Structured = json.Valid([]byte(result.Text))
		return result, nil
	}
	definitions := t.current()
	i := slices.IndexFunc(definitions, func(d tool.Definition) bool { return d.Name == name })
	if !result.IsError && i >= 0 {
		settlement := result.Settlement
		result = definitions[i].ResultOf(answer.Content)
		result.Settlement = settlement
	}
	return result, nil
}

// paying adds a payment of x402 version 2 to a request.
func paying(paid *meter.Payment) api.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		if paid != nil {
			r.Header.Set(tool.PaymentHeader, base64.StdEncoding.EncodeToString(paid.Payload))
		}
		return nil
	}
}

// Index returns a store's MEMORY.md.
func (t *Tools) Index(ctx context.Context, _ acl.Principal, store string) (string, error) {
	response, err := t.server.ReadIndex(ctx, store, &api.ReadIndexParams{})
	if err != nil {
		return "", problemOf(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// problemOf returns the problem with which the server refused a call: for other errors MCP
// clients read only that they are internal. It returns other errors unchanged.
func problemOf(err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) {
		return err
	}
	return problem.New(problem.Kind{Status: refused.Status, Title: refused.Title}, refused.Reason()).Because(err)
}
