package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/fusion"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// openDiary opens a store with notes on some days, and a few without a day.
func openDiary(t *testing.T, b backendtest.Backend) (*harness, memory.Caller) {
	h := openOver(t, b.Open(t), backendtest.Options{}, codedEncoder(t))
	c := agent("anna", acl.Public)
	for key, e := range map[string][2]string{
		"gate":     {"Repaired the garden gate with the neighbour.", "2026-07-09"},
		"call":     {"Called the joiner about the gate.", "2026-07-09T07:30:00Z"},
		"dentist":  {"Dentist, then lunch with the choir.", "2026-07-10"},
		"tyres":    {"Changed the winter tyres.", "2025-11-18"},
		"council1": {"Meeting with the council: the playground gets new swings.", "2026-03"},
		"council2": {"Meeting with the council: parking fees rise.", "2026-04"},
		"boiler":   {"On 3 August 2026 the boiler was replaced.", ""},
		"bees":     {"Anna is allergic to bees and carries an adrenaline pen.", ""},
	} {
		h.PutText(c, "anna", key, e[0], 201, happenedOn(e[1]))
	}
	h.Index()
	return h, c
}

func TestAQuestionOnlyForATimeFindsTheEntriesOfThatTime(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, c := openDiary(t, b)
		for query, want := range map[string][]string{
			"What did I do on 9 July 2026?":            {"gate", "call"},
			"Was war am 9. Juli 2026?":                 {"gate", "call"},
			"2026-07-10":                               {"dentist"},
			"what happened between 8 and 10 July 2026": {"gate", "call", "dentist"},
			"what was in November 2025?":               {"tyres"},
			"what did I do in 2025?":                   {"tyres"},
			"what happened on August 3rd, 2026?":       {"boiler"},
			"what was in March 2026?":                  {"council1"},
		} {
			for _, mode := range []search.Mode{search.ModeHybrid, search.ModeLexical} {
				a := h.MustSearch(c, search.Request{Query: query, Limit: 10, Mode: mode})
				if got := keys(a); !slices.Equal(got, want) {
					t.Errorf("%s (%s): %v, want %v", query, mode, got, want)
				}
			}
			var all []string
			for r := (search.Request{Query: query, Limit: 1}); len(all) <= len(want); {
				page := h.MustSearch(c, r)
				all = append(all, keys(page)...)
				_, values := h.values(&page, nil)
				var err error
				if r.Cursor, err = values.Next(0); err != nil || r.Cursor == "" {
					must(h, err)
					break
				}
			}
			if !slices.Equal(all, want) {
				t.Errorf("%s, page by page: %v, want %v", query, all, want)
			}
		}
	})
}

// If no entry is of the time, the answer names the nearest day that has an entry which the
// caller may see, in the caller's zone.
func TestATimeWithoutEntriesNamesTheNearestDay(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, c := openDiary(t, b)
		h.PutText(agent("anna", acl.Restricted), "anna", "secret", "Restricted business.", 201, happenedOn("2026-06-02"))
		h.Index()
		for _, q := range []struct {
			query, zone, day string
			taint            acl.Label
		}{
			{"what did I do on 18 June 2026?", "", "2026-07-09", acl.Public},
			{"what did I do on 18 June 2026?", "", "2026-06-02", acl.Restricted},
			{"what did I do on 12 July 2026?", "", "2026-07-10", acl.Public},
			{"what happened in January 1999?", "", "2025-11-18", acl.Public},
			{"what did I do on 20 March 2026?", "Pacific/Auckland", "", acl.Public}, // an entry of the month may be of that day
		} {
			c.Taint = q.taint
			a := h.MustSearch(c, search.Request{Query: q.query, Limit: 10, Filter: memory.Filter{Timezone: q.zone}})
			if a.NothingThen != (q.day != "") || a.NearestDay.String() != q.day || a.NothingThen && len(a.Hits) > 0 {
				t.Errorf("%s at %s: nothing then: %v, nearest %s, %d hits; want %q", q.query, q.taint, a.NothingThen, a.NearestDay, len(a.Hits), q.day)
			}
			if a.NothingThen && a.Label != q.taint {
				t.Errorf("%s: the answer has label %s", q.query, a.Label)
			}
		}
		c.Taint = acl.Public
		empty := h.MustSearch(agent("other", acl.Public), search.Request{Query: "what did I do on 9 July 2026?", Limit: 10})
		if len(empty.Hits) > 0 || !empty.NearestDay.IsZero() {
			t.Errorf("another agent gets %v, %s", keys(empty), empty.NearestDay)
		}
	})
}

// Numbers that begin with the digits of a day are not days, however many a store has.
func TestManyNumbersInAStoreDoNotAffectQuestionsForTimes(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, c := openDiary(t, b)
		other := agent("other", acl.Public)
		var numbers strings.Builder
		for n := range lexical.MaxPrefixTerms + 50 {
			fmt.Fprintf(&numbers, "202608%06d ", n)
		}
		h.PutText(other, "other", "numbers", numbers.String(), 201)
		h.MustShare(other, "anna", acl.Read)
		h.Index()
		for _, stores := range [][]string{{"anna", "other"}, {"other"}} {
			a := h.MustSearch(c, search.Request{Query: "what happened in August 2026?", Stores: stores, Limit: 10})
			if got := keys(a); slices.Contains(got, "boiler") != (len(stores) == 2) || slices.Contains(got, "numbers") {
				t.Errorf("%v: %v", stores, got)
			}
		}
	})
}

func TestEntriesOfTheNamedTimeAreMoreRelevant(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, c := openDiary(t, b)
		for query, want := range map[string]string{
			"what did the council meeting in March 2026 decide?": "council1",
			"council meeting April 2026":                         "council2",
			"who did I have lunch with on 10 July 2026?":         "dentist",
		} {
			a := h.MustSearch(c, search.Request{Query: query, Limit: 10, Explain: true})
			if got := keys(a); got[0] != want {
				t.Errorf("%s: %v", query, got)
			}
			x := a.Hits[0].Explain
			if x.Dates == nil || x.Dates.Rank != 1 || !slices.ContainsFunc(x.Summands, func(s fusion.Summand) bool { return s.Name == "date" && s.Value > 0 }) {
				t.Errorf("%s: %+v, %v", query, x.Dates, x.Summands)
			}
			if read := a.Explanation.Dates; len(read) != 1 || !strings.Contains(query, read[0].Text) || read[0].Until.Sub(*read[0].From) < 24*time.Hour {
				t.Errorf("%s: the times are read as %+v", query, read)
			}
			plain := h.MustSearch(c, search.Request{Query: query, Limit: 10, NoDates: true, Explain: true})
			if plain.Explanation.Dates != nil || plain.Hits[0].Explain.Dates != nil {
				t.Errorf("%s: without dates it is read as %+v", query, plain.Explanation.Dates)
			}
		}
		// A question that names no time has the same answer with no_dates.
		with, without := h.MustSearch(c, search.Request{Query: "is Anna allergic to bees?", Limit: 10}), h.MustSearch(c, search.Request{Query: "is Anna allergic to bees?", Limit: 10, NoDates: true})
		if fmt.Sprint(relevanceByKey(with)) != fmt.Sprint(relevanceByKey(without)) {
			t.Errorf("%v, without dates %v", relevanceByKey(with), relevanceByKey(without))
		}
	})
}

// At level search dates are only words: a question only for a time finds no further entries,
// and its answer names no day.
func TestAtLevelSearchDatesAreWords(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openOver(t, b.Open(t), backendtest.Options{}, codedEncoder(t))
		owner, reader := agent("owner", acl.Public), agent("reader", acl.Public)
		h.PutText(owner, "owner", "of then", "Repaired the garden gate.", 201, happenedOn("2026-07-09"))
		h.PutText(owner, "owner", "of another time", "Repaired the garden fence.", 201, happenedOn("2026-01-01"))
		h.PutText(reader, "reader", "own", "The gate squeaks.", 201, happenedOn("2024-01-01"))
		h.MustShare(owner, "reader", acl.Search)
		h.Index()
		for _, query := range []string{"what did I do on 9 July 2026?", "what did I do on 3 May 1999?"} {
			a := h.MustSearch(reader, search.Request{Query: query, Stores: []string{"owner"}, Limit: 10})
			if len(a.Hits) != 2 || a.NothingThen || !a.NearestDay.IsZero() {
				t.Errorf("%s: %v, nothing then: %v, nearest %s", query, keys(a), a.NothingThen, a.NearestDay)
			}
			if a = h.MustSearch(reader, search.Request{Query: query, Limit: 10}); slices.Contains(keys(a), "own") || len(a.Hits) != 2 {
				t.Errorf("%s of all stores: %v", query, keys(a))
			}
		}
	})
}

func TestWhichQuestionsAskOnlyForATime(t *testing.T) {
	for rest, want := range map[string]bool{
		"what did I do": true, "what happened": true, "": true, "was habe ich gemacht": true, "¿qué hice?": true,
		"qu'est-ce que j'ai fait": true, "は何をしましたか": true, "list everything": true,
		"where did we go": false, "who called": false, "what did the council decide": false, "what did I write": true,
		"wo war ich": false, "how many": false, "the boiler": false,
	} {
		if got := lexical.AsksWhatHappened(rest); got != want {
			t.Errorf("%q: %v", rest, got)
		}
	}
}
