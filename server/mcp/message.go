package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// read is the message that a line or a body is, or the answer to one that is
// none. Since nobody knows its id, it has none. An empty one is neither.
func read(line []byte, long bool) (message jsonrpc.Message, fault string) {
	answer := func(code int, message string) string { return faultAnswer("null", code, message) }
	switch {
	case long:
		return nil, answer(jsonrpc.CodeInvalidRequest, "the message is too large")
	case len(line) == 0:
		return nil, ""
	case !json.Valid(line):
		return nil, answer(jsonrpc.CodeParseError, "this is not valid JSON, or nests too deep")
	case line[0] == '[':
		return nil, answer(jsonrpc.CodeInvalidRequest, "batches are not taken: send one message at a time")
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, answer(jsonrpc.CodeInvalidRequest, "this is not a JSON-RPC 2.0 message")
	}
	return message, ""
}

// faultAnswer is an error as a line. id is JSON, and message a constant.
func faultAnswer(id string, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}}`+"\n", id, code, message)
}

// sessionless is the first revision of the protocol in which each request is
// on its own, and has a status of its own for each error.
const sessionless = "2026-07-28"

// faultOf is the answer to a body that is no message, or that asks for a
// method which there is not. The SDK has bare text for it, which clients of
// the revisions with sessions take for a failure of the connection.
func faultOf(r *http.Request, body []byte) (status int, fault string) {
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' && json.Valid(body) {
		return 0, "" // a batch, which old revisions have
	}
	message, fault := read(body, false)
	if fault != "" || message == nil {
		return http.StatusBadRequest, fault
	}
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.IsCall() || known(request.Method) || r.Header.Get("Mcp-Protocol-Version") >= sessionless {
		return 0, ""
	}
	id, err := json.Marshal(request.ID.Raw())
	if err != nil {
		return 0, ""
	}
	return http.StatusOK, faultAnswer(string(id), jsonrpc.CodeMethodNotFound, "there is no such method")
}
