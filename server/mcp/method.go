package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Methods of the protocol, by whether the server declares their capability. The
// SDK would answer some undeclared ones too, for example with an empty list of
// prompts.
var (
	declared = []string{
		"initialize", "notifications/initialized", "ping", "server/discover", methodList, methodCall,
		"resources/list", "resources/templates/list", "resources/read",
		"notifications/cancelled", "notifications/progress", "notifications/roots/list_changed", "subscriptions/listen",
	}
	undeclared = []string{
		"prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
	}
)

// known reports whether the protocol defines a method.
func known(method string) bool {
	return slices.Contains(declared, method) || slices.Contains(undeclared, method)
}

// Methods that need tools.
const (
	methodCall = "tools/call"
	methodList = "tools/list"
)

func everyTool(string) bool { return true }

func noTool(string) bool { return false }

// toolsOf returns the tools that a server for one message needs, or nil for none. The SDK
// decodes the schemas of each tool that is added, which takes longer than most calls.
func toolsOf(message jsonrpc.Message) (needs func(name string) bool) {
	request, ok := message.(*jsonrpc.Request)
	switch {
	case ok && request.Method == methodList:
		return everyTool
	case ok && request.Method == methodCall:
		var name string
		var params map[string]json.RawMessage // a struct would also match "Name"
		if json.Unmarshal(request.Params, &params) == nil && json.Unmarshal(params["name"], &name) == nil && name != "" {
			return func(tool string) bool { return tool == name }
		}
		return everyTool // the SDK decides about malformed messages
	}
	return noTool
}

// refuseUndeclared answers the methods of undeclared capabilities like unknown
// methods.
func refuseUndeclared(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if slices.Contains(undeclared, method) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this server has no " + method}
		}
		return next(ctx, method, r)
	}
}

// listing removes the tools whose names unlisted returns from lists of tools.
func listing(unlisted func() map[string]bool) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, r)
			if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
				left := unlisted()
				list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return left[t.Name] })
			}
			return result, err
		}
	}
}

// Meter counts requests; see server.Metrics.
type Meter interface {
	MCPRequest(method, outcome string, took time.Duration)
}

// counted counts a server's requests by method. A method that the protocol does
// not define counts as "other".
func counted(meter Meter) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			start := time.Now()
			result, err := next(ctx, method, r)
			if !known(method) {
				method = "other"
			}
			meter.MCPRequest(method, outcomeOf(err), time.Since(start))
			return result, err
		}
	}
}

// outcomeOf returns the outcome of a request: "refused" for an error of the
// client, "failed" for an internal error or a cancelled request.
func outcomeOf(err error) string {
	var wire *jsonrpc.Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &wire) && wire.Code == jsonrpc.CodeInternalError, errors.Is(err, context.Canceled):
		return "failed"
	}
	return "refused"
}
