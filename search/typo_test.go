package search_test

import (
	"slices"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

func TestWordsWithTypingErrorsAreFound(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a, above := agent("a", acl.Public), agent("a", acl.Internal)
		for key, note := range map[string]string{
			"heat": "The thermostat is set to nineteen.", "loan": "The mortgage runs until 2041.", "lamp": "The chandelier was cleaned by Wojciechowski.",
			"milk": "молоко в холодильнике", "room": "Room b4812 is locked.", "seat": "Anna likes the window seat.",
		} {
			h.PutText(a, "a", key, note, 201)
		}
		h.PutText(above, "a", "hidden", "The zirconium drum is in the cellar.", 201)
		h.Index()
		for query, want := range map[string]string{
			"termostat": "heat", "thermostatt": "heat", "tehrmostat": "heat", "mortgge": "loan", "chandelir": "lamp",
			"Wojcechovsky": "lamp", "молко": "milk",
		} {
			found := h.MustSearch(a, search.Request{Query: query, Mode: search.ModeLexical, Explain: true, Passages: true})
			if got := keys(found); !slices.Equal(got, []string{want}) {
				t.Errorf("%s finds %v", query, got)
				continue
			}
			if typos := found.Explanation.Typos; len(typos) != 1 || typos[0].Word != strings.ToLower(query) || len(typos[0].Found) == 0 {
				t.Errorf("%s: explained as %v", query, typos)
			}
			_, err := h.EachHit(background, &found, func(hit *search.Hit) error {
				if len(hit.Highlights) != 1 {
					t.Errorf("%s: highlights %v", query, hit.Highlights)
				}
				return nil
			})
			must(h, err)
			if got := keys(h.MustSearch(a, search.Request{Query: query, Mode: search.ModeLexical, NoTypos: true})); len(got) > 0 {
				t.Errorf("%s finds %v without typing errors", query, got)
			}
		}
		for _, query := range []string{"b4813", "zirconum", "zirkonjum", "window4", "set"} { // of digits, hidden, with digits, too short
			found := h.MustSearch(a, search.Request{Query: query, Mode: search.ModeLexical, Explain: true})
			if query != "set" && len(found.Hits) > 0 || len(found.Explanation.Typos) > 0 {
				t.Errorf("%s finds %v, explained as %v", query, keys(found), found.Explanation.Typos)
			}
		}
		exact := h.MustSearch(a, search.Request{Query: "thermostat", Explain: true})
		inexact := h.MustSearch(a, search.Request{Query: "thermostatt", Explain: true})
		if exact.Hits[0].Relevance <= inexact.Hits[0].Relevance || len(exact.Explanation.Typos) > 0 {
			t.Errorf("relevance %v, with a typing error %v", exact.Hits[0].Relevance, inexact.Hits[0].Relevance)
		}
	})
}

func TestALongQuestionIsReadInParts(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		h.PutText(a, "a", "seat", "Anna likes the window seat on trains.", 201)
		h.PutText(a, "a", "crane", "The harbour crane is painted green.", 201)
		h.PutText(a, "a", "offer", "The offer to the library is due in March.", 201)
		h.Index()
		talk := strings.Repeat("The weather was talked about for a while, as it always is. ", 80)
		asked := "Which colour has the crane in the harbour? "
		for place, query := range map[string]string{"start": asked + talk, "middle": talk[:len(talk)/2] + ". " + asked + talk, "end": talk + asked} {
			found := h.MustSearch(a, search.Request{Query: query, Explain: true})
			if got := keys(found); got[0] != "crane" {
				t.Errorf("asked at the %s: %v", place, got)
			}
			if n := found.Hits[0].Explain.Wording; n != 0 {
				t.Errorf("a part is wording %d", n)
			}
		}
		both := h.MustSearch(a, search.Request{Queries: []string{talk + asked, "Which seat does Anna like?"}, Explain: true})
		for _, hit := range both.Hits[:2] {
			if want := map[string]int{"crane": 0, "seat": 1}[hit.Key]; hit.Explain.Wording != want {
				t.Errorf("%s by wording %d", hit.Key, hit.Explain.Wording)
			}
		}
	})
}
