package tool_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/tool"
)

func TestTriggerfishToolsFollowTheirContract(t *testing.T) {
	h := open(t)
	p := acl.Principal{Agent: "alice", Taint: acl.Internal}
	is := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	is(h.must(p, "memory_get", "key", "user-name"), `{"found":false,"key":"user-name"}`)
	is(h.must(p, "memory_save", "key", "user-name", "content", "Ada <ada@example.org>", "tags", []string{"personal"}),
		`{"saved":true,"key":"user-name","classification":"INTERNAL"}`)
	is(h.must(p, "memory_get", "key", "user-name"),
		`{"found":true,"key":"user-name","content":"Ada <ada@example.org>","classification":"INTERNAL","tags":["personal"],"updated_at":"2026-03-01T12:00:00Z"}`)
	h.clock.Advance(time.Hour)
	h.must(p, "memory_save", "key", "user-name", "content", "Ada")
	is(h.must(p, "memory_get", "key", "user-name"),
		`{"found":true,"key":"user-name","content":"Ada","classification":"INTERNAL","tags":[],"updated_at":"2026-03-01T13:00:00Z"}`)
	h.must(p, "memory_save", "key", "user-name", "content", "Ada Lovelace", "tags", []any{"personal"})
	is(h.must(p, "memory_get", "key", "user-name"),
		`{"found":true,"key":"user-name","content":"Ada Lovelace","classification":"INTERNAL","tags":["personal"],"updated_at":"2026-03-01T13:00:00Z"}`)
	e, err := h.service.Get(t.Context(), memory.Caller{Principal: p}, memory.Path{Store: "alice", Key: "user-name"})
	if err != nil || !e.CreatedAt.Equal(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) || e.Version != 3 {
		t.Errorf("created at %v, version %d, %v", e.CreatedAt, e.Version, err)
	}
	is(h.must(p, "memory_get", "key", "user-name", "as_of", "2026-03-01T12:30"),
		`{"found":true,"key":"user-name","content":"Ada <ada@example.org>","classification":"INTERNAL","tags":["personal"],"updated_at":"2026-03-01T12:00:00Z"}`)
	is(h.must(p, "memory_list", "as_of", "2026-03-01T12:30"),
		`{"memories":[{"key":"user-name","content":"Ada <ada@example.org>","classification":"INTERNAL","tags":["personal"],"updated_at":"2026-03-01T12:00:00Z"}]}`)
	is(h.must(p, "memory_get", "key", "user-name", "as_of", "2026-02"), `{"found":false,"key":"user-name"}`)
	for _, name := range []string{"memory_get", "memory_list"} {
		if r := h.try(p, name, "key", "user-name", "as_of", "2027"); !r.IsError || !strings.Contains(r.Text, "as_of") {
			t.Errorf("%s of a year to come: %+v", name, r)
		}
	}
	h.must(p, "memory_save", "key", "deadline", "content", "Friday")
	is(h.must(p, "memory_list"), `{"memories":[{"key":"deadline","content":"Friday","classification":"INTERNAL","tags":[],"updated_at":"2026-03-01T13:00:00Z"},`+
		`{"key":"user-name","content":"Ada Lovelace","classification":"INTERNAL","tags":["personal"],"updated_at":"2026-03-01T13:00:00Z"}]}`)
	is(h.must(p, "memory_list", "tag", "personal"), `{"memories":[{"key":"user-name","content":"Ada Lovelace","classification":"INTERNAL","tags":["personal"],"updated_at":"2026-03-01T13:00:00Z"}]}`)
	if got := h.must(p, "memory_list", "tag", ""); got != h.must(p, "memory_list") {
		t.Errorf("an empty tag restricts: %s", got)
	}
	if empty := h.try(p, "memory_list", "tag", "none"); empty.Text != "No memories found." || string(empty.Object) != `{"memories":[]}` || empty.IsError {
		t.Errorf("%+v", empty)
	}
	for _, most := range []int{-1, 0, 1, 200} {
		got := h.must(p, "memory_search", "query", "who is Lovelace?", "max_results", most)
		if !strings.HasPrefix(got, `{"query":"who is Lovelace?","results":[{"key":"user-name","content":"Ada Lovelace","score":0.`) || strings.Contains(got, `"alice"`) ||
			!strings.Contains(got, `"tags":["personal"],"updated_at":"2026-03-01"`) {
			t.Error(got)
		}
	}
	// A hit names its label if this is not the session's.
	confidential := acl.Principal{Agent: "alice", Taint: acl.Confidential}
	if got := h.must(confidential, "memory_search", "query", "who is Lovelace?"); !strings.Contains(got, `"content":"Ada Lovelace","classification":"INTERNAL","score":0.`) {
		t.Error(got)
	}
	is(h.must(p, "memory_delete", "key", "deadline"), `{"deleted":true,"key":"deadline"}`)
	is(h.refused(p, "memory_delete", "key", "deadline"), "Error: no such entry")
	above := acl.Principal{Agent: "alice", Taint: acl.Restricted}
	if got := h.refused(above, "memory_delete", "key", "user-name"); !strings.Contains(got, "lower label") {
		t.Error(got)
	}
	is(h.refused(alice, "memory_delete", "key", "user-name"), "Error: no such entry")
	is(h.must(alice, "memory_get", "key", "user-name"), `{"found":false,"key":"user-name"}`)
}

// Each tool that writes events takes when, and the tools that show an entry in
// JSON show it. A write preserves absent members.
func TestToolsTakeWhenItHappened(t *testing.T) {
	h := open(t)
	upsert := []any{"action", "upsert", "name", "trip", "type", "user", "description", "a trip", "body", "to Lisbon"}
	for name, c := range map[string]struct {
		key   string
		write []any
	}{
		"memory_save":      {"saved", []any{"key", "saved", "content", "to Lisbon"}},
		"memory":           {"created", []any{"command", "create", "path", "/memories/created", "content", "to Lisbon"}},
		"UpdateUserMemory": {"trip", upsert},
	} {
		occurred := func(when ...any) string {
			t.Helper()
			h.must(alice, name, append(c.write, when...)...)
			return decode[struct {
				OccurredAt string `json:"occurred_at"`
			}](h, h.must(alice, "memory_get", "key", c.key)).OccurredAt
		}
		for _, step := range []struct {
			when []any
			want string
		}{
			{nil, ""}, {[]any{"occurred_at", "2023-05-08"}, "2023-05-08"}, {nil, "2023-05-08"}, {[]any{"occurred_at", nil}, "2023-05-08"},
			{[]any{"occurred_at", "2023-05-08T15:56:00+02:00"}, "2023-05-08T13:56:00Z"}, {[]any{"occurred_at", ""}, ""}, {[]any{"occurred_at", "2020-02-29"}, "2020-02-29"},
			{[]any{"occurred_at", "2020"}, "2020"}, {[]any{"occurred_at", "2020-02"}, "2020-02"}, {[]any{"occurred_at", "2020-02-29T09:00", "timezone", "Asia/Tokyo"}, "2020-02-29T00:00:00Z"},
			{[]any{"occurred_at", "2020-02-29"}, "2020-02-29"},
		} {
			if got := occurred(step.when...); got != step.want {
				t.Errorf("%s with %v: %q, want %q", name, step.when, got, step.want)
			}
		}
		if got := h.refused(alice, name, append(c.write, "occurred_at", "in May")...); !strings.HasPrefix(got, "Error: `occurred_at` must be a date") || strings.Contains(got, "in May") {
			t.Errorf("%s: %s", name, got)
		}
		h.refused(alice, name, append(c.write, "occurred_at", 2020)...)
	}
	h.must(alice, "memory", "command", "create", "path", "/memories/new", "file_text", "to Porto", "occurred_at", "2020-02-29")
	for _, text := range []string{
		h.must(alice, "ReadUserMemory", "name", "trip"), h.must(alice, "memory_search", "query", "Porto"),
	} {
		if !strings.Contains(text, `"occurred_at":"2020-02-29"`) {
			t.Error(text)
		}
	}
	if got := h.must(alice, "memory", "command", "search", "query", "Porto"); !strings.Contains(got, `"occurredAt":"2020-02-29"`) {
		t.Error(got)
	}
}

// Clients know the tools of a family by their names.
func TestEachFamilyHasItsTools(t *testing.T) {
	h := open(t)
	got := make(map[tool.Family]string)
	for _, d := range h.Definitions(alice) {
		got[d.Family] += d.Name + " "
	}
	for family, want := range map[tool.Family]string{
		tool.FamilyTriggerfish: "memory_save memory_get memory_search memory_list memory_delete ",
		tool.FamilyMemory:      "memory ",
		tool.FamilyMAESTRO:     "UpdateUserMemory ReadUserMemory ",
		tool.FamilyKeyValue:    "kv_set kv_get kv_delete ",
	} {
		if got[family] != want {
			t.Errorf("%s has %s, want %s", family, got[family], want)
		}
		delete(got, family)
	}
	if len(got) > 0 {
		t.Errorf("other tools: %v", got)
	}
}

func TestMAESTROToolsUpsertReadAndDelete(t *testing.T) {
	h := open(t)
	upsert := func(body string) string {
		return h.must(alice, "UpdateUserMemory", "action", "upsert", "name", "preferred-language", "type", "user",
			"description", "User prefers Japanese output", "body", body)
	}
	if got := upsert("Always."); got != `{"saved":true,"created":true,"name":"preferred-language"}` {
		t.Error(got)
	}
	if got := upsert("Unless asked."); got != `{"saved":true,"created":false,"name":"preferred-language"}` {
		t.Error(got)
	}
	want := `{"name":"preferred-language","type":"user","description":"User prefers Japanese output","body":"Unless asked.","tags":[],` +
		`"classification":"PUBLIC","created_at":"2026-03-01T12:00:00Z","updated_at":"2026-03-01T12:00:00Z","updated_by":"alice","source":{"tool":"UpdateUserMemory"}}`
	if got := h.must(alice, "ReadUserMemory", "name", "preferred-language"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	index, err := h.Index(t.Context(), alice, "alice")
	if err != nil || index != "- [preferred-language](preferred-language.md) — User prefers Japanese output (2026-03-01)\n" {
		t.Errorf("%q, %v", index, err)
	}
	if got := h.must(alice, "UpdateUserMemory", "action", "delete", "name", "preferred-language"); got != `{"deleted":true,"name":"preferred-language"}` {
		t.Error(got)
	}
	h.refused(alice, "UpdateUserMemory", "action", "delete", "name", "preferred-language")
	h.refused(alice, "ReadUserMemory", "name", "preferred-language")
	for _, pairs := range [][]any{
		{"action", "upsert", "name", "a b", "type", "user", "description", "d", "body", "b"},
		{"action", "upsert", "name", "a.md", "type", "user", "description", "d", "body", "b"},
		{"action", "upsert", "name", "../a", "type", "user", "description", "d", "body", "b"},
		{"action", "upsert", "name", "a\n", "type", "user", "description", "d", "body", "b"},
		{"action", "upsert", "name", "", "type", "user", "description", "d", "body", "b"},
		{"action", "upsert", "name", "a", "type", "secret", "description", "d", "body", "b"},
		{"action", "upsert", "name", "a", "type", "", "description", "d", "body", "b"},
		{"action", "upsert", "name", "a", "type", "user", "description", "two\nlines", "body", "b"},
		{"action", "upsert", "name", "a", "type", "user", "description", strings.Repeat("d", 301), "body", "b"},
		{"action", "upsert", "name", "a", "type", "user", "description", "d"},
		{"action", "purge", "name", "a"},
		{"name", "a"},
	} {
		h.refused(alice, "UpdateUserMemory", pairs...)
	}
}

func TestKeyValueTools(t *testing.T) {
	h := open(t)
	if got := h.must(alice, "kv_set", "key", "a", "value", map[string]int{"n": 1}, "ttl", 60); got != `{"saved":true,"key":"a"}` {
		t.Error(got)
	}
	if got := h.must(alice, "kv_get", "key", "a"); got != `{"found":true,"key":"a","value":{"n":1}}` {
		t.Error(got)
	}
	h.clock.Advance(time.Minute)
	if got := h.must(alice, "kv_get", "key", "a"); got != `{"found":false,"key":"a"}` {
		t.Error(got)
	}
	h.must(alice, "kv_set", "key", "a", "value", "text")
	if got := h.must(alice, "kv_delete", "key", "a"); got != `{"deleted":true,"key":"a"}` {
		t.Error(got)
	}
	if got := h.must(alice, "kv_delete", "key", "a"); got != `{"deleted":false,"key":"a"}` {
		t.Error(got)
	}
	for _, ttl := range []any{-1, int64(1) << 62, 1.5, "60"} {
		h.refused(alice, "kv_set", "key", "a", "value", "x", "ttl", ttl)
	}
}

func TestShareIsOfferedOnlyWithItsScope(t *testing.T) {
	h := open(t)
	for _, d := range h.Definitions(alice) {
		if strings.Contains(string(d.Input), "share\"") || strings.Contains(d.Description, "- share") {
			t.Errorf("%s mentions share", d.Name)
		}
	}
	if got := h.refused(alice, "memory", "command", "share", "agent", "bob"); !strings.HasPrefix(got, "Error: unknown parameter `agent`; it takes action, command, content, file_text,") {
		t.Error(got)
	}
	if got := h.refused(alice, "memory", "command", "unshare"); got != "Error: Unknown command: unshare" {
		t.Error(got)
	}
	h.put(alice, "alice", "a", `"text"`)
	if got := h.must(sharer, "memory", "command", "share", "agent", "bob"); got != `{"shared":true,"storeId":"alice","agent":"bob","level":"read"}` {
		t.Error(got)
	}
	h.must(bob, "memory", "command", "view", "path", "/memories/shared/alice/a")
	if got := h.must(bob, "memory", "command", "view", "path", "/memories/shared/"); !strings.HasSuffix(got, "/memories/shared/alice/a\n(/memories/shared/alice: language auto; models: english)") {
		t.Error(got)
	}
	if got := h.must(bob, "memory", "command", "stores"); got != `{"stores":[{"storeId":"alice","kind":"grant","level":"read","path":"/memories/shared/alice/","accepted":true},{"storeId":"bob","kind":"self","level":"readwrite","path":"/memories/"}]}` {
		t.Error(got)
	}
	if got := h.must(sharer, "memory", "command", "unshare", "agent", "bob", "path", "/memories/shared/alice/a"); got != `{"unshared":true,"storeId":"alice","agent":"bob"}` {
		t.Error(got)
	}
	h.refused(bob, "memory", "command", "view", "path", "/memories/shared/alice/a")
	h.refused(sharer, "memory", "command", "unshare", "agent", "bob")
	h.refused(sharer, "memory", "command", "unshare", "agent", "b/ob")
	h.refused(sharer, "memory", "command", "share", "agent", "bob", "level", "all")
	h.refused(sharer, "memory", "command", "share", "agent", "alice")
}

func TestFamiliesCanBeDisabled(t *testing.T) {
	for name, c := range map[string]struct {
		o    tool.Options
		want []string
	}{
		"all":    {tool.Options{}, []string{"memory", "memory_save", "memory_get", "memory_search", "memory_list", "memory_delete", "UpdateUserMemory", "ReadUserMemory", "kv_set", "kv_get", "kv_delete"}},
		"memory": {tool.Options{NoTriggerfish: true, NoMAESTRO: true, NoKeyValue: true}, []string{"memory"}},
		"some":   {tool.Options{NoMemory: true, NoTriggerfish: true}, []string{"UpdateUserMemory", "ReadUserMemory", "kv_set", "kv_get", "kv_delete"}},
	} {
		h := openWith(t, memory.Limits{}, c.o)
		for _, p := range []acl.Principal{alice, sharer} {
			var names []string
			for _, d := range h.Definitions(p) {
				names = append(names, d.Name)
			}
			if !slices.Equal(names, c.want) {
				t.Errorf("%s: %q", name, names)
			}
		}
		for _, one := range []string{"memory", "memory_get", "kv_get", "ReadUserMemory"} {
			_, err := h.Call(t.Context(), alice, one, nil)
			if offered := slices.Contains(c.want, one); (err == nil) != offered || h.Has(one) != offered {
				t.Errorf("%s: %s: %v", name, one, err)
			}
		}
	}
}

// The schemas are valid, and the tools accept and return what the schemas
// describe.
func TestToolsFollowTheirSchemas(t *testing.T) {
	h := open(t)
	compile := func(schema json.RawMessage) *jsonschema.Schema {
		t.Helper()
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("schema.json", document); err != nil {
			t.Fatal(err)
		}
		s, err := c.Compile("schema.json")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	good := map[string][][]any{
		"memory": {{"command", "view", "path", "/memories"}, {"command", "view", "path", "/memories", "view_range", json.RawMessage("[1.0, -1.0]")}, {"action", "share", "agent", "bob", "level", "read"},
			{"command", "search", "queries", []string{"c", "d"}, "mode", "lexical", "recency", json.RawMessage(`{"half_life": "30d", "weight": 1}`), "diversity", 0.5, "timezone", "Asia/Tokyo", "cursor", "", "limit", 1}},
		"memory_save": {{"key", "k", "content", "c", "tags", []string{"t"}, "occurred_at", "2026-06-30T12:00", "timezone", "Asia/Tokyo", "source", map[string]any{"session": "s"}}},
		"memory_get":  {{"key", "k"}, {"key", "none"}, {"key", "k", "namespace", "n"}},
		"memory_search": {{"query", "c"}, {"query", "c", "max_results", 100}, {"query", "c", "max_results", json.RawMessage("1e1")}, {"query", "c", "min_relevance", 1, "ranking", "relevance"},
			{"query", "c", "mode", "lexical", "recency", json.RawMessage(`{"half_life": "30d"}`), "diversity", 0.5, "cursor", "", "max_tokens", 500, "passages", false,
				"where", json.RawMessage(`{"key": {"eq": "k"}}`), "timezone", "+02:00", "match", json.RawMessage(`{"all": ["c"]}`), "max_results", 1}},
		"memory_list":      {{}, {"tag", "t"}, {"tags", []string{"t"}, "prefix", "k", "limit", 1, "cursor", ""}},
		"memory_delete":    {{"key", "k"}},
		"UpdateUserMemory": {{"action", "upsert", "name", "n", "type", "user", "description", "d", "body", "b", "occurred_at", "2026", "timezone", "UTC", "source", map[string]any{"read": []string{"id"}}}},
		"ReadUserMemory":   {{"name", "n"}},
		"kv_set":           {{"key", "v", "value", "[1]", "is_json", true, "ttl", json.RawMessage("60.0")}},
		"kv_get":           {{"key", "v"}, {"key", "none"}},
		"kv_delete":        {{"key", "v"}, {"key", "none"}},
	}
	for _, d := range h.Definitions(sharer) {
		in := compile(d.Input)
		var shape struct {
			Type       string
			Properties map[string]json.RawMessage
			Required   []string
		}
		if err := json.Unmarshal(d.Input, &shape); err != nil || shape.Type != "object" {
			t.Errorf("%s: %v", d.Name, err)
		}
		for _, pairs := range good[d.Name] {
			value, _ := jsonschema.UnmarshalJSON(bytes.NewReader(input(pairs...)))
			if err := in.Validate(value); err != nil {
				t.Errorf("%s %s: %v", d.Name, input(pairs...), err)
			}
			result := h.try(sharer, d.Name, pairs...)
			if result.IsError {
				t.Errorf("%s %s: %s", d.Name, input(pairs...), result.Text)
			}
			if (d.Output != nil) != result.Structured {
				t.Fatalf("%s: structured content without an output schema, or the reverse", d.Name)
			}
			if d.Output != nil {
				value, _ := jsonschema.UnmarshalJSON(strings.NewReader(result.Text))
				if err := compile(d.Output).Validate(value); err != nil {
					t.Errorf("%s: %v", d.Name, err)
				}
			}
		}
		// Every declared parameter is accepted, every required one is needed, and
		// no others are accepted.
		for name := range shape.Properties {
			if got := h.try(sharer, d.Name, name, nil); strings.Contains(got.Text, "unknown parameter") {
				t.Errorf("%s: %s", d.Name, got.Text)
			}
		}
		for _, name := range shape.Required {
			rest := []any{}
			for i := 0; i < len(good[d.Name][0]); i += 2 {
				if good[d.Name][0][i] != name {
					rest = append(rest, good[d.Name][0][i:i+2]...)
				}
			}
			if got := h.refused(sharer, d.Name, rest...); !strings.HasPrefix(got, "Error: `"+name+"` is required") {
				t.Errorf("%s without %s: %s", d.Name, name, got)
			}
		}
		unknown := h.try(sharer, d.Name, append([]any{"agent_id", "bob"}, good[d.Name][0]...)...)
		if d.ReadOnly || d.Name == "memory" { // its first call views
			if unknown.IsError || !strings.Contains(unknown.Text, `"ignored":["agent_id"]`) {
				t.Errorf("%s: %s", d.Name, unknown.Text)
			}
		} else if !unknown.IsError || !strings.HasPrefix(unknown.Text, "Error: unknown parameter `agent_id`; ") {
			t.Errorf("%s: %s", d.Name, unknown.Text)
		}
		own := h.try(sharer, d.Name, append([]any{"toolCallId", "call_1", "sessionId", "s", "chatInput", "hello"}, good[d.Name][0]...)...)
		if own.IsError && own.Text != "Error: no such entry" || strings.Contains(own.Text, "ignored") {
			t.Errorf("%s with what a client adds: %s", d.Name, own.Text)
		}
	}
}

func TestSearchNamesTheWriterOfAHit(t *testing.T) {
	h := openWithModel(t)
	h.share(bob, "alice", acl.ReadWrite)
	h.must(alice, "memory", "command", "create", "path", "/memories/shared/bob/pet", "content", "The cat is called Schnurri.")
	h.must(bob, "memory_save", "key", "tea", "content", "Green tea in the afternoon.")
	h.index()
	got := h.must(bob, "memory", "command", "search", "query", "what is the kitten's name?", "limit", 1)
	if !strings.Contains(got, `"path":"/memories/pet","key":"pet","value":"The cat is called Schnurri.","storeId":"bob","label":"PUBLIC"`) || !strings.Contains(got, `"updatedBy":"alice"`) {
		t.Error(got)
	}
	got = h.must(alice, "memory_search", "query", "what is the kitten's name?", "max_results", 1)
	if !strings.Contains(got, `"store_id":"bob"`) {
		t.Error(got)
	}
}
