package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// BenchmarkNextToHidden checks that hidden entries do not slow a caller down. It compares calls
// about a key at which an entry of 100 kB is hidden by a higher label with calls about a key
// without an entry. It also compares searches and lists of two stores with the same visible
// entries: one of them has ten times as many hidden ones. The metrics are the medians of
// interleaved calls and their ratio, which should be near 1.
//
//	go test ./memory -run '^$' -bench NextToHidden -benchtime 4000x
func BenchmarkNextToHidden(b *testing.B) {
	for _, s := range backendtest.Storages() {
		b.Run(s.Name, func(b *testing.B) {
			h := open(b, s, memory.Limits{})
			low, high := agent("a", acl.Public), agent("a", acl.Restricted)
			for i := range 50 {
				h.PutText(high, "a", fmt.Sprint("hidden-", i), strings.Repeat("x", 99_000), 201)
				h.PutText(low, "a", fmt.Sprint("other-", i), strings.Repeat("y", 9_000), 201)
			}
			// Two stores with the same notes, one of which also has many hidden ones.
			many := open(b, s, memory.Limits{})
			for i := range 200 {
				for _, store := range []string{"alone", "beside"} {
					many.PutText(agent(store, acl.Public), store, fmt.Sprint("note-", i), fmt.Sprint("the ferry leaves at ", i), 201)
				}
			}
			for i := range 2000 {
				many.PutText(agent("beside", acl.Restricted), "beside", fmt.Sprint("note-", i), fmt.Sprint("the ferry leaves at ", i), 201)
			}
			many.Index()
			inStore := func(call func(c memory.Caller, store string)) func(key string) {
				return func(key string) {
					store := "alone"
					if strings.HasPrefix(key, "hidden-") {
						store = "beside"
					}
					call(agent(store, acl.Public), store)
				}
			}
			compare := func(name string, call func(key string)) {
				b.Run(name, func(b *testing.B) {
					var took [2][]time.Duration
					for i := 0; b.Loop(); i++ {
						for j := range 2 {
							which := (i + j) % 2
							key := [2]string{"absent-", "hidden-"}[which] + fmt.Sprint(i%50)
							began := time.Now()
							call(key)
							took[which] = append(took[which], time.Since(began))
						}
					}
					for _, t := range took {
						slices.Sort(t)
					}
					absent, hidden := took[0][len(took[0])/2], took[1][len(took[1])/2]
					b.ReportMetric(float64(absent.Nanoseconds())/1000, "absent-µs")
					b.ReportMetric(float64(hidden.Nanoseconds())/1000, "hidden-µs")
					b.ReportMetric(float64(hidden)/float64(absent), "hidden/absent")
					b.ReportMetric(0, "ns/op")
				})
			}
			compare("search", inStore(func(c memory.Caller, store string) {
				a, err := many.Search(background, c, search.Request{Query: "when does the ferry leave?", Stores: []string{store}, Limit: 10})
				if err != nil || len(a.Hits) != 10 {
					b.Fatalf("%d hits, %v", len(a.Hits), err)
				}
			}))
			compare("list", inStore(func(c memory.Caller, store string) {
				page, err := many.List(background, c, memory.ListRequest{Store: store, Limit: 50})
				if err != nil || len(page.Items) != 50 {
					b.Fatalf("%d entries, %v", len(page.Items), err)
				}
			}))
			compare("get", func(key string) { _, _ = h.Get(background, low, path("a", key)) })
			compare("versions", func(key string) { _, _ = h.Versions(background, low, path("a", key), 10, "") })
			compare("delete", func(key string) { _ = h.Delete(background, low, path("a", key), memory.Preconditions{}) })
			compare("refused put", func(key string) {
				_, _ = h.Put(background, low, memory.PutRequest{Path: path("a", key), Value: text("z"), If: memory.Preconditions{Match: []string{"*"}}})
			})
		})
	}
}

// BenchmarkPut writes new entries and new versions of one entry, with values of
// 200 bytes and of 20 kB.
//
//	go test ./memory -run '^$' -bench 'Put$' -benchtime 2000x
func BenchmarkPut(b *testing.B) {
	for _, s := range backendtest.Storages() {
		b.Run(s.Name, func(b *testing.B) {
			h := open(b, s, memory.Limits{})
			c := agent("a", acl.Public)
			for _, size := range []int{200, 20_000} {
				value := strings.Repeat("memory ", size/7)
				n := 0
				b.Run(fmt.Sprint("create/", size), func(b *testing.B) {
					for b.Loop() {
						n++
						if _, err := h.Put(background, c, memory.PutRequest{Path: path("a", fmt.Sprint(size, "-", n)), Value: text(value)}); err != nil {
							b.Fatal(err)
						}
					}
				})
				b.Run(fmt.Sprint("update/", size), func(b *testing.B) {
					for b.Loop() {
						n++
						if _, err := h.Put(background, c, memory.PutRequest{Path: path("a", fmt.Sprint("updated-", size)), Value: text(fmt.Sprint(n, value))}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
