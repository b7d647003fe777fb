package memory_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// A database whose texts were analyzed by an earlier version is analyzed again when it
// opens, and what is embedded otherwise now is embedded again.
func TestADatabaseOfAnEarlierAnalysisIsAnalyzedAgain(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		before := openOver(t, data, memory.Options{}, encoder(t))
		a := agent("a", acl.Public)
		// The terms and forms of the earlier version, of the strings alone.
		strings := map[string]string{"lock": "", "vet": "call the vet on +31 20 555 0147"}
		for key, value := range map[string]string{"lock": `{"bike_lock_code": 7719}`, "vet": `"Call the vet on +31 20 555 0147."`} {
			_, err := before.Put(background, a, memory.PutRequest{Path: path("a", key), Value: json.RawMessage(value)})
			must(before, err)
		}
		before.Index()
		must(before, data.Storage(t).Update(background, func(tx memory.Tx) error {
			entries, err := tx.List(background, memory.SearchableQuery{After: uuid.UUID{}, Limit: 10})
			if err != nil {
				return err
			}
			for _, e := range entries {
				doc := lexical.Analyze(strings[e.Key], e.Key)
				doc.Terms = slices.DeleteFunc(doc.Terms, func(t lexical.Term) bool { return len(t.Text) > 8 })
				doc.Forms = slices.DeleteFunc(doc.Forms, func(form string) bool { return len(form) > 8 })
				if err := tx.PutDocument(background, e, doc, time.Time{}); err != nil {
					return err
				}
			}
			if err := tx.SetMeta(background, "analysis", []byte("1")); err != nil {
				return err
			}
			return tx.SetMeta(background, "forms", []byte("1"))
		}))
		find := func(h *harness, query string) []string {
			return keys(h.MustSearch(a, search.Request{Query: query, Mode: search.ModeLexical, NoTypos: true}))
		}
		if got := find(before, "7719"); len(got) > 0 {
			t.Fatalf("the earlier version finds %q", got)
		}
		after := openOver(t, data, memory.Options{}, encoder(t))
		for query, want := range map[string]string{"7719": "lock", "bike lock code": "lock", "+31205550147": "vet"} {
			if got := find(after, query); !slices.Equal(got, []string{want}) {
				t.Errorf("%s finds %q", query, got)
			}
		}
		match, err := memory.ParseMatch(json.RawMessage(`{"all": ["020 555 0147"]}`))
		must(after, err)
		page, err := after.List(background, a, memory.ListRequest{Store: "a", Limit: 10, Filter: memory.Filter{Match: match}})
		must(after, err)
		if len(page.Items) != 1 || page.Items[0].Key != "vet" {
			t.Errorf("%d entries match", len(page.Items))
		}
		after.Index()
		found := after.MustSearch(a, search.Request{Query: "what opens the bicycle?", Mode: search.ModeVector, Explain: true})
		if hit := found.Hits[0]; hit.Key != "lock" || hit.Explain.Vector == nil {
			t.Errorf("found %s by its vector", hit.Key)
		}
	})
}
