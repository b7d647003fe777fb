package mcp

import (
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// read parses a line or a body as a message. For an invalid one it returns the
// error response, with a null ID because the ID is unknown. For an empty line
// both results are empty.
func read(line []byte, long bool) (message jsonrpc.Message, fault string) {
	answer := func(code int, message string) string { return faultAnswer(json.RawMessage("null"), code, message) }
	switch {
	case long:
		return nil, answer(jsonrpc.CodeInvalidRequest, "the message is too large")
	case len(line) == 0:
		return nil, ""
	case !json.Valid(line):
		return nil, answer(jsonrpc.CodeParseError, "not valid JSON, or nested too deeply")
	case line[0] == '[':
		return nil, answer(jsonrpc.CodeInvalidRequest, "batches are not supported: send one message at a time")
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, answer(jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message")
	}
	return message, ""
}

// faultAnswer returns an error response as a line. id is JSON.
func faultAnswer(id json.RawMessage, code int, message string) string {
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{"2.0", id, struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{code, message}})
	if err != nil { // id is no JSON: the message was decoded, so this cannot happen
		return faultAnswer(json.RawMessage("null"), code, message)
	}
	return string(text) + "\n"
}

// sessionless is the first revision of the protocol without sessions. It defines
// an HTTP status for each error.
const sessionless = "2026-07-28"

// faultOf returns the error response to a call of an unknown method. The SDK
// would answer plain text, which clients of the revisions with sessions treat
// as a connection failure.
func faultOf(r *http.Request, message jsonrpc.Message) (status int, fault string) {
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.IsCall() || known(request.Method) || r.Header.Get("Mcp-Protocol-Version") >= sessionless {
		return 0, ""
	}
	return http.StatusOK, faultAnswer(idOf(request), jsonrpc.CodeMethodNotFound, "no such method")
}

// idOf returns the ID of a call in JSON.
func idOf(request *jsonrpc.Request) json.RawMessage {
	id, err := json.Marshal(request.ID.Raw())
	if err != nil { // a string or a number, which always marshals
		return json.RawMessage("null")
	}
	return id
}
