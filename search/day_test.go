package search_test

import (
	"testing"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// A day is the same in every notation.
func TestDaysInTextsAreFound(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := open(t, b, memory.Limits{}), agent("a", acl.Public)
		for key, note := range map[string]string{
			"boiler":  "On 9 July 2026 the boiler was replaced.",
			"roof":    "On 12 July 2026 the roof was checked.",
			"chimney": "The chimney was swept on 2026-08-03.",
			"garten":  "Am 9. September 2026 wurde das Gartentor repariert.",
			"release": "Release 9.7.2026 of the parser fixes quoted commas.",
		} {
			h.PutText(a, "a", key, note, 201)
		}
		h.Index()
		for query, want := range map[string]string{
			"what was done on 2026-07-09?":   "boiler",
			"July 9th, 2026":                 "boiler",
			"9. Juli 2026":                   "boiler",
			"what happened on 3 August 2026": "chimney",
			"le 9 septembre 2026":            "garten",
			"parser release 9.7.2026":        "release",
		} {
			for _, mode := range []search.Mode{search.ModeHybrid, search.ModeLexical} {
				hits := h.MustSearch(a, search.Request{Query: query, Mode: mode}).Hits
				if len(hits) == 0 || hits[0].Entry.Key != want {
					t.Errorf("%q by %v does not find %s first: %d hits", query, mode, want, len(hits))
				}
			}
		}
		for item, want := range map[string]string{"2026-07-09": "boiler", "July 12th, 2026": "roof", "3. August 2026": "chimney", "2026-09-09": "garten", "9.7.2026": "release"} {
			match, err := lexical.ParseMatch([]string{item}, nil, nil)
			must(h, err)
			hits := h.MustSearch(a, search.Request{Query: "what is it?", Filter: memory.Filter{Match: match}}).Hits
			if len(hits) != 1 || hits[0].Entry.Key != want {
				t.Errorf("match %q: %d hits", item, len(hits))
			}
		}
	})
}
