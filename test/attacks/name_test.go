package attacks

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// times matches the times in an answer.
var times = regexp.MustCompile(`[0-9-]+T[0-9:.]+Z`)

// An agent that shares its store with an ID must not learn whether a chat has that
// ID, and must not prevent the platform from creating one.
func TestSharingNeitherClaimsNorRevealsTheIDsOfChats(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage)
		platform, mallory, alice := s.as("platform", "--scope", "platform"), s.as("mallory", "--scope", "share"), s.as("alice")
		platform.call(http.MethodPut, "/v1/chats/chat-1/participants/alice", map[string]any{}).want(t, 204)
		alice.put("k", "x").want(t, 201) // alice is a caller

		// The answers about a chat, a caller and an unknown id are the same.
		for _, grantee := range []string{"chat-1", "alice", "nobody", "chat-2"} {
			grants := "/v1/stores/self/grants/" + grantee
			made := mallory.call(http.MethodPut, grants, map[string]any{"level": "read"}).want(t, 200)
			body := decode[map[string]any](t, made)
			delete(body, "created_at")
			if want := fmt.Sprintf("map[by_platform:false grantee:%s in_effect:true label:PUBLIC level:read maker:mallory max_label:PUBLIC store_id:mallory]", grantee); fmt.Sprint(body) != want {
				t.Errorf("%s: %v, want %s", grantee, body, want)
			}
			for path, body := range map[string]func(id string) map[string]any{
				"/api/storage/memory?action=share": func(id string) map[string]any { return map[string]any{"grantee": id} },
				"/v1/tools/memory":                 func(id string) map[string]any { return map[string]any{"command": "share", "agent": id} },
			} {
				about := func(id string) string {
					reply := mallory.call(http.MethodPost, path, body(id)).want(t, 200)
					return times.ReplaceAllString(strings.ReplaceAll(string(reply.body), id, "ID"), "TIME")
				}
				if known, unknown := about(grantee), about("somebody"); known != unknown || strings.Contains(known, "Error") {
					t.Errorf("%s about %s and an unknown id: %s and %s", path, grantee, known, unknown)
				}
			}
		}

		// The platform can still create the chat, and its participants can use it.
		platform.call(http.MethodPut, "/v1/chats/chat-2/participants/alice", map[string]any{}).want(t, 204)
		alice.call(http.MethodPut, "/v1/stores/chat-2/memories/k", map[string]any{"value": "ours"}).want(t, 201)
		// A grant to a chat's ID gives no access to its participants.
		alice.call(http.MethodPut, "/v1/stores/mallory/memories/k", map[string]any{"value": "x"}).want(t, 403)
		alice.call(http.MethodDelete, "/v1/stores/mallory/grants/chat-2", nil).want(t, 403)
		mallory.call(http.MethodGet, "/v1/stores/chat-2/memories/k", nil).want(t, 403)
		mallory.call(http.MethodGet, "/v1/stores/chat-9/memories/k", nil).want(t, 403)
		// A chat cannot call, and a caller cannot become a chat.
		s.as("chat-2").call(http.MethodGet, "/v1/stores", nil).want(t, 401)
		platform.call(http.MethodPut, "/v1/chats/mallory/participants/alice", map[string]any{}).want(t, 409)
	})
}
