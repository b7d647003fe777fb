package memory_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
	"mneme/test/size"
)

// listed returns the keys on all pages of a list. It checks that the export has the same keys.
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
		h.PutJSON(a, "a", "one", `{"text":"a ferry to the island","price":12.50}`, tags("travel"))
		h.PutJSON(a, "a", "two", `{"text":"a ferry to the mainland","price":30}`, tags("travel", "draft"))
		h.PutJSON(a, "a", "three", `"the ferry was late"`, func(r *memory.PutRequest) { r.OccurredAt = new("2023-05-08") })
		h.PutJSON(a, "a", "sealed", `"c2VhbGVk"`, tags("travel"), func(r *memory.PutRequest) { r.Encrypted = new(true) })
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
			found := keys(h.MustSearch(a, search.Request{Query: "ferry", Filter: filter, Limit: 10}))
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

// A date as a bound stands for the whole day, in the zone of the request. An event with a date
// only happened on that date in every zone.
func TestBoundsOfADateAreWholeInTheZoneOfTheRequest(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		for key, occurred := range map[string]string{
			"day": "2023-06-30", "month": "2023-06", "year": "2023", "noon": "2023-06-30T12:00:00Z", "late": "2023-06-30T23:30:00Z", "none": "",
		} {
			h.PutJSON(a, "a", key, `"the ferry"`, func(r *memory.PutRequest) { r.OccurredAt = &occurred })
		}
		h.Index()
		for _, c := range [][3]string{ // a condition, a zone, and the matches
			{`{"lte":"2023-06-30"}`, "", "day late month noon year"},
			{`{"lt":"2023-06-30"}`, "", "month year"},
			{`{"gt":"2023-06-30"}`, "", ""},
			{`{"gt":"2023-06-29"}`, "", "day late noon"},
			{`{"gte":"2023-06-30"}`, "", "day late noon"},
			{`{"eq":"2023-06-30"}`, "", "day late noon"},
			{`{"ne":"2023-06-30"}`, "", "month none year"},
			{`{"eq":"2023-06"}`, "", "day late month noon"},
			{`{"eq":"2023"}`, "", "day late month noon year"},
			{`{"gt":"2023-05","lt":"2023-07"}`, "", "day late month noon"},
			{`{"in":["2022","2023-06-30T12:00"]}`, "", "noon"},
			{`{"nin":["2022","2023-06"]}`, "", "none year"},
			{`{"eq":"2023-06-30"}`, "Asia/Tokyo", "day noon"}, // 1 July begins there at 15:00 UTC
			{`{"eq":"2023-07-01"}`, "Asia/Tokyo", "late"},
			{`{"ne":"2023-06-30"}`, "Asia/Tokyo", "late month none year"},
			{`{"lte":"2023-06-30"}`, "Asia/Tokyo", "day month noon year"},
			{`{"eq":"2023-06"}`, "-12:00", "day late month noon"}, // the month begins there at 12:00 UTC
			{`{"in":["2023-06-30T21:00","2020"]}`, "Asia/Tokyo", "noon"},
			{`{"eq":"2023-06-30T12:00:00Z"}`, "Asia/Tokyo", "noon"},
		} {
			filter := memory.Filter{Where: where(`{"occurred_at":` + c[0] + `}`), Timezone: c[1]}
			found := keys(h.MustSearch(a, search.Request{Query: "ferry", Filter: filter, Limit: 10}))
			slices.Sort(found)
			if got := strings.Join(found, " "); got != c[2] {
				t.Errorf("%s in %q finds %q, want %q", c[0], c[1], got, c[2])
			}
			if got := h.listed(a, memory.ListRequest{Store: "a", Filter: filter, Limit: 1}); got != c[2] {
				t.Errorf("%s in %q lists %q, want %q", c[0], c[1], got, c[2])
			}
			var exported []string
			must(h, h.Export(background, a, "a", filter, func(f memory.Found) error {
				exported = append(exported, f.Key)
				return nil
			}))
			if got := strings.Join(exported, " "); got != c[2] {
				t.Errorf("%s in %q exports %q, want %q", c[0], c[1], got, c[2])
			}
		}
		unknown := memory.Filter{Timezone: "Mars/Olympus"}
		_, searched := h.Search(background, a, search.Request{Query: "ferry", Filter: unknown, Limit: 10})
		_, listed := h.List(background, a, memory.ListRequest{Store: "a", Filter: unknown, Limit: 10})
		exported := h.Export(background, a, "a", unknown, func(memory.Found) error { return nil })
		for name, err := range map[string]error{"a search": searched, "a list": listed, "an export": exported} {
			var broken *memory.RuleError
			if !errors.As(err, &broken) || broken.Field != "timezone" || strings.Contains(err.Error(), "Mars") {
				t.Errorf("%s in an unknown zone: %v", name, err)
			}
		}
	})
}

func TestConditionsJudgeWhatThePathResolvesTo(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		low, high := agent("a", acl.Public), agent("a", acl.Internal)
		h.PutJSON(low, "a", "k", `{"words":"barometer","state":"open"}`, func(r *memory.PutRequest) { r.Type = new("project") })
		h.PutJSON(high, "a", "k", `{"words":"barometer","state":"done"}`, func(r *memory.PutRequest) { r.Type = new("feedback") })
		h.Index()
		for text, want := range map[string]string{
			`{"value.state":{"eq":"open"}}`: "k:", `{"value.state":{"eq":"done"}}`: ":k", `{"value.state":{"exists":true}}`: "k:k",
			`{"type":{"eq":"project"}}`: "k:", `{"label":{"eq":"INTERNAL"}}`: ":k",
		} {
			var found, listed []string
			for _, c := range []memory.Caller{low, high} {
				filter := memory.Filter{Where: where(text)}
				found = append(found, strings.Join(keys(h.MustSearch(c, search.Request{Query: "barometer", Filter: filter, Limit: 10})), " "))
				listed = append(listed, h.listed(c, memory.ListRequest{Store: "a", Filter: filter, Limit: 10}))
			}
			if strings.Join(found, ":") != want || strings.Join(listed, ":") != want {
				t.Errorf("%s: found %q, listed %q, want %q", text, found, listed, want)
			}
		}
	})
}

func TestAListOfManyMatchesIsCompleteAndInOrder(t *testing.T) {
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

func TestACursorIsBoundToItsCondition(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		a := agent("a", acl.Public)
		for _, key := range []string{"k", "l", "m"} {
			h.PutJSON(a, "a", key, `1`)
		}
		r := memory.ListRequest{Store: "a", Limit: 1, Filter: memory.Filter{Where: where(`{"updated_at":{"gte":"now-1h"},"key":{"ne":"l"}}`)}}
		page, err := h.List(background, a, r)
		must(h, err)
		r.Cursor = page.Next
		h.Clock.Advance(time.Minute)
		r.Filter.Where = where(` { "key":{"ne":"l"} , "updated_at":{"gte":"now-1h"}}`) // the same condition
		page, err = h.List(background, a, r)
		if err != nil || len(page.Items) != 1 || page.Items[0].Key != "m" || page.Next != "" {
			t.Errorf("%v: %v", page, err)
		}
		for _, other := range []string{`{"updated_at":{"gte":"now-2h"},"key":{"ne":"l"}}`, `{"key":{"ne":"l"}}`} {
			r.Filter.Where = where(other)
			_, err := h.List(background, a, r)
			h.WantStatus(err, 400)
		}
		r.Filter = memory.Filter{Where: where(`{"updated_at":{"gte":"now-1h"},"key":{"ne":"l"}}`), Timezone: "Europe/Berlin"}
		_, err = h.List(background, a, r)
		h.WantStatus(err, 400)
	})
}

// Conditions on values, and phrases, read values up to a limit. A value is not read if other
// fields exclude its entry. When a limit is reached, the error names the option and the limit.
func TestConditionsWithinValuesReadALimitedAmount(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		value := func(i int) string {
			return fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("a ferry at dawn ", 3))
		}
		h := open(t, b, memory.Limits{Conditions: memory.ConditionLimits{Bytes: int64(25 * len(value(10)))}})
		a, hog := agent("a", acl.Public), agent("hog", acl.Public)
		for i := range 40 {
			h.PutJSON(hog, "hog", fmt.Sprint("k", i), value(i), func(r *memory.PutRequest) { r.Tags = &[]string{fmt.Sprint("t", i%4)} })
		}
		for i := range 10 {
			h.PutJSON(a, "a", fmt.Sprint("k", i), value(i))
		}
		h.Index()
		within, phrase := memory.Filter{Where: where(`{"value.n":{"eq":-1}}`)}, memory.Filter{}
		var err error
		phrase.Match, err = memory.NewMatch(nil, []string{`"dawn at"`}, nil)
		must(h, err)
		refused := func(what string, err error, option string) {
			t.Helper()
			var broken *memory.RuleError
			if !errors.As(err, &broken) || broken.Field != option || !strings.Contains(broken.Rule, "condition_bytes") {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, err = h.Search(background, hog, search.Request{Query: "ferry", Filter: within, Limit: 10})
		refused("a search", err, "where")
		_, err = h.List(background, hog, memory.ListRequest{Store: "hog", Filter: within, Limit: 10})
		refused("a list", err, "where")
		refused("an export", h.Export(background, hog, "hog", within, func(memory.Found) error { return nil }), "where")
		_, err = h.List(background, hog, memory.ListRequest{Store: "hog", Filter: phrase, Limit: 10})
		refused("a phrase", err, "match")

		if got := h.listed(a, memory.ListRequest{Store: "a", Filter: within, Limit: 10}); got != "" {
			t.Errorf("another agent lists %q", got)
		}
		narrow := memory.Filter{Where: where(`{"value.n":{"gte":20}}`), Tags: []string{"t1"}}
		if got := h.listed(hog, memory.ListRequest{Store: "hog", Filter: narrow, Limit: 10}); got != "k21 k25 k29 k33 k37" {
			t.Errorf("with a tag the list is %q", got)
		}
		if got := len(h.MustSearch(hog, search.Request{Query: "ferry", Filter: narrow, Limit: 10}).Hits); got != 5 {
			t.Errorf("with a tag a search finds %d", got)
		}
	})
}

func TestConditionsWithinValuesTakeALimitedTime(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Conditions: memory.ConditionLimits{Time: 1}})
		a := agent("a", acl.Public)
		h.PutJSON(a, "a", "k", `{"n":1}`)
		_, err := h.List(background, a, memory.ListRequest{Store: "a", Filter: memory.Filter{Where: where(`{"value.n":{"eq":1}}`)}, Limit: 10})
		if err == nil || !strings.Contains(err.Error(), "of reading values") {
			t.Errorf("a nanosecond: %v", err)
		}
		if got := h.listed(a, memory.ListRequest{Store: "a", Filter: memory.Filter{Where: where(`{"key":{"eq":"k"}}`)}, Limit: 10}); got != "k" {
			t.Errorf("without values: %q", got)
		}
	})
}

// A page of long values is read in several batches. Each value is read for the condition at
// most twice, however many batches there are.
func TestBatchesOfAPageDoNotReadAllValuesAgain(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		entries := size.Of(40, 100)
		value := `{"n":1,"text":"` + strings.Repeat("a ferry at dawn ", 5600) + `"}`
		h := open(t, b, memory.Limits{Conditions: memory.ConditionLimits{Bytes: int64(2 * entries * len(value))}})
		a := agent("a", acl.Public)
		var want []string
		for i := range entries {
			want = append(want, fmt.Sprintf("k%03d", i))
			h.PutJSON(a, "a", want[i], value)
		}
		r := memory.ListRequest{Store: "a", Filter: memory.Filter{Where: where(`{"value.n":{"eq":1}}`)}, Limit: entries}
		var got []string
		rewritten := false
		_, err := h.EachListed(background, a, r, func(f memory.Found) error {
			if got = append(got, f.Key); !rewritten { // an entry that changes meanwhile is judged by its new state
				rewritten = true
				h.PutJSON(a, "a", want[entries-1], `{"n":2}`)
				h.PutJSON(agent("a", acl.Internal), "a", want[entries-2], `{"n":1}`)
			}
			return nil
		})
		must(h, err)
		if !slices.Equal(got, want[:entries-1]) {
			t.Errorf("%d entries: %v", len(got), got)
		}
	})
}
