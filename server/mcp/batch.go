package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mneme/server"
)

// noBatches is the first revision of the protocol without batches.
const noBatches = "2025-06-18"

// isBatch reports whether a body is a JSON array.
func isBatch(body []byte) bool { return len(body) > 0 && body[0] == '[' && json.Valid(body) }

// splitBatch returns the messages of a batch, or the error response if the
// batch is empty or exceeds most messages.
func splitBatch(body []byte, most int) (lines []json.RawMessage, fault string) {
	invalid := func(rule string) string {
		return faultAnswer(json.RawMessage("null"), jsonrpc.CodeInvalidRequest, rule)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if _, err := decoder.Token(); err != nil {
		return nil, invalid("not a batch")
	}
	for decoder.More() {
		if len(lines) == most {
			return nil, invalid(fmt.Sprintf("a batch must have at most %d messages", most))
		}
		var line json.RawMessage
		if err := decoder.Decode(&line); err != nil {
			return nil, invalid("not a batch")
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, invalid("a batch must have a message")
	}
	return lines, ""
}

// serveBatch answers the messages of a batch sequentially, so that a batch
// takes the memory and CPU of one call at a time. A call that another message
// of the batch cancels is neither made nor answered.
func (s *Surface) serveBatch(w http.ResponseWriter, r *http.Request, body []byte) error {
	if r.Header.Get("Mcp-Protocol-Version") >= noBatches {
		fault := faultAnswer(json.RawMessage("null"), jsonrpc.CodeInvalidRequest,
			"revisions of the protocol from "+noBatches+" on have no batches: send one message at a time")
		return writeJSON(w, http.StatusBadRequest, fault)
	}
	lines, fault := splitBatch(body, s.batch)
	if fault != "" {
		return writeJSON(w, http.StatusBadRequest, fault)
	}
	if err := server.Charge(r.Context(), len(lines)-1); err != nil {
		return err
	}
	cancelled := make(map[jsonrpc.ID]bool)
	for _, line := range lines {
		if message, err := jsonrpc.DecodeMessage(line); err == nil {
			if id, ok := cancelledCall(message); ok {
				cancelled[id] = true
			}
		}
	}
	before := "["
	for _, line := range lines {
		if err := r.Context().Err(); err != nil {
			return err
		}
		answer := s.answerOne(r, line, cancelled)
		if len(answer) == 0 {
			continue
		}
		if before == "[" {
			w.Header().Set("Content-Type", "application/json")
		}
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		if _, err := w.Write(answer); err != nil {
			return err
		}
		before = ","
	}
	if before == "[" { // no call was answered
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	_, err := io.WriteString(w, "]\n")
	return err
}

// answerOne returns the response to one message of a batch; none to a
// notification or a cancelled call.
func (s *Surface) answerOne(r *http.Request, line []byte, cancelled map[jsonrpc.ID]bool) []byte {
	message, fault := read(line, false)
	if fault == "" {
		request, isRequest := message.(*jsonrpc.Request)
		if isRequest && cancelled[request.ID] {
			return nil
		}
		if isRequest && request.Method == methodListen { // its response is a stream
			request.Method = ""
		}
		_, fault = faultOf(r, message)
	}
	if fault != "" {
		return []byte(strings.TrimSpace(fault))
	}
	w := &bufferedWriter{header: make(http.Header)}
	s.serveOne(w, r, line, message)
	answer := bytes.TrimSpace(w.body.Bytes())
	if len(answer) == 0 || json.Valid(answer) {
		return answer
	}
	// The SDK refuses some messages in plain text, for example for their headers or
	// an unknown method. Only calls get a response.
	request, isRequest := message.(*jsonrpc.Request)
	if !isRequest || !request.IsCall() {
		return nil
	}
	return []byte(strings.TrimSpace(faultAnswer(idOf(request), jsonrpc.CodeInvalidRequest, string(answer))))
}

// bufferedWriter buffers the response to one message.
type bufferedWriter struct {
	header http.Header
	body   bytes.Buffer
}

func (w *bufferedWriter) Header() http.Header         { return w.header }
func (w *bufferedWriter) WriteHeader(int)             {}
func (w *bufferedWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

func writeJSON(w http.ResponseWriter, status int, text string) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err := io.WriteString(w, text)
	return err
}
