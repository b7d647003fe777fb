package rest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestExactWordsRestrictSearchesListsAndExports(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/a", `{"value":"a red kite","tags":["x"]}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/b", `{"value":"a kite for the red ball"}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/c", `{"value":"red kites, a draft"}`)
	for match, keys := range map[string]string{
		`{"all":["red kite"],"none":["draft"]}`: "a",
		`{"any":["ball","draf*"]}`:              "b c",
		`{"none":["red kite"]}`:                 "b",
		`{"all":["nothing"]}`:                   "",
	} {
		for name, a := range map[string]answer{
			"search": h.want(200, alice, "POST", "/v1/search", `{"query":"red","match":`+match+`}`),
			"list":   h.want(200, alice, "GET", "/v1/stores/self/memories?match="+url.QueryEscape(match), ""),
			"export": h.want(200, alice, "GET", "/v1/stores/self/export?match="+url.QueryEscape(match), ""),
		} {
			for _, key := range []string{"a", "b", "c"} {
				if strings.Contains(a.body, `"key":"`+key+`"`) != strings.Contains(keys, key) {
					t.Errorf("%s by %s: %s", name, match, a.body)
				}
			}
		}
	}
	for match, field := range map[string]string{
		`{}`:                       "match",
		`{"any":[]}`:               "match.any",
		`{"any":["a","b","***"]}`:  "match.any[2]",
		`{"all":["a*b"]}`:          "match.all[0]",
		`{"none":["x","a\u0000"]}`: "match.none[1]",
		`{"all":["` + strings.Repeat("a", 257) + `"]}`: "match.all[0]",
		`{"some":["a"]}`: "match",
		`["a"]`:          "match",
	} {
		for name, a := range map[string]answer{
			"search": h.want(422, alice, "POST", "/v1/search", `{"query":"red","match":`+match+`}`),
			"list":   h.want(422, alice, "GET", "/v1/stores/self/memories?match="+url.QueryEscape(match), ""),
			"export": h.want(422, alice, "GET", "/v1/stores/self/export?match="+url.QueryEscape(match), ""),
		} {
			if !strings.Contains(a.body, `"field":"`+field+`"`) {
				t.Errorf("%s by %s: %s", name, match, a.body)
			}
		}
	}
}

func TestAPrefixOfTooManyWordsIsRefused(t *testing.T) {
	h := open(t)
	var words strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&words, " pe%dx", i)
	}
	h.want(201, alice, "PUT", "/v1/stores/self/memories/a", `{"value":"`+words.String()+`"}`)
	for _, a := range []answer{
		h.want(422, alice, "POST", "/v1/search", `{"query":"red","match":{"any":["a","pe*"]}}`),
		h.want(422, alice, "GET", "/v1/stores/self/memories?match="+url.QueryEscape(`{"any":["a","pe*"]}`), ""),
	} {
		if !strings.Contains(a.body, `"field":"match.any[1]"`) {
			t.Error(a.body)
		}
	}
	h.want(200, alice, "POST", "/v1/search", `{"query":"red","match":{"any":["pe10*"]}}`)
}
