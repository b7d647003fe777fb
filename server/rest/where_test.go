package rest_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestConditionsRestrictSearchesListsAndExports(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/a", `{"value":{"text":"a red kite","price":12},"tags":["x"]}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/b", `{"value":{"text":"a red ball","price":30}}`)
	cheap := `{"value.price":{"lt":20}}`
	for name, a := range map[string]answer{
		"search": h.want(200, alice, "POST", "/v1/search", `{"query":"red","where":`+cheap+`}`),
		"list":   h.want(200, alice, "GET", "/v1/stores/self/memories?where="+url.QueryEscape(cheap), ""),
		"export": h.want(200, alice, "GET", "/v1/stores/self/export?where="+url.QueryEscape(cheap), ""),
	} {
		if !strings.Contains(a.body, "kite") || strings.Contains(a.body, "ball") {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	for where, field := range map[string]string{
		`{"and":[{"key":{"eq":"a"}},{"updated_at":{"gte":"soon"}}]}`: "where.and[1].updated_at.gte",
		`{"colour":{"eq":"red"}}`:                                    "where.colour",
		`{"tags":{"like":"x"}}`:                                      "where.tags.like",
		`{"key":{"in":[]}}`:                                          "where.key.in",
		`{"key":{"eq":"\u0000"}}`:                                    "where.key.eq",
		`{}`:                                                         "where",
		`"x"`:                                                        "where",
	} {
		for name, a := range map[string]answer{
			"search": h.want(422, alice, "POST", "/v1/search", `{"query":"red","where":`+where+`}`),
			"list":   h.want(422, alice, "GET", "/v1/stores/self/memories?where="+url.QueryEscape(where), ""),
			"export": h.want(422, alice, "GET", "/v1/stores/self/export?where="+url.QueryEscape(where), ""),
		} {
			if !strings.Contains(a.body, `"field":"`+field+`"`) {
				t.Errorf("%s by %s: %s", name, where, a.body)
			}
		}
	}
	h.want(422, alice, "GET", "/v1/stores/self/memories?where=", "")
	h.want(400, alice, "POST", "/v1/search", `{"query":"red","where":null}`)
}
