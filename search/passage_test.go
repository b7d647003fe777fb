package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"mneme/acl"
	"mneme/embed/e5"
	"mneme/embed/e5/e5test"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

const minutes = "The committee discussed the budget of the coming year at length. "

// report is a value of many chunks with one sentence of interest.
func report(sentence string) string {
	return strings.Repeat(minutes, 20) + sentence + " " + strings.Repeat(minutes, 40)
}

// codedEncoder returns the built-in encoder with token codes.
func codedEncoder(t testing.TB) *e5test.CachingEmbedder {
	t.Helper()
	e, err := withCodes()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var withCodes = sync.OnceValues(func() (*e5test.CachingEmbedder, error) {
	e, err := e5.New(e5.Options{Codes: true})
	return e5test.NewCachingEmbedder(e), err
})

// eachHit returns the hits of an answer as Values shows them.
func (h *harness) eachHit(a *search.Answer) (hits []search.Hit, shown *search.Values) {
	h.t.Helper()
	shown = a.Values()
	err := shown.Each(background, func(hit *search.Hit) error {
		hits = append(hits, *hit)
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return hits, shown
}

func highlighted(text string, ranges [][2]int) (words []string) {
	for _, r := range ranges {
		words = append(words, text[r[0]:r[1]])
	}
	return words
}

func TestALongValueIsShownByThePassageThatAnswers(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		for _, codes := range []bool{false, true} {
			h := open(t, b, memory.Limits{})
			if codes {
				h = &harness{backendtest.Open(t, b, backendtest.Options{}, codedEncoder(t)), t}
			}
			me := agent("a", acl.Public)
			needle := "Otto's parrots eat only sunflower seeds."
			text := report(needle)
			h.PutText(me, "a", "report", text, 201)
			h.PutText(me, "a", "short", "The parrot of Otto is green.", 201)
			h.Index()
			a := h.MustSearch(me, search.Request{Query: "what does Otto's parrot eat?", Passages: true})
			hits, read := h.eachHit(&a)
			if len(hits) != 2 || read.Tokens() != 0 {
				t.Fatalf("%d hits, %d tokens", len(hits), read.Tokens())
			}
			for _, hit := range hits {
				if hit.Key == "short" {
					if hit.Truncated || hit.Passages != nil || !slices.Equal(highlighted("The parrot of Otto is green.", hit.Highlights), []string{"parrot", "Otto"}) {
						t.Errorf("the short value: %+v", hit)
					}
					continue
				}
				if !hit.Truncated || hit.Value != nil || hit.Highlights != nil || len(hit.Passages) == 0 {
					t.Fatalf("the long value: %+v", hit)
				}
				p := hit.Passages[0]
				if !strings.Contains(p.Text, needle) || p.Text != text[p.Start:p.End] || len(p.Text) > 700 || !strings.HasPrefix(p.Text, "The ") || !strings.HasSuffix(p.Text, ".") {
					t.Errorf("passage %+v", p)
				}
				if got := highlighted(p.Text, p.Highlights); !slices.Equal(got, []string{"Otto's", "parrots", "eat"}) {
					t.Errorf("highlights %q", got)
				}
			}
		}
	})
}

// A passage without words of the question is found by the meaning of its tokens.
func TestAPassageIsChosenByMeaningToo(t *testing.T) {
	h := &harness{backendtest.Open(t, backendtest.Backends()[0], backendtest.Options{}, codedEncoder(t)), t}
	me := agent("a", acl.Public)
	needle := "Our physician warned that walnuts make her swell up."
	h.PutText(me, "a", "report", report(needle), 201)
	h.Index()
	a := h.MustSearch(me, search.Request{Query: "which foods is she allergic to?", Passages: true})
	hits, _ := h.eachHit(&a)
	if len(hits) != 1 || !strings.Contains(hits[0].Passages[0].Text, needle) {
		t.Errorf("%+v", hits)
	}
}

// A recalled answer shows the same passages, from stores that the caller may read and from
// stores at level search.
func TestARecalledAnswerHasTheSamePassages(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := &harness{backendtest.Open(t, b, backendtest.Options{}, codedEncoder(t)), t}
		me, other := agent("a", acl.Public), agent("other", acl.Public)
		h.MustShare(other, "a", acl.Search)
		needle := "Our physician warned that walnuts make her swell up."
		h.PutText(me, "a", "report", report(needle), 201)
		h.PutText(other, "other", "report", report("Again: "+needle), 201)
		h.Index()
		for name, r := range map[string]search.Request{
			"passages": {Query: "which foods is she allergic to?", Limit: 10, Passages: true}, "max_tokens": {Query: "which foods is she allergic to?", Limit: 10, MaxTokens: 50},
		} {
			a := h.MustSearch(me, r)
			var recalled []search.Recalled
			for i := range a.Hits {
				recalled = append(recalled, search.Recalled{ID: a.Hits[i].EntryID(), Score: a.Hits[i].Score, Relevance: a.Hits[i].Relevance})
			}
			first, _ := h.shownPassages(&a)
			again, err := h.Recall(background, me, r, recalled)
			must(h, err)
			same, needles := h.shownPassages(&again)
			if !slices.Equal(first, same) || len(same) == 0 || r.Passages && needles != 2 {
				t.Errorf("%s: shows %q, then %q", name, first, same)
			}
		}
	})
}

// shownPassages returns the hits of an answer as text, and how many have the needle.
func (h *harness) shownPassages(a *search.Answer) (shown []string, needles int) {
	h.t.Helper()
	hits, _ := h.eachHit(a)
	for _, hit := range hits {
		text := fmt.Sprint(hit.Store, hit.Score, hit.Relevance, hit.Passages)
		if strings.Contains(text, "walnuts") {
			needles++
		}
		shown = append(shown, text)
	}
	return shown, needles
}

// A text of tiny lines has half as many lines as bytes: a row of numbers for each line would
// take a hundred times the memory of the text.
func TestLinesWithoutEvidenceTakeLittleMemory(t *testing.T) {
	h := &harness{backendtest.OpenOver(t, backendtest.Embedded().Open(t), backendtest.Options{}), t}
	me := agent("a", acl.Public)
	h.PutText(me, "a", "lines", "granite"+strings.Repeat("\n1", 33_000), 201)
	query := "granite"
	for i := range 36 {
		query += fmt.Sprintf(" stone%c%c", 'a'+i/6, 'k'+i%6)
	}
	a := h.MustSearch(me, search.Request{Query: query, Passages: true})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	hits, _ := h.eachHit(&a)
	runtime.ReadMemStats(&after)
	if len(hits) != 1 || !strings.HasPrefix(hits[0].Passages[0].Text, "granite") {
		t.Fatalf("%d hits", len(hits))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 11<<20 {
		t.Errorf("%d bytes for the passages of one of 99 kB", used)
	}
}

// Passages take time: once the call has ended, no more are computed.
func TestAnAnswerEndsWithItsCall(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{})
	me := agent("a", acl.Public)
	for i := range 5 {
		h.PutText(me, "a", fmt.Sprint(i), report("Granite is hard."), 201)
	}
	a := h.MustSearch(me, search.Request{Query: "granite", Passages: true})
	ctx, cancel := context.WithCancel(background)
	shown, read := 0, a.Values()
	err := read.Each(ctx, func(*search.Hit) error {
		if shown++; shown == 2 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || shown != 2 || read.LeftOut() != 3 {
		t.Errorf("%v after %d hits, %d left out", err, shown, read.LeftOut())
	}
}

// Words of all and any in a match are highlighted and choose passages like words of the
// question; words of none have no effect.
func TestExactWordsAreHighlightedAndChoosePassages(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("a", acl.Public)
		needle := "An adrenaline pen, for bee stings, and peanuts are in the blue bag."
		h.PutText(me, "a", "report", report(needle), 201)
		short := needle + " So says the committee."
		h.PutText(me, "a", "short", short, 201)
		for text, want := range map[string][]string{
			`{"all":["blue bag"]}`:                         {"blue", "bag"},
			`{"any":["Pens","absent"]}`:                    {"pen"},
			`{"all":["bee sting"],"none":["wasp"]}`:        {"bee", "stings"},
			`{"all":["pea*"]}`:                             {"peanuts"},
			`{"any":["adren*","pen in the bag","peanut"]}`: {"adrenaline", "pen", "peanuts", "bag"},
		} {
			a := h.MustSearch(me, search.Request{Query: "what of the committee?", Passages: true, Filter: memory.Filter{Match: match(text)}})
			hits, _ := h.eachHit(&a)
			if len(hits) != 2 {
				t.Fatalf("%s: %d hits", text, len(hits))
			}
			for _, hit := range hits {
				shown, ranges := short, hit.Highlights
				if hit.Key == "report" {
					shown, ranges = hit.Passages[0].Text, hit.Passages[0].Highlights
				}
				got := slices.DeleteFunc(highlighted(shown, ranges), func(word string) bool { return word == "committee" })
				if !strings.Contains(shown, needle) || !slices.Equal(got, want) {
					t.Errorf("%s, %s: %q, want %q", text, hit.Key, got, want)
				}
			}
		}
	})
}

func TestAtLevelSearchAPassageHasNoPosition(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		owner := agent("a", acl.Public)
		h.PutText(owner, "a", "report", report("Granite is quarried in Aberdeen."), 201)
		h.PutText(owner, "a", "short", "Granite is hard.", 201)
		if _, err := h.Share(background, owner, memory.ShareRequest{Store: "a", Grantee: "b", Level: acl.Search}); err != nil {
			t.Fatal(err)
		}
		a := h.MustSearch(agent("b", acl.Public), search.Request{Query: "granite", Passages: true, MaxTokens: 5000, Stores: []string{"a"}})
		hits, _ := h.eachHit(&a)
		if len(hits) != 2 {
			t.Fatalf("%d hits", len(hits))
		}
		for _, hit := range hits {
			if hit.Highlights != nil {
				t.Errorf("%s: highlights %v", hit.Key, hit.Highlights)
			}
			for _, p := range hit.Passages {
				if p.Start != 0 || p.End != 0 || !strings.Contains(p.Text, "Granite") || len(p.Highlights) != 1 {
					t.Errorf("passage %+v", p)
				}
			}
		}
	})
}

// tokensOf counts tokens like the default of memory.Options.
func tokensOf(texts ...string) (tokens int) {
	for _, text := range texts {
		tokens += (len(text) + 3) / 4
	}
	return tokens
}

func TestABudgetEndsBeforeTheFirstHitThatDoesNotFit(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("a", acl.Public)
		for i := range 12 {
			long := strings.Repeat("and nothing else ", 10*(i%3))
			h.PutText(me, "a", fmt.Sprintf("k%02d", i), "granite "+long, 201, func(r *memory.PutRequest) { r.Description = new("a note") })
		}
		request := search.Request{Query: "granite", Limit: 12}
		all := h.MustSearch(me, request)
		whole, _ := h.eachHit(&all)
		for _, most := range []int{50, 51, 75, 100, 200, 10_000} {
			request.MaxTokens = most
			a := h.MustSearch(me, request)
			hits, read := h.eachHit(&a)
			used := 0
			for i, hit := range hits {
				used += tokensOf(hit.Key, hit.Description, lexical.TextOf(hit.Value))
				if hit.Truncated || hit.Key != whole[i].Key || string(hit.Value) != string(whole[i].Value) {
					t.Errorf("%d: hit %d is %s", most, i, hit.Key)
				}
			}
			if used > most || read.Tokens() != used || read.LeftOut() != len(whole)-len(hits) {
				t.Errorf("%d: %d tokens, says %d; left out %d", most, used, read.Tokens(), read.LeftOut())
			}
			if len(hits) < len(whole) {
				next := whole[len(hits)]
				if used+tokensOf(next.Key, next.Description, lexical.TextOf(next.Value)) <= most {
					t.Errorf("%d: the answer ends before hit %d, which fits", most, len(hits))
				}
			}
		}
	})
}

func TestTheFirstHitIsCutRatherThanLeftOut(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("a", acl.Public)
		text := report("Granite is quarried in Aberdeen.")
		h.PutText(me, "a", "report", text, 201, func(r *memory.PutRequest) { r.Description = new(strings.Repeat("d", 150)) })
		h.PutText(me, "a", strings.Repeat("k", 400), "", 201, func(r *memory.PutRequest) {
			r.Value = []byte(`{"list": ["basalt"], "numbers": [` + strings.Repeat("1, ", 999) + `1]}`)
		})
		for _, passages := range []bool{false, true} {
			for _, most := range []int{50, 60, 100, 200, 1000} {
				a := h.MustSearch(me, search.Request{Query: "granite", MaxTokens: most, Passages: passages})
				hits, read := h.eachHit(&a)
				if len(hits) != 1 || read.Label() != acl.Public {
					t.Fatalf("%d hits, %v", len(hits), read.Label())
				}
				p := hits[0].Passages[0]
				if !hits[0].Truncated || !strings.Contains(p.Text, "Granite") && most > 50 || p.Text != text[p.Start:p.End] {
					t.Errorf("%d: %+v", most, hits[0])
				}
				used := tokensOf(hits[0].Key, hits[0].Description)
				for _, p := range hits[0].Passages {
					used += tokensOf(p.Text)
				}
				if read.Tokens() != used || used > most {
					t.Errorf("%d: %d tokens, says %d", most, used, read.Tokens())
				}
				if kept := hits[0].Description != ""; kept != (most >= 100) {
					t.Errorf("%d: the description is shown: %v", most, kept)
				}
			}
		}
		// Only a key that is longer exceeds a budget.
		a := h.MustSearch(me, search.Request{Query: "basalt", MaxTokens: 50})
		hits, read := h.eachHit(&a)
		if len(hits) != 1 || !hits[0].Truncated || len(hits[0].Passages) != 1 || hits[0].Passages[0].Text != "" || read.Tokens() != 100 {
			t.Errorf("%d tokens: %+v", read.Tokens(), hits)
		}
	})
}

// A budget holds for values that are read in several batches, and reading stops where it
// ends.
func TestABudgetHoldsOverBatches(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("a", acl.Public)
		for i := range 20 {
			h.PutText(me, "a", fmt.Sprintf("k%02d", i), long("granite"), 201)
		}
		for most, want := range map[int]int{60_000: 2, 250_000: 11, 1_000_000: 20} {
			a := h.MustSearch(me, search.Request{Query: "granite", Limit: 20, MaxTokens: most})
			values, read := h.values(&a, nil)
			if len(values) != want || read.LeftOut() != 20-want || read.Tokens() > most {
				t.Errorf("%d tokens: %d hits, %d left out, %d tokens", most, len(values), read.LeftOut(), read.Tokens())
			}
		}
		a := h.MustSearch(me, search.Request{Query: "granite", Limit: 20, MaxTokens: 4000, Passages: true})
		if hits, read := h.eachHit(&a); len(hits) < 10 || read.Tokens() > 4000 {
			t.Errorf("%d passages, %d tokens", len(hits), read.Tokens())
		}
	})
}

func TestAnImpossibleBudgetIsRefused(t *testing.T) {
	h := open(t, backendtest.Backends()[0], memory.Limits{})
	for _, most := range []int{-1, 1, 49} {
		_, err := h.Search(background, agent("a", acl.Public), search.Request{Query: "x", Limit: 1, MaxTokens: most})
		if status(err) != 422 || !strings.Contains(err.Error(), "max_tokens") {
			t.Errorf("%d: %v", most, err)
		}
	}
}

// For any text and question, passages are the parts of the searched text at their
// positions, and highlights are within them.
func FuzzSearchPassages(f *testing.F) {
	h := open(f, backendtest.Backends()[0], memory.Limits{})
	me := agent("a", acl.Public)
	f.Add(report("Granite is quarried in Aberdeen."), "granite", 50)
	f.Add(strings.Repeat("我住在柏林。", 200), "柏林", 60)
	f.Add(strings.Repeat("ที่นี่", 200), "ที่", 70)
	f.Add(strings.Repeat("ﬁ\u0301x ", 400), "fix", 100)
	f.Fuzz(func(t *testing.T, text, query string, most int) {
		if !utf8.ValidString(text) || !utf8.ValidString(query) || len(text) > 20_000 || most < 50 || strings.TrimSpace(query) == "" || len(query) > 1000 {
			return
		}
		h := &harness{h.For(t), t}
		value, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Put(background, me, memory.PutRequest{Path: memory.Path{Store: "a", Key: "k"}, Value: value}); err != nil {
			t.Fatal(err)
		}
		a := h.MustSearch(me, search.Request{Query: query, MaxTokens: most, Passages: true})
		hits, read := h.eachHit(&a)
		if read.Tokens() > most {
			t.Errorf("%d tokens of %d", read.Tokens(), most)
		}
		for _, hit := range hits {
			for _, p := range hit.Passages {
				if !utf8.ValidString(p.Text) || text[p.Start:p.End] != p.Text {
					t.Errorf("%d to %d: %q", p.Start, p.End, p.Text)
				}
				end := 0
				for _, r := range p.Highlights {
					if r[0] < end || r[0] >= r[1] || r[1] > len(p.Text) || !utf8.ValidString(p.Text[r[0]:r[1]]) {
						t.Errorf("highlight %v of %q", r, p.Text)
					}
					end = r[1]
				}
			}
		}
	})
}

// The nearest entries count like hits: the first is always named, the others as long as they fit.
func TestABudgetBoundsTheNearestEntries(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{})
	a := agent("a", acl.Public)
	for i := range 3 {
		h.PutText(a, "a", fmt.Sprint("ferry", i), strings.Repeat("The ferry leaves in the morning. ", 6), 0)
	}
	h.Index()
	for budget, want := range map[int]int{0: 3, search.MinTokens: 1, 130: 2, 1000: 3} {
		answer := h.MustSearch(a, search.Request{Query: "ferry", MinRelevance: 1, Nearest: search.MaxNearest, MaxTokens: budget})
		if len(answer.Hits) > 0 || len(answer.Nearest) != want {
			t.Errorf("%d tokens: %d hits and %d nearest entries, want %d", budget, len(answer.Hits), len(answer.Nearest), want)
		}
	}
}
