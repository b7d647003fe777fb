package tool_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/server/tool"
)

// parameter is the schema of a parameter.
type parameter struct {
	Type, Description string
	Minimum, Maximum  *float64
	Items             json.RawMessage
}

// eachParameter calls f with all parameters of all tools offered to a caller.
func eachParameter(t *testing.T, definitions []tool.Definition, f func(d tool.Definition, name string, p parameter)) {
	t.Helper()
	for _, d := range definitions {
		var schema struct{ Properties map[string]parameter }
		if err := json.Unmarshal(d.Input, &schema); err != nil || len(schema.Properties) == 0 {
			t.Fatalf("%s: %v", d.Name, err)
		}
		for name, p := range schema.Properties {
			f(d, name, p)
		}
	}
}

var buyer = acl.Principal{Agent: "alice", Taint: acl.Public, Share: true, Spend: true}

func TestEveryParameterIsDescribedInALine(t *testing.T) {
	h := open(t)
	tags := make(map[string]string)
	eachParameter(t, h.Definitions(buyer), func(d tool.Definition, name string, p parameter) {
		if p.Description == "" || strings.Contains(p.Description, "\n") || len(p.Description) > 60 {
			t.Errorf("%s %s: %q", d.Name, name, p.Description)
		}
		if name == "tags" {
			tags[p.Type+p.Description+string(p.Items)] += d.Name + " "
		}
	})
	if len(tags) != 1 {
		t.Errorf("tags differ: %q", tags)
	}
}

// A number just outside its schema's bounds is refused, and the bounds themselves are not.
func TestNumbersHaveTheBoundsOfTheirSchemas(t *testing.T) {
	h := open(t)
	h.must(alice, "memory_save", "key", "k", "content", "several words", "tags", []string{"t"})
	h.must(alice, "memory", "command", "create", "path", "/memories/f", "content", "one\ntwo")
	h.must(alice, "UpdateUserMemory", "action", "upsert", "name", "n", "type", "user", "description", "d", "body", "several words")
	calls := map[string][]any{
		"memory.insert_line": {"command", "insert", "path", "/memories/f", "insert_text", "x"},
		"memory.offset":      {"command", "view", "path", "/memories/f"},
		"memory":             {"command", "search", "query", "words"}, "memory_get": {"key", "k"}, "memory_search": {"query", "words"},
		"memory_list": {}, "ReadUserMemory": {"name", "n"}, "kv_get": {"key", "k"}, "kv_set": {"key", "v", "value", "x"},
	}
	bounded := 0
	eachParameter(t, h.Definitions(buyer), func(d tool.Definition, name string, p parameter) {
		if p.Type != "integer" && p.Type != "number" {
			return
		}
		step := 1.0
		if p.Type == "number" {
			step = 0.001
		}
		if p.Minimum == nil {
			t.Errorf("%s %s has no minimum", d.Name, name)
			return
		}
		base, ok := calls[d.Name+"."+name]
		if !ok {
			base = calls[d.Name]
		}
		call := func(value float64) tool.Result {
			return h.try(buyer, d.Name, append([]any{name, json.Number(fmt.Sprint(value))}, base...)...)
		}
		if p.Type == "integer" {
			call = func(value float64) tool.Result {
				return h.try(buyer, d.Name, append([]any{name, int64(value)}, base...)...)
			}
		}
		bounded++
		inside, outside := []float64{*p.Minimum}, []float64{*p.Minimum - step}
		if p.Maximum != nil {
			inside, outside = append(inside, *p.Maximum), append(outside, *p.Maximum+step)
		}
		for _, value := range inside {
			if r := call(value); r.IsError {
				t.Errorf("%s %s %v: %s", d.Name, name, value, r.Text)
			}
		}
		for _, value := range outside {
			clamped := d.Name == "memory_search" && name == "max_results" // by Triggerfish's contract
			if r := call(value); r.IsError == clamped || r.IsError && !strings.Contains(r.Text, name) {
				t.Errorf("%s %s %v: %t %s", d.Name, name, value, r.IsError, r.Text)
			}
		}
	})
	if bounded < 10 {
		t.Errorf("%d parameters have bounds", bounded)
	}
}

// The maximum charge is listed if a call can pay, and accepted everywhere.
func TestParametersOfAPurchaseAreListedWhereACallCanPay(t *testing.T) {
	h := open(t)
	for p, want := range map[acl.Principal]int{alice: 0, sharer: 0, buyer: 4} { // two of memory and of memory_search
		got := 0
		eachParameter(t, h.Definitions(p), func(_ tool.Definition, name string, _ parameter) {
			if name == "max_charge" || name == "offer" {
				got++
			}
		})
		if got != want {
			t.Errorf("%+v is offered %d parameters, want %d", p, got, want)
		}
		h.must(p, "memory_search", "query", "words", "max_charge", 0)
	}
}

func TestListsHaveOneFamilyUnlessSomebodyAsks(t *testing.T) {
	h := open(t)
	const own, files, named = tool.FamilyTriggerfish, tool.FamilyMemory, tool.FamilyMAESTRO
	for name, c := range map[string]struct {
		o     tool.Options
		p     acl.Principal
		asked string
		want  []tool.Family
	}{
		"nobody":            {tool.Options{}, alice, "", []tool.Family{own}},
		"a token shares":    {tool.Options{}, sharer, "", []tool.Family{files, own}},
		"a setting":         {tool.Options{Listed: []tool.Family{named}}, sharer, "", []tool.Family{named}},
		"one is off":        {tool.Options{NoTriggerfish: true}, alice, "", []tool.Family{files}},
		"two are off":       {tool.Options{NoTriggerfish: true, NoMemory: true}, sharer, "", []tool.Family{named}},
		"a client":          {tool.Options{}, sharer, "maestro, memory", []tool.Family{files, named}},
		"a client, for all": {tool.Options{Listed: []tool.Family{named}}, alice, "all", []tool.Family{files, own, named, tool.FamilyKeyValue}},
		"for what is off":   {tool.Options{NoMAESTRO: true}, alice, "maestro", nil},
	} {
		asked, err := tool.ParseFamilies(c.asked)
		if err != nil {
			t.Fatal(err)
		}
		var listed []tool.Family // in the order of the list, each once
		for _, d := range tool.Asked(h.with(c.o).Definitions(c.p), asked) {
			switch {
			case d.Unlisted && slices.Contains(c.want, d.Family):
				t.Errorf("%s: %s is not listed", name, d.Name)
			case !d.Unlisted && !slices.Contains(listed, d.Family):
				listed = append(listed, d.Family)
			}
		}
		if !slices.Equal(listed, c.want) {
			t.Errorf("%s: %s", name, listed)
		}
	}
	for _, names := range []string{"none", "memory,", ",", "Memory", "memory maestro"} {
		if got, err := tool.ParseFamilies(names); err == nil {
			t.Errorf("%q: %q", names, got)
		}
	}
}

func TestAListOfMemoriesHasPagesOfAPrefix(t *testing.T) {
	h := open(t)
	long := strings.Repeat("x", 3000)
	for i := range 120 {
		h.must(alice, "memory_save", "key", fmt.Sprintf("a/%03d", i), "content", long, "tags", []string{"t"})
	}
	h.must(alice, "memory_save", "key", "b", "content", "b", "tags", []string{"t", "u"})
	type page struct {
		Memories   []struct{ Key string }
		Truncated  bool
		NextCursor string `json:"next_cursor"`
	}
	for name, c := range map[string]struct {
		options     []any
		first, want int
	}{
		"50 by default": {nil, 0, 121}, // fewer: the answer is full before
		"limit":         {[]any{"limit", 7}, 7, 121},
		"prefix":        {[]any{"prefix", "a/00", "limit", 100}, 10, 10},
		"all tags":      {[]any{"tags", []string{"t", "u"}}, 1, 1},
		"as before":     {[]any{"tag", "u"}, 1, 1},
	} {
		seen, cursor := make(map[string]bool), ""
		for pages := 0; pages == 0 || cursor != ""; pages++ {
			text := h.must(alice, "memory_list", append([]any{"cursor", cursor}, c.options...)...)
			got := decode[page](h, text)
			if len(text) > tool.DefaultAnswer || len(got.Memories) == 0 || len(got.Memories) > 100 || got.Truncated != (got.NextCursor != "") || pages > 121 {
				t.Fatalf("%s: %d bytes, %d entries, %t %s", name, len(text), len(got.Memories), got.Truncated, got.NextCursor)
			}
			if pages == 0 && c.first > 0 && len(got.Memories) != c.first {
				t.Errorf("%s: %d entries", name, len(got.Memories))
			}
			for _, m := range got.Memories {
				if seen[m.Key] {
					t.Errorf("%s: %s twice", name, m.Key)
				}
				seen[m.Key] = true
			}
			cursor = got.NextCursor
		}
		if len(seen) != c.want {
			t.Errorf("%s: %d entries of %d", name, len(seen), c.want)
		}
	}
	for _, options := range [][]any{{"limit", 0}, {"limit", 101}, {"cursor", "x"}, {"prefix", strings.Repeat("x", 600)}} {
		h.refused(alice, "memory_list", options...)
	}
}

// A search stays below its path, as delete does.
func TestASearchStaysBelowItsPath(t *testing.T) {
	h := open(t)
	h.share(bob, "alice", acl.ReadWrite)
	for _, key := range []string{"trip/rome", "trip/rome/food", "trip", "tripod"} {
		h.put(alice, "alice", key, `"granite chair"`)
	}
	h.put(bob, "bob", "trip/rome", `"granite chair"`)
	h.put(bob, "bob", "home", `"granite chair"`)
	for path, want := range map[string]int{
		"/memories": 6, "/memories/trip": 3, "/memories/trip/": 2, "/memories/trip/rome": 2, "/memories/none": 0,
		"/memories/shared/bob/": 2, "/memories/shared/bob/trip/": 1,
	} {
		got := decode[struct{ Results []struct{ Path string } }](h, h.must(alice, "memory", "command", "search", "query", "granite", "path", path))
		if len(got.Results) != want {
			t.Errorf("%s: %+v", path, got.Results)
		}
	}
}
