package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
	"golang.org/x/text/unicode/norm"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/size"
)

// schemaOf returns a schema of the specification.
func schemaOf(t *testing.T, name string) *openapi3.Schema {
	t.Helper()
	d, err := specification()
	if err != nil {
		t.Fatal(err)
	}
	if p := d.Components.Parameters[name]; p != nil {
		return p.Value.Schema.Value
	}
	return d.Components.Schemas[name].Value
}

// The schema accepts each character in a name exactly if the server does. The schemas
// cover neither the form NFC, which no pattern can express, nor format characters
// above U+FFFF, which some pattern dialects cannot name. Above U+FFFF, a short run
// tests every 13th character and the end of each plane.
func TestSchemasAcceptTheCharactersThatTheServerAccepts(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does much: the full run has it")
	}
	t.Parallel()
	rules := map[string]func(string) error{
		"Key":         memory.CheckKey,
		"Namespace":   memory.CheckNamespace,
		"Tag":         func(tag string) error { return memory.CheckTags([]string{tag}) },
		"Description": memory.CheckDescription,
	}
	for name, check := range rules {
		schema, wrong := schemaOf(t, name), 0
		for r := rune(0); r <= unicode.MaxRune && wrong < 5; r++ {
			if r > 0xffff && r%13 != 0 && r&0xffff < 0xfff0 && !size.Full() {
				continue
			}
			text := "a" + string(r) + "b"
			if r >= 0xd800 && r < 0xe000 || !norm.NFC.IsNormalString(text) || r > 0xffff && unicode.Is(unicode.Cf, r) {
				continue
			}
			if accepted, ok := schema.VisitJSON(text) == nil, check(text) == nil; accepted != ok {
				t.Errorf("%s with %U: schema %t, server %t", name, r, accepted, ok)
				wrong++
			}
		}
	}
}

func TestSchemasAcceptWhatTheServerAccepts(t *testing.T) {
	keys := []string{"", "a", "/", "/a", "a/", "a//b", ".", "..", "a/.", "a/..", "./a", "../a", "a/./b", "a/../b", "...", ".a", "a.", "a/.b", "..a/b", "a/b.", strings.Repeat("k", 512), strings.Repeat("k", 513)}
	for _, c := range []struct {
		schema string
		check  func(string) error
		texts  []string
	}{
		{"Key", memory.CheckKey, keys},
		{"Namespace", memory.CheckNamespace, []string{"", "a", "a/b", strings.Repeat("n", memory.MaxNamespace), strings.Repeat("n", memory.MaxNamespace+1)}},
		{"Tag", func(tag string) error { return memory.CheckTags([]string{tag}) }, []string{"", "a", strings.Repeat("n", 64), strings.Repeat("n", 65)}},
		{"Description", memory.CheckDescription, []string{"", "é", strings.Repeat("é", 300), strings.Repeat("é", 301), "a\nb"}},
		{"Type", memory.CheckType, []string{"", "user", "feedback", "project", "reference", "other"}},
		{"Id", acl.CheckID, []string{"", "a", "self", "shared", ".", "..", "...", "selfish", "a b", "é", strings.Repeat("a", 128), strings.Repeat("a", 129)}},
	} {
		schema := schemaOf(t, c.schema)
		for _, text := range c.texts {
			if accepted, ok := schema.VisitJSON(text) == nil, c.check(text) == nil; accepted != ok {
				t.Errorf("%s %.20q: schema %t, server %t", c.schema, text, accepted, ok)
			}
		}
	}
}

// The schemas of a query and of the headers of a condition refuse the same
// values as the server.
func TestSchemasRefuseWhatTheServerRefuses(t *testing.T) {
	h := open(t)
	h.want(http.StatusCreated, alice, http.MethodPut, seat, `{"value":1}`)
	query := schemaOf(t, "Question").Properties["query"].Value
	for _, text := range []string{"", " ", "\t\n\r ", "\u00a0\u2003\u3000\u0085", "\ufeff", "?", "a", " a ", `"`} {
		body, err := json.Marshal(map[string]string{"query": text})
		if err != nil {
			t.Fatal(err)
		}
		a := h.call(alice, http.MethodPost, "/v1/search", string(body))
		if accepted := query.VisitJSON(text) == nil; accepted != (a.status == http.StatusOK) {
			t.Errorf("query %q: schema %t, server %d", text, accepted, a.status)
		}
	}
	match := schemaOf(t, "ifMatch")
	for _, text := range []string{
		"*", " * ", `"a"`, `"a", "b"`, `"a","b" ,W/"c"`, `,"a"`, `"a",`, ` , ,"a" ,, "b" ,`, `W/"a"`, `""`, `"*"`, `"!#~"`, `"é"`,
		"", " ", ",", "a", `"a`, `a"`, `"a" "b"`, `*, "a"`, `"a", *`, `w/"a"`, `W/ "a"`, `W/a`, `"a"b"`, `"a b"`, `"a""b"`, "**",
	} {
		a := h.call(alice, http.MethodGet, seat, "", "If-None-Match", text)
		if accepted := match.VisitJSON(text) == nil; accepted != (a.status < http.StatusBadRequest) {
			t.Errorf("If-None-Match %q: schema %t, server %d", text, accepted, a.status)
		}
	}
}
