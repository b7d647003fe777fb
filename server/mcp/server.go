// Package mcp serves the tools over the Model Context Protocol, by streamable
// HTTP at /mcp or by stdio.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/acl"
	"mneme/meter"
	"mneme/meter/payment"
	"mneme/server/problem"
	"mneme/server/tool"
)

// indexURI is the caller's MEMORY.md as a resource.
const indexURI = "mneme://self/MEMORY.md"

// Tools are the tools that a server offers, of this process or of a remote
// server. See tool.Tools.
type Tools interface {
	Definitions(acl.Principal) []tool.Definition
	// Pay calls a tool with a payment for its price; nil is no payment.
	Pay(ctx context.Context, p acl.Principal, name string, input json.RawMessage, paid *meter.Payment) (tool.Result, error)
	Index(ctx context.Context, p acl.Principal, store string) (string, error)
	MaxInput() int64
}

// NewServer returns a server of the tools for one authenticated caller. No message can
// change the caller. The tool definitions are loaded with the first message that needs
// them, since they may have to be fetched.
func NewServer(tools Tools, p acl.Principal, version string) *mcp.Server {
	server := bareServer(tools, p, version)
	add := sync.OnceValue(func() map[string]bool { return addTools(server, tools, p, nil, everyTool) })
	server.AddReceivingMiddleware(refuseUndeclared, listing(add), func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method == methodList || method == methodCall {
				add()
			}
			return next(ctx, method, r)
		}
	})
	return server
}

// newServer is like NewServer, but adds only the tools for whose names needs returns true, and
// adds them at once. Its list has the families that the client requested; nil: the default
// ones.
func newServer(tools Tools, p acl.Principal, version string, asked []tool.Family, needs func(name string) bool) *mcp.Server {
	server := bareServer(tools, p, version)
	unlisted := addTools(server, tools, p, asked, needs)
	server.AddReceivingMiddleware(refuseUndeclared, listing(func() map[string]bool { return unlisted }))
	return server
}

// addTools adds to a server the tools for whose names needs returns true. It returns the names
// of those that lists leave out.
func addTools(server *mcp.Server, tools Tools, p acl.Principal, asked []tool.Family, needs func(name string) bool) (unlisted map[string]bool) {
	unlisted = make(map[string]bool)
	for _, definition := range tool.Asked(tools.Definitions(p), asked) {
		if needs(definition.Name) {
			server.AddTool(toolOf(definition), handler(tools, p, definition.Name))
			unlisted[definition.Name] = definition.Unlisted
		}
	}
	return unlisted
}

// bareServer returns a server without tools.
func bareServer(tools Tools, p acl.Principal, version string) *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "mneme", Title: "mneme memory", Version: version},
		&mcp.ServerOptions{
			Instructions: tool.Instructions,
			// All results, even the list of tools, depend on the caller.
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
			// No list changes within a session, and the server sends no logs to
			// clients.
			Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{},
			},
		})
	server.AddResource(&mcp.Resource{
		URI: indexURI, Name: "MEMORY.md", Title: "Index of your memories", MIMEType: "text/markdown",
		Description: "The entries of your own store that have a type and a description: one line each, with the entry's key.",
	}, indexHandler(tools, p))
	return server
}

// toolOf returns a tool with annotations. If the tool is read-only, the other
// annotations have no meaning.
func toolOf(d tool.Definition) *mcp.Tool {
	no := false
	one := &mcp.Tool{
		Name: d.Name, Title: d.Title, Description: d.Description, InputSchema: d.Input,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: d.ReadOnly, OpenWorldHint: &no},
	}
	if !d.ReadOnly {
		one.Annotations.DestructiveHint, one.Annotations.IdempotentHint = &d.Destructive, d.Idempotent
	}
	if d.Output != nil {
		one.OutputSchema = d.Output
	}
	return one
}

func handler(tools Tools, p acl.Principal, name string) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (_ *mcp.CallToolResult, err error) {
		defer recovered(&err)
		input := r.Params.Arguments
		if int64(len(input)) > tools.MaxInput() {
			return failed("Error: the input is too large"), nil
		}
		paid, err := paymentOf(r)
		if err != nil {
			return failed("Error: " + err.Error()), nil
		}
		result, err := tools.Pay(ctx, p, name, input, paid)
		if err != nil {
			return nil, protocolError(err)
		}
		answer := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: result.Text}}, IsError: result.IsError}
		switch {
		case result.Structured:
			answer.StructuredContent = structured(result.Text)
		case result.Object != nil:
			answer.StructuredContent = result.Object
		}
		if result.Settlement != nil {
			answer.Meta = mcp.Meta{metaSettlement: result.Settlement}
		}
		return answer, nil
	}
}

// Members of _meta in which x402 carries a payment and its settlement.
const (
	metaPayment    = "x402/payment"
	metaSettlement = "x402/payment-response"
)

// paymentOf returns the payment that came with a call; nil if there is none.
func paymentOf(r *mcp.CallToolRequest) (*meter.Payment, error) {
	given, ok := r.Params.Meta[metaPayment]
	if !ok || given == nil {
		return nil, nil
	}
	text, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	return payment.ParseV2(metaPayment, text)
}

// structured is a JSON text. The text of an answer and its structured content
// share their bytes until they are encoded.
type structured string

// MarshalJSON returns the text.
func (s structured) MarshalJSON() ([]byte, error) { return []byte(s), nil }

func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}
}

func indexHandler(tools Tools, p acl.Principal) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (_ *mcp.ReadResourceResult, err error) {
		defer recovered(&err)
		text, err := tools.Index(ctx, p, p.Agent)
		if err != nil {
			return nil, protocolError(err)
		}
		if text == "" { // the SDK would omit it, but the protocol requires a text
			text = "\n"
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/markdown", Text: text}}}, nil
	}
}

// protocolError returns an error for the client, without request data or memory
// text.
func protocolError(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: problem.From(err).Error()}
}

// errPanic reports that a handler panicked.
var errPanic = errors.New("a handler panicked")

// recovered turns a panic into an error. Handlers run on goroutines of the SDK,
// where a panic would end the process.
func recovered(err *error) {
	if recover() != nil {
		*err = protocolError(errPanic)
	}
}
