package search_test

import (
	"testing"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// A number and its unit match with a space and without, and variants of a character match each
// other.
func TestQuantitiesAndVariantsAreFound(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, a := open(t, b, memory.Limits{}), agent("a", acl.Public)
		for key, note := range map[string]string{
			"cable/1": "The cable to the projector is 1 m long.",
			"cable/3": "The cable to the desk is 3 m long.",
			"ram/8":   "The old laptop has 8GB of memory.",
			"ram/16":  "The new laptop has 16GB of memory.",
			"lamp":    "Die Lampe braucht 30 W.",
			"zh":      "備份資料庫在星期二執行",
			"ja":      "髙橋さんはリンゴが好きです",
			"ur":      "چابی ہال میں ہے",
		} {
			h.PutText(a, "a", key, note, 201)
		}
		h.Index()
		for query, want := range map[string]string{
			"3m cable":           "cable/3",
			"a cable of 1m":      "cable/1",
			"laptop with 16 GB":  "ram/16",
			"Lampe mit 30W":      "lamp",
			"备份数据库":              "zh",
			"高橋 りんご":             "ja",
			"\u0647\u0627\u0644": "ur", // with the Arabic heh
		} {
			for _, mode := range []search.Mode{search.ModeHybrid, search.ModeLexical} {
				hits := h.MustSearch(a, search.Request{Query: query, Mode: mode}).Hits
				if len(hits) == 0 || hits[0].Entry.Key != want {
					t.Errorf("%q by %v does not find %s first: %d hits", query, mode, want, len(hits))
				}
			}
		}
		for item, want := range map[string]string{"16 GB": "ram/16", "3m": "cable/3", "30W": "lamp", "资料库": "zh"} {
			match, err := lexical.ParseMatch([]string{item}, nil, nil)
			must(h, err)
			hits := h.MustSearch(a, search.Request{Query: "what is it?", Filter: memory.Filter{Match: match}}).Hits
			if len(hits) != 1 || hits[0].Entry.Key != want {
				t.Errorf("match %q: %d hits", item, len(hits))
			}
		}
	})
}
