package rest_test

import (
	"strings"
	"testing"

	"mneme/acl"
	"mneme/embed/e5/e5test"
	"mneme/indexer"
	"mneme/server/limit"
	"mneme/test/backendtest"
)

func TestTheOwnerChoosesTheModelsOfAStore(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", seat, `{"value":"by the window"}`)
	const language = "/v1/stores/alice/language"
	sharer := alice
	sharer.Share = true
	h.want(200, sharer, "PUT", "/v1/stores/self/grants/bob", `{"level":"readwrite"}`)
	h.want(200, sharer, "PUT", "/v1/stores/self/grants/carol", `{"level":"search"}`)

	chosen := h.want(200, alice, "PUT", "/v1/stores/self/language", `{"language":"multilingual"}`).json(t)
	if models, _ := chosen["models"].([]any); chosen["store_id"] != "alice" || chosen["language"] != "multilingual" || len(models) != 1 || models[0] != "multilingual" || chosen["why"] == "" {
		t.Errorf("the store that was chosen for: %v", chosen)
	}
	for _, c := range []struct {
		as     acl.Principal
		body   string
		status int
	}{
		{bob, `{"language":"english"}`, 403}, // a guest by a grant
		{agent("carol", acl.Public), `{"language":"english"}`, 403},
		{agent("dave", acl.Public), `{"language":"english"}`, 403},
		{agent("dave", acl.Public), `{"language":"german"}`, 403},
		{alice, `{"language":"german"}`, 422},
		{alice, `{}`, 400},
		{alice, `{"language":null}`, 400},
	} {
		h.want(c.status, c.as, "PUT", language, c.body)
	}
	if absent, hidden := h.want(403, bob, "PUT", "/v1/stores/nowhere/language", `{"language":"auto"}`), h.want(403, bob, "PUT", language, `{"language":"auto"}`); mask(absent.body) != mask(hidden.body) {
		t.Errorf("a store that does not exist: %s, one that bob may not choose for: %s", absent.body, hidden.body)
	}
	for _, item := range h.want(200, bob, "GET", "/v1/stores", "").items(t, "stores") {
		if want := map[string]any{"alice": "multilingual", "bob": "auto"}[item["store_id"].(string)]; item["language"] != want {
			t.Errorf("listed to bob: %v", item)
		}
	}
	for _, item := range h.want(200, agent("carol", acl.Public), "GET", "/v1/stores", "").items(t, "stores") {
		if told := item["language"] != nil || item["models"] != nil || item["why"] != nil; told != (item["store_id"] == "carol") {
			t.Errorf("listed to carol, who may search alone: %v", item)
		}
	}
	if back := h.want(200, platform, "PUT", language, `{"language":"auto"}`).json(t); back["language"] != "auto" || len(back["models"].([]any)) != 1 {
		t.Errorf("chosen by the platform: %v", back)
	}
}

// mask replaces the parts that differ between any two answers.
func mask(text string) string { return random.ReplaceAllString(text, "*") }

// One store with notes in two languages: each note is scored by the model that reads it,
// and the store lists both models, and the reason.
func TestAHitSaysItsModelAndLanguage(t *testing.T) {
	second, err := e5test.MultilingualEncoder()
	if err != nil {
		t.Fatal(err)
	}
	b := backendtest.Embedded()
	h := openOptions(t, b, backendtest.Options{Multilingual: []indexer.Model{b.Open(t).Model(t, second)}}, nil, limit.Rate{PerSecond: 1_000_000}, e5test.MustEncoder(t))
	h.want(201, alice, "PUT", seat, `{"value":"She would rather sit by the window than in the aisle."}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/brot", `{"value":"Wir backen das Brot am Samstag, wenn der Ofen noch warm ist."}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/code", `{"value":40817}`)
	drain(t, h)
	h.want(200, alice, "POST", "/v1/search", `{"query":"Wann backen wir das Brot?"}`)
	drain(t, h) // the question was in German, so the multilingual model embeds the whole store
	want := map[string][2]any{"seat": {"multilingual", "en"}, "brot": {"multilingual", "de"}, "code": {nil, nil}}
	explain := func(query string) (x map[string]map[string]any) {
		t.Helper()
		x = make(map[string]map[string]any)
		for _, hit := range h.want(200, alice, "POST", "/v1/search", `{"query":"`+query+`","explain":true}`).items(t, "hits") {
			x[hit["key"].(string)] = hit["explain"].(map[string]any)
		}
		return x
	}
	for key, x := range explain("Wann backen wir das Brot?") {
		if x["language"] != want[key][1] || want[key][0] != nil && x["model"] != want[key][0] {
			t.Errorf("asked in German: %s: model %v, language %v", key, x["model"], x["language"])
		}
	}
	want["seat"] = [2]any{"english", "en"}
	asked := explain("Where would she rather sit, 40817?")
	for key, x := range asked {
		if x["language"] != want[key][1] || want[key][0] != nil && x["model"] != want[key][0] {
			t.Errorf("asked in English: %s: model %v, language %v", key, x["model"], x["language"])
		}
	}
	if asked["seat"] == nil || asked["brot"] == nil {
		t.Fatalf("hits: %v", asked)
	}
	store := h.want(200, alice, "GET", "/v1/stores", "").items(t, "stores")[0]
	if models := store["models"].([]any); store["language"] != "auto" || len(models) != 2 || !strings.Contains(store["why"].(string), "asked in another language") {
		t.Errorf("the store: %v", store)
	}
	encoder := h.want(200, platform, "GET", "/v1/health", "").json(t)["encoder"].(map[string]any)
	stores, _ := encoder["stores"].(map[string]any)
	if encoder["multilingual"] != second.Fingerprint() || stores["english"] != 1.0 || stores["multilingual"] != 1.0 {
		t.Errorf("health: %v", encoder)
	}
	// Another agent's note in German does not affect this store.
	if encoder := h.want(200, alice, "GET", "/v1/health", "").json(t)["encoder"].(map[string]any); encoder["multilingual"] != nil || encoder["stores"] != nil {
		t.Errorf("health, to an agent: %v", encoder)
	}
}

// drain indexes the whole queue.
func drain(t *testing.T, h *harness) {
	t.Helper()
	if err := h.process.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}
