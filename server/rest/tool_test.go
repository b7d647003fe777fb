package rest_test

import (
	"net/http"
	"testing"

	"mneme/acl"
)

// The calls for tools are in another package; this test validates their
// answers against the specification, as for all other calls.
func TestToolCallsAnswerAsTheSpecificationSays(t *testing.T) {
	h := open(t)
	sharer := acl.Principal{Agent: "alice", Taint: acl.Public, Share: true}
	for _, target := range []string{"/v1/tools", "/v1/tools?format=anthropic", "/v1/tools?format=openai"} {
		h.want(http.StatusOK, sharer, http.MethodGet, target, "")
	}
	h.want(http.StatusBadRequest, alice, http.MethodGet, "/v1/tools?format=x", "")
	h.want(http.StatusOK, alice, http.MethodPost, "/v1/tools/UpdateUserMemory",
		`{"action": "upsert", "name": "tea", "type": "user", "description": "green", "body": "b"}`)
	h.want(http.StatusOK, alice, http.MethodPost, "/v1/tools/memory", `{"command": "view", "path": "/etc"}`)
	h.want(http.StatusBadRequest, alice, http.MethodPost, "/v1/tools/memory", `{`)
	h.want(http.StatusNotFound, alice, http.MethodPost, "/v1/tools/none", `{}`)
	index := h.want(http.StatusOK, alice, http.MethodGet, "/v1/stores/self/MEMORY.md", "")
	h.want(http.StatusNotModified, alice, http.MethodGet, "/v1/stores/self/MEMORY.md", "", "If-None-Match", index.header.Get("ETag"))
	h.want(http.StatusForbidden, bob, http.MethodGet, "/v1/stores/alice/MEMORY.md", "")
}
