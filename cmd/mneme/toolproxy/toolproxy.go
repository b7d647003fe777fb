// Package toolproxy offers the tools of a remote mneme server to a local MCP
// client. It calls them over REST.
package toolproxy

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/meter"
	"mneme/server/problem"
	"mneme/server/tool"
)

// Tools are the tools of a server, as it offers them to one principal. It
// implements mcp.Tools.
type Tools struct {
	server      *client.Client
	definitions []tool.Definition
	maxInput    int64
}

// New fetches the definitions of the tools that server offers to p. They do not
// change while a server runs. asked names the families that it lists, as tool.ParseFamilies
// takes them; "": those that the server chooses. valueLimit is the maximum size of a value in bytes,
// which limits the size of a tool's input here; the server applies its own limit. If the
// server refuses the token or cannot be reached now, the tools are those that this program
// knows: their calls say why they fail, which a model and its user read, as they do not read
// why a program ended.
func New(ctx context.Context, server *client.Client, p acl.Principal, asked string, valueLimit int) (*Tools, error) {
	wanted := &api.ListToolsParams{}
	if asked != "" {
		wanted.Tools = &asked
	}
	list, err := client.Decode[api.ToolList](server.ListTools(ctx, wanted)) //nolint:bodyclose // Decode closes it
	families, wrong := tool.ParseFamilies(asked)
	if wrong != nil {
		return nil, wrong
	}
	known := tool.New(nil, nil, tool.Options{ValueLimit: valueLimit, Listed: families})
	definitions := known.Definitions(p)
	t := &Tools{server: server, maxInput: known.MaxInput()}
	switch {
	case mayPass(err):
		t.definitions = definitions
		return t, nil
	case err != nil:
		return nil, err
	case list.Anthropic == nil:
		return nil, client.ErrUnreadable
	}
	for _, offered := range *list.Anthropic {
		// The list omits annotations and the like. Take those from this
		// program's tool of the same name.
		d := tool.Definition{Title: offered.Name, Destructive: true}
		if i := slices.IndexFunc(definitions, func(d tool.Definition) bool { return d.Name == offered.Name }); i >= 0 {
			d = definitions[i]
		}
		d.Name, d.Description, d.Input = offered.Name, offered.Description, offered.InputSchema
		d.Unlisted = false
		t.definitions = append(t.definitions, d)
	}
	for _, d := range definitions { // the server may have them, too
		if d.Unlisted = true; !slices.ContainsFunc(t.definitions, func(listed tool.Definition) bool { return listed.Name == d.Name }) {
			t.definitions = append(t.definitions, d)
		}
	}
	return t, nil
}

// mayPass reports whether an error is of the token, or of a server that cannot answer now.
func mayPass(err error) bool {
	var unreached *net.OpError
	switch client.StatusOf(err) {
	case http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	}
	return errors.As(err, &unreached)
}

// Definitions returns the tools of the server.
func (t *Tools) Definitions(acl.Principal) []tool.Definition { return t.definitions }

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
	if result.IsError && strings.HasPrefix(result.Text, "{") { // it says what has to be paid
		result.Structured = json.Valid([]byte(result.Text))
		return result, nil
	}
	i := slices.IndexFunc(t.definitions, func(d tool.Definition) bool { return d.Name == name })
	if !result.IsError && i >= 0 {
		settlement := result.Settlement
		result = t.definitions[i].ResultOf(answer.Content)
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

// problemOf returns the problem with which the server refused a call: of an error that is
// none, MCP clients read only that it is internal. Other errors stay as they are.
func problemOf(err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) {
		return err
	}
	return problem.New(problem.Kind{Status: refused.Status, Title: refused.Title}, refused.Reason()).Because(err)
}
