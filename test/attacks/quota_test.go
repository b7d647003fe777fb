package attacks

import (
	"net/http"
	"strings"
	"testing"
)

// A refusal to another agent must not reveal the size of the owner's entries that the
// agent cannot see.
func TestRefusalsDoNotRevealHiddenBytes(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage, config("limits:\n  bytes: 10000\n"))
		outcomes := make(map[string]string)
		for _, owner := range []string{"owner", "hoarder"} {
			o, mallory := s.as(owner, "--scope", "share"), s.as("mallory")
			o.put("shared", "hello").want(t, 201)
			if owner == "hoarder" { // an entry that nobody else can see, at the same label
				o.call(http.MethodPut, memories+"private", map[string]any{"value": strings.Repeat("x", 9000), "in_context": false}).want(t, 201)
			}
			o.call(http.MethodPut, "/v1/stores/self/grants/mallory", map[string]any{"level": "readwrite"}).want(t, 200)
			for _, size := range []int{100, 2000, 5000, 9000, 20_000} {
				got := mallory.call(http.MethodPut, "/v1/stores/"+owner+"/memories/shared", map[string]any{"value": strings.Repeat("y", size)})
				outcomes[owner] += http.StatusText(got.status) + "\n"
			}
		}
		if outcomes["owner"] != outcomes["hoarder"] {
			t.Errorf("the refusals depend on hidden entries:\n%s\n%s", outcomes["owner"], outcomes["hoarder"])
		}
		if !strings.HasSuffix(outcomes["owner"], "OK\nToo Many Requests\n") {
			t.Errorf("the writer's own limit is not enforced:\n%s", outcomes["owner"])
		}
	})
}
