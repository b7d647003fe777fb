package rest_test

import (
	"net/url"
	"testing"
)

// A proxy may refuse %2F or decode it. Then the key can be in the query, in every call for
// an entry.
func TestAKeyMayComeInTheQuery(t *testing.T) {
	h := open(t)
	const at = "/v1/stores/self/memories/-"
	for _, key := range []string{"a/b", "diet/anna/ü", "per%2Fcent", "a&key=b", "restore/versions", "-/-"} {
		query := "?key=" + url.QueryEscape(key)
		made := h.want(201, alice, "PUT", at+query, `{"value":1}`)
		if made.json(t)["key"] != key {
			t.Errorf("%s was written as %v", key, made.json(t)["key"])
		}
		if same := h.want(200, alice, "GET", "/v1/stores/self/memories/"+url.PathEscape(key), ""); same.json(t)["key"] != key {
			t.Errorf("%s in the path: %s", key, same.body)
		}
		h.want(200, alice, "GET", at+query+"&namespace=", "")
		h.want(404, alice, "GET", at+"?namespace=other&key="+url.QueryEscape(key), "")
		h.want(200, alice, "GET", at+"/versions"+query+"&limit=1", "")
		h.want(200, alice, "POST", at+"/rename"+query, `{"to":"moved"}`)
		h.want(200, alice, "POST", "/v1/stores/self/memories/moved/rename", `{"to":"`+key+`"}`)
		h.want(204, alice, "DELETE", at+query, "")
		h.want(200, alice, "POST", at+"/restore"+query, "")
	}
	// The placeholder is an ordinary key if the query has none.
	h.want(404, alice, "GET", at, "")
	h.want(201, alice, "PUT", at, `{"value":"a dash"}`)
	h.want(200, alice, "GET", at+"?key=-", "")
	for _, bad := range []string{at + "?key=", at + "?key", at + "?key=a&key=b", "/v1/stores/self/memories/x?key=a", "/v1/stores/self/memories?key=a", at + "?key=%zz"} {
		h.want(400, alice, "GET", bad, "")
	}
	for _, bad := range []string{"/a", "a/", "a//b", "../b", "."} {
		h.want(422, alice, "GET", at+"?key="+url.QueryEscape(bad), "")
	}
	h.want(403, bob, "GET", "/v1/stores/alice/memories/-?key=a%2Fb", "")
}

// An empty parameter counts as absent; an empty precondition is ignored.
func TestEmptyParametersMeanTheSameEverywhere(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/a?wait=&similar=", `{"value":1}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/b?namespace=n", `{"value":1}`)
	for query, entries := range map[string]int{
		"limit=": 2, "cursor=": 2, "where=": 2, "match=": 2, "tag=": 2, "type=": 2, "prefix=": 2, "timezone=": 2,
		"limit=&limit=": -1, "nonsense=": -1, "namespace=": 1, "limit=1&cursor=": 1, "tag=&type=&limit=2": 2,
	} {
		if entries < 0 {
			h.want(400, alice, "GET", "/v1/stores/self/memories?"+query, "")
			continue
		}
		if got := h.want(200, alice, "GET", "/v1/stores/self/memories?"+query, "").items(t, "items"); len(got) != entries {
			t.Errorf("%s: %d entries, want %d", query, len(got), entries)
		}
	}
	h.want(200, alice, "GET", "/v1/stores/self/changes?since=&wait=", "")
	h.want(200, alice, "GET", "/v1/stores/self/export?match=&timezone=", "")
	h.want(200, alice, "PUT", "/v1/stores/self/memories/a", `{"value":2}`, "Content-Type", "")
	for _, name := range []string{"If-Match", "If-None-Match"} {
		h.want(400, alice, "PUT", "/v1/stores/self/memories/a", `{"value":3}`, name, "")
	}
	for _, path := range []string{"/v1/stores", "/v1/stores/self/memories", "/v1/stores/self/memories/a", "/v1/stores/self/MEMORY.md", "/openapi.json"} {
		h.want(400, alice, "GET", path, "", "If-None-Match", "")
	}
	h.want(400, alice, "POST", "/v1/stores/self/memories/a/rename", `{"to":"c"}`, "Idempotency-Key", "")
}

// Client generators name functions NewX for a schema X, and types NullableX.
func TestNoSchemaHasTheNameOfAnothersFunction(t *testing.T) {
	d, err := specification()
	if err != nil {
		t.Fatal(err)
	}
	for name := range d.Components.Schemas {
		for _, prefix := range []string{"New", "Nullable"} {
			if d.Components.Schemas[prefix+name] != nil {
				t.Errorf("%s%s has the name of what is generated for %s", prefix, name, name)
			}
		}
	}
}
