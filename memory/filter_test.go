package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/backend/backendtest"
	"mneme/memory"
)

// putValue writes an entry with a JSON value.
func (h *harness) putValue(c memory.Caller, store, key, value string, change ...func(*memory.PutRequest)) {
	h.t.Helper()
	r := memory.PutRequest{Path: memory.Path{Store: store, Key: key}, Value: json.RawMessage(value)}
	for _, f := range change {
		f(&r)
	}
	_, err := h.Put(background, c, r)
	must(h, err)
}

// listed returns the keys of all pages of a list, and of the export, which must
// be the same.
func (h *harness) listed(c memory.Caller, r memory.ListRequest) string {
	h.t.Helper()
	var keys, exported []string
	for {
		page, err := h.List(background, c, r)
		must(h, err)
		if len(page.Items) > r.Limit {
			h.t.Errorf("a page of %d items, at most %d", len(page.Items), r.Limit)
		}
		for _, item := range page.Items {
			keys = append(keys, item.Key)
		}
		if r.Cursor = page.Next; r.Cursor == "" {
			break
		}
	}
	if r.Prefix == "" {
		must(h, h.Export(background, c, r.Store, r.Filter, func(f memory.Found) error { exported = append(exported, f.Key); return nil }))
		if !slices.Equal(keys, exported) {
			h.t.Errorf("listed %v, exported %v", keys, exported)
		}
	}
	return strings.Join(keys, " ")
}

func TestConditionsSelectWhatIsFoundAndListed(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		tags := func(tags ...string) func(*memory.PutRequest) {
			return func(r *memory.PutRequest) { r.Tags = &tags }
		}
		h.putValue(a, "a", "one", `{"text":"a ferry to the island","price":12.50}`, tags("travel"))
		h.putValue(a, "a", "two", `{"text":"a ferry to the mainland","price":30}`, tags("travel", "draft"))
		h.putValue(a, "a", "three", `"the ferry was late"`, func(r *memory.PutRequest) { r.OccurredAt = new("2023-05-08") })
		h.putValue(a, "a", "sealed", `"c2VhbGVk"`, tags("travel"), func(r *memory.PutRequest) { r.Encrypted = new(true) })
		h.Index()
		for text, want := range map[string]string{ // what is found, and what is listed
			`{"value.price":{"lt":20}}`:                                          "one|one",
			`{"value.price":{"eq":12.5}}`:                                        "one|one",
			`{"value.price":{"exists":false}}`:                                   "three|sealed three",
			`{"not":{"value.price":{"gte":20}}}`:                                 "one three|one sealed three",
			`{"tags":{"contains":"travel"}}`:                                     "one two|one sealed two",
			`{"tags":{"contains":"travel"},"not":{"tags":{"contains":"draft"}}}`: "one|one sealed",
			`{"occurred_at":{"lt":"2023-05-09"}}`:                                "three|three",
			`{"updated_at":{"gte":"now-1h"}}`:                                    "one three two|one sealed three two",
			`{"updated_at":{"lt":"now-1h"}}`:                                     "|",
			`{"encrypted":{"eq":true}}`:                                          "|sealed",
			`{"or":[{"key":{"prefix":"t"}},{"value.price":{"eq":12.50}}]}`:       "one three two|one three two",
		} {
			filter := memory.Filter{Where: where(text)}
			found := keys(h.search(a, memory.SearchRequest{Query: "ferry", Filter: filter, Limit: 10}))
			slices.Sort(found)
			got := strings.Join(found, " ") + "|" + h.listed(a, memory.ListRequest{Store: "a", Filter: filter, Limit: 1})
			if got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
		listed := h.listed(a, memory.ListRequest{Store: "a", Prefix: "t", Filter: memory.Filter{Where: where(`{"tags":{"exists":true}}`), Tags: []string{"draft"}}, Limit: 10})
		if listed != "two" {
			t.Errorf("with a prefix and a tag: %s", listed)
		}
	})
}

func TestConditionsJudgeWhatThePathResolvesTo(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		low, high := agent("a", acl.Public), agent("a", acl.Internal)
		h.putValue(low, "a", "k", `{"words":"barometer","state":"open"}`, func(r *memory.PutRequest) { r.Type = new("project") })
		h.putValue(high, "a", "k", `{"words":"barometer","state":"done"}`, func(r *memory.PutRequest) { r.Type = new("feedback") })
		h.Index()
		for text, want := range map[string]string{
			`{"value.state":{"eq":"open"}}`: "k:", `{"value.state":{"eq":"done"}}`: ":k", `{"value.state":{"exists":true}}`: "k:k",
			`{"type":{"eq":"project"}}`: "k:", `{"label":{"eq":"INTERNAL"}}`: ":k",
		} {
			var found, listed []string
			for _, c := range []memory.Caller{low, high} {
				filter := memory.Filter{Where: where(text)}
				found = append(found, strings.Join(keys(h.search(c, memory.SearchRequest{Query: "barometer", Filter: filter, Limit: 10})), " "))
				listed = append(listed, h.listed(c, memory.ListRequest{Store: "a", Filter: filter, Limit: 10}))
			}
			if strings.Join(found, ":") != want || strings.Join(listed, ":") != want {
				t.Errorf("%s: found %q, listed %q, want %q", text, found, listed, want)
			}
		}
	})
}

func TestAListOfManyThatFitIsWholeAndInOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many entries")
	}
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		var requests []memory.PutRequest
		var want []string
		for i := range 1300 {
			key := fmt.Sprintf("%04d", i)
			if i%13 != 0 {
				want = append(want, key)
			}
			requests = append(requests, memory.PutRequest{Path: memory.Path{Store: "a", Key: key}, Value: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i%13))})
		}
		_, err := h.PutAll(background, a, requests)
		must(h, err)
		for text, want := range map[string]string{
			`{"value.n":{"gt":0}}`:   strings.Join(want, " "), // more than maxMatching, until the last pages
			`{"key":{"gte":"1290"}}`: "1290 1291 1292 1293 1294 1295 1296 1297 1298 1299",
		} {
			if got := h.listed(a, memory.ListRequest{Store: "a", Filter: memory.Filter{Where: where(text)}, Limit: 70}); got != want {
				t.Errorf("%s lists %s", text, got)
			}
		}
	})
}

func TestACursorIsOfOneCondition(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		for _, key := range []string{"k", "l", "m"} {
			h.putValue(a, "a", key, `1`)
		}
		r := memory.ListRequest{Store: "a", Limit: 1, Filter: memory.Filter{Where: where(`{"updated_at":{"gte":"now-1h"},"key":{"ne":"l"}}`)}}
		page, err := h.List(background, a, r)
		must(h, err)
		r.Cursor = page.Next
		h.Clock.Advance(time.Minute)
		r.Filter.Where = where(` { "key":{"ne":"l"} , "updated_at":{"gte":"now-1h"}}`) // the same
		page, err = h.List(background, a, r)
		if err != nil || len(page.Items) != 1 || page.Items[0].Key != "m" || page.Next != "" {
			t.Errorf("%v: %v", page, err)
		}
		for _, other := range []string{`{"updated_at":{"gte":"now-2h"},"key":{"ne":"l"}}`, `{"key":{"ne":"l"}}`} {
			r.Filter.Where = where(other)
			_, err := h.List(background, a, r)
			h.wantStatus(err, 400)
		}
	})
}
