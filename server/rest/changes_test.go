package rest_test

import (
	"net/url"
	"testing"
	"time"
)

func TestAFeedIsFollowedPageByPage(t *testing.T) {
	h := open(t)
	const feed = "/v1/stores/self/changes"
	start := h.want(200, alice, "GET", feed, "").json(t)
	if changes, ok := start["changes"].([]any); !ok || len(changes) > 0 {
		t.Errorf("without a cursor: %v", start)
	}
	h.want(201, alice, "PUT", seat, `{"value":"window"}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/plan?namespace=work", `{"value":"x","ttl":60}`)
	h.want(200, alice, "PUT", seat, `{"value":"aisle"}`)
	since := func(cursor any) string { return feed + "?since=" + url.QueryEscape(cursor.(string)) }
	page := h.want(200, alice, "GET", since(start["next_cursor"])+"&limit=1&wait=30", "").json(t)
	first := page["changes"].([]any)[0].(map[string]any)
	if len(page["changes"].([]any)) != 1 || first["key"] != "seat" || first["version"] != 2.0 || first["deleted"] != false || first["at"] != "2026-03-01T12:00:00Z" {
		t.Errorf("first page: %v", page)
	}
	h.clock.Advance(time.Hour)
	h.want(204, alice, "DELETE", seat, "")
	changes := h.want(200, alice, "GET", since(page["next_cursor"]), "").items(t, "changes")
	if len(changes) != 2 {
		t.Fatalf("second page: %v", changes)
	}
	for _, c := range changes {
		if _, versioned := c["version"]; versioned || c["deleted"] != true {
			t.Errorf("an entry that expired or was deleted: %v", c)
		}
	}
	h.want(200, alice, "GET", since(page["next_cursor"])+"&wait=0", "")
	h.want(400, alice, "GET", feed+"?since=AAAA", "")
	h.want(400, alice, "GET", feed+"?cursor=x", "")
	h.want(400, alice, "GET", feed+"?wait=1.5", "")
	h.want(422, alice, "GET", feed+"?wait=31", "")
	h.want(422, alice, "GET", feed+"?wait=-1", "")
	h.want(422, alice, "GET", feed+"?limit=1001", "")
	h.want(403, alice, "GET", "/v1/stores/stranger/changes?limit=0", "")
}
