package search_test

import (
	"fmt"
	"testing"

	"mneme/acl"
	"mneme/search"
	"mneme/test/backendtest"
)

// BenchmarkPassages searches 50 entries of 4 kB with token codes, and reads ten of them
// whole and by passages.
func BenchmarkPassages(b *testing.B) {
	h := &harness{backendtest.Open(b, backendtest.Backends()[0], backendtest.Options{}, codedEncoder(b)), b}
	me := agent("a", acl.Public)
	for i := range 50 {
		h.PutText(me, "a", fmt.Sprintf("%03d", i), report("Otto's parrots eat only sunflower seeds."), 201)
	}
	h.Index()
	for name, r := range map[string]search.Request{
		"whole":    {},
		"budget":   {MaxTokens: 20_000},
		"passages": {Passages: true},
		"both":     {Passages: true, MaxTokens: 20_000},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r.Query, r.Limit = "what does Otto's parrot eat?", 10
			for b.Loop() {
				a := h.MustSearch(me, r)
				if hits, _ := h.eachHit(&a); len(hits) != 10 {
					b.Fatalf("%d hits", len(hits))
				}
			}
		})
	}
}
