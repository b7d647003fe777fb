package search_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// A picture in a text is stored byte for byte, but searches neither find nor show it.
func TestDataURLsAreNeitherFoundNorShown(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h, a := open(t, b, memory.Limits{}), agent("a", acl.Public)
		url := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00\x10\x83 pixels", 20)))
		values := map[string]string{
			"note":  `"The gate of the garden: ` + url + ` is painted blue."`,
			"turn":  `{"role":"user","content":[{"text":"This gate is in the garden."},{"url":"` + url + `"}]}`,
			"plain": `"The garden has a gate."`,
		}
		for key, value := range values {
			_, err := h.Put(background, a, memory.PutRequest{Path: path("a", key), Value: json.RawMessage(value)})
			must(h, err)
		}
		h.Index()
		for _, word := range []string{"AIBwaXhlbHM", url[len("data:image/png;base64,"):], url} {
			for _, hit := range h.MustSearch(a, search.Request{Query: word, Mode: search.ModeLexical, NoTypos: true}).Hits {
				if hit.Key != "note" && hit.Key != "turn" || word != url { // whose media type is a word
					t.Errorf("%.30s finds %s", word, hit.Key)
				}
			}
		}
		for name, r := range map[string]search.Request{"passages": {Passages: true}, "a budget": {MaxTokens: 500}} {
			r.Query = "where is the gate in the garden?"
			answer := h.MustSearch(a, r)
			hits, _ := h.eachHit(&answer)
			if len(hits) != len(values) {
				t.Fatalf("%s: %d hits", name, len(hits))
			}
			for _, hit := range hits {
				if hit.Key == "plain" {
					if hit.Truncated || string(hit.Value) != values["plain"] {
						t.Errorf("%s: the text without a picture: %+v", name, hit)
					}
					continue
				}
				if hit.Value != nil || len(hit.Passages) == 0 || !hit.Truncated {
					t.Errorf("%s: %s is not shown by passages", name, hit.Key)
				}
				text := ""
				for _, p := range hit.Passages {
					text += p.Text + "\n"
				}
				if strings.Contains(text, "base64") || !strings.Contains(text, "[image/png, 200 B]") || !strings.Contains(text, "gate") {
					t.Errorf("%s: %s is shown as %q", name, hit.Key, text)
				}
			}
		}
		for key, value := range values {
			found, err := h.Get(background, a, path("a", key))
			must(h, err)
			if string(found.Value) != value {
				t.Errorf("%s has %s", key, found.Value)
			}
		}
	})
}
