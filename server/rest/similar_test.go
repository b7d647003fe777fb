package rest_test

import (
	"testing"

	"mneme/acl"
)

// With similar=true a write names readable entries that say nearly the same; without it, or
// if they are unknown, it names none.
func TestAWriteNamesSimilarEntriesIfAsked(t *testing.T) {
	h := openIndexing(t)
	const at = "/v1/stores/self/memories/"
	public, internal := agent("anna", acl.Public), agent("anna", acl.Internal)
	h.want(201, public, "PUT", at+"bees?wait=indexed", `{"value":"Anna is allergic to bees.","description":"what to avoid"}`)
	h.want(201, internal, "PUT", at+"secret?wait=indexed", `{"value":"Anna is allergic to bees."}`)
	got := h.want(201, public, "PUT", at+"allergy?similar=true", `{"value":"Anna is allergic to bees, wasps too."}`).json(t)
	similar, _ := got["similar"].([]any)
	if got["indexed"] != true || len(similar) != 1 {
		t.Fatalf("the answer to a write: %v", got)
	}
	first := similar[0].(map[string]any)
	if first["key"] != "bees" || first["namespace"] != "" || first["label"] != "PUBLIC" || first["description"] != "what to avoid" ||
		first["relevance"].(float64) < 0.5 || len(first) != 5 {
		t.Errorf("similar: %v", first)
	}
	if got := h.want(201, public, "PUT", at+"plumber?similar=true", `{"value":"The plumber comes on Thursday."}`).json(t); len(got["similar"].([]any)) != 0 {
		t.Errorf("the plumber: %v", got["similar"])
	}
	for target, body := range map[string]string{
		"b1": `{"value":"Anna is allergic to bees."}`, "b2?similar=false": `{"value":"Anna is allergic to bees."}`,
		"b3?wait=indexed":   `{"value":"Anna is allergic to bees."}`,
		"b4?similar=true":   `{"value":"Anna is allergic to bees.","encrypted":true}`,
		"b5?similar=true":   `{"value":"Anna is allergic to bees.","in_context":false}`,
		"%2E2?similar=true": `{"value":"!"}`,
	} {
		if got := h.want(201, public, "PUT", at+target, body).json(t); got["similar"] != nil {
			t.Errorf("%s: %v", target, got)
		}
	}
	for _, query := range []string{"similar=maybe", "similar=true&similar=true", "similar=3"} {
		h.want(400, public, "PUT", at+"bees?"+query, `{"value":"x"}`)
	}
}

func TestAWriteWithoutAModelKnowsNothingSimilar(t *testing.T) {
	h := open(t)
	if got := h.want(201, alice, "PUT", seat+"?similar=true", `{"value":"x"}`).json(t); got["indexed"] != false || got["similar"] != nil {
		t.Errorf("%v", got)
	}
}
