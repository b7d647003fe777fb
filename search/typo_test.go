package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
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
			err := found.Values().Each(background, func(hit *search.Hit) error {
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

// A question of one very long word costs no more than any other.
func TestAnEndlessWordIsNotCorrected(t *testing.T) {
	h := &harness{backendtest.OpenOver(t, backendtest.Embedded().Open(t), backendtest.Options{}), t}
	a := agent("a", acl.Public)
	h.PutText(a, "a", "seat", "Anna likes the window seat.", 201)
	allocations := testing.AllocsPerRun(1, func() { h.MustSearch(a, search.Request{Query: strings.Repeat("abcde", 400)}) })
	if allocations > 50_000 { // two for each of its 100,000 corrections would be more
		t.Errorf("%.0f allocations", allocations)
	}
}

// unlisted is a storage that fails to list terms.
type unlisted struct {
	storage.Storage
	asked *int // number of calls of Terms
}

func (u unlisted) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	return u.Storage.View(ctx, func(tx memory.ReadTx) error { return fn(unlistedTx{tx, u.asked}) })
}

type unlistedTx struct {
	memory.ReadTx
	asked *int
}

func (tx unlistedTx) Terms(context.Context, acl.Scope, memory.TermQuery) ([]string, bool, error) {
	*tx.asked++
	return nil, false, memory.ErrUnavailable
}

// The lexical leg may fail after it has corrected one word, while it corrects the next.
func TestAFailedCorrectionFailsOnlyTheLexicalLeg(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data, asked := b.Open(t), 0
		open := data.Storage
		data.Storage = func(t testing.TB) storage.Storage { return unlisted{open(t), &asked} }
		h := openOver(t, data, backendtest.Options{}, encoder(t))
		a := agent("a", acl.Public)
		h.PutText(a, "a", "heat", "The thermostat is set to nineteen.", 201)
		h.PutText(a, "a", "lamp", "The chandelier was cleaned by Wojciechowski.", 201)
		h.Index()
		for _, r := range []search.Request{
			{Query: "termostat of Wojcechovsky"}, {Queries: []string{"thermostat", "termostat of Wojcechovsky"}},
		} {
			r.Explain, r.Passages, asked = true, true, 0
			answer := h.MustSearch(a, r)
			if asked == 0 || len(answer.Hits) != 2 || !slices.Equal(answer.Degraded, []string{search.LegLexical}) {
				t.Fatalf("asked for terms %d times, %d hits, degraded %v", asked, len(answer.Hits), answer.Degraded)
			}
			for _, hit := range answer.Hits {
				if hit.Explain.Parts.Coverage != nil {
					t.Errorf("%s is scored by its words: %v", hit.Key, *hit.Explain.Parts.Coverage)
				}
			}
			if hits, _ := h.eachHit(&answer); len(hits) != 2 {
				t.Errorf("shows %d hits", len(hits))
			}
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

// Words of expired entries are no corrections, and do not count for prefixes or compounds, even
// before the entries are swept.
func TestWordsOfExpiredEntriesDoNotCount(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		h.PutText(a, "a", "lamp", "The chandelier was cleaned by Wojciechowski.", 201, ttl(time.Minute))
		h.PutText(a, "a", "heat", "The thermostat is set to nineteen.", 201)
		words := make([]string, lexical.MaxPrefixTerms)
		for i := range words {
			words[i] = fmt.Sprint("thermo", i)
		}
		h.PutText(a, "a", "many", strings.Join(words, " "), 201, ttl(time.Minute))
		misspelt := search.Request{Query: "Wojcechovsky", Mode: search.ModeLexical, Explain: true}
		prefix := memory.Filter{Match: match(`{"any":["thermo*"]}`)}
		prefixes := []search.Request{
			{Query: "nineteen", Mode: search.ModeLexical, Filter: prefix}, {Query: "nineteen", Mode: search.ModeLexical, Filter: prefix, Stores: []string{"a"}},
		}
		if answer := h.MustSearch(a, misspelt); len(answer.Hits) != 1 || len(answer.Explanation.Typos) != 1 {
			t.Errorf("before it expires: %d hits, %v", len(answer.Hits), answer.Explanation.Typos)
		}
		for _, r := range prefixes {
			if _, err := h.Search(background, a, r); status(err) != 422 {
				t.Errorf("a prefix of %d words: %v", len(words)+1, err)
			}
		}
		h.Clock.Advance(time.Minute)
		if answer := h.MustSearch(a, misspelt); len(answer.Hits) != 0 || len(answer.Explanation.Typos) != 0 {
			t.Errorf("once it has expired: %d hits, %v", len(answer.Hits), answer.Explanation.Typos)
		}
		for _, r := range prefixes {
			if got := keys(h.MustSearch(a, r)); !slices.Equal(got, []string{"heat"}) {
				t.Errorf("a prefix once others have expired: %v", got)
			}
		}
		list, err := h.List(background, a, memory.ListRequest{Store: "a", Filter: prefix, Limit: 10})
		must(h, err)
		if len(list.Items) != 1 {
			t.Errorf("listed %d", len(list.Items))
		}
	})
}

// Correcting a typing error may change the length of the question, but the explanation still has
// the original words of the times that it names.
func TestATypingErrorMovesNoDate(t *testing.T) {
	dictionary := func(text string, _ int) (tokens, end int) {
		if text == "thermostat" {
			return 1, len(text)
		}
		return 2 * len(strings.Fields(text)), len(text)
	}
	h := openWith(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{FitTokens: dictionary}})
	a := agent("a", acl.Public)
	h.PutText(a, "a", "heat", "The thermostat is set to nineteen.", 201)
	h.Index()
	for _, query := range []string{"thermostatt on 9 July 2026", "termostat on 9 July 2026"} {
		x := h.MustSearch(a, search.Request{Query: query, Explain: true}).Explanation
		if len(x.Typos) != 1 || len(x.Dates) != 1 || x.Dates[0].Text != "9 July 2026" {
			t.Errorf("%s: typos %v, dates %+v", query, x.Typos, x.Dates)
		}
	}
}
