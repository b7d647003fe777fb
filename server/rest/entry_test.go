package rest_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
)

const seat = "/v1/stores/self/memories/seat"

func TestAnEntryLivesThroughItsCalls(t *testing.T) {
	h := open(t)
	made := h.want(201, alice, "PUT", seat, `{"value":"window","tags":["travel"],"description":"d","type":"user","ttl":3600,"occurred_at":"2023-05-08"}`)
	e := made.json(t)
	for name, want := range map[string]any{
		"store_id": "alice", "owner_id": "alice", "namespace": "", "key": "seat", "label": "PUBLIC", "value": "window",
		"type": "user", "description": "d", "in_context": true, "encrypted": false, "version": 1.0, "updated_by": "alice",
		"expires_at": "2026-03-01T13:00:00Z", "created_at": "2026-03-01T12:00:00Z", "occurred_at": "2023-05-08",
	} {
		if e[name] != want {
			t.Errorf("%s: %v, want %v", name, e[name], want)
		}
	}
	if _, ok := e["indexed"]; ok {
		t.Error("indexed was not asked for")
	}
	if got := made.header.Get("Location"); got != "/v1/stores/alice/memories/seat" {
		t.Errorf("Location: %s", got)
	}
	again := h.want(200, alice, "PUT", seat, `{"value":"aisle"}`)
	e = again.json(t)
	if e["version"] != 2.0 || e["value"] != "aisle" || e["description"] != "d" || again.header.Get("Location") != "" {
		t.Errorf("second write: %v", e)
	}
	read := h.want(200, alice, "GET", seat, "")
	if read.header.Get("ETag") != again.header.Get("ETag") || read.header.Get("ETag") == made.header.Get("ETag") {
		t.Error("entity tags do not follow versions")
	}
	versions := h.want(200, alice, "GET", seat+"/versions", "").items(t, "items")
	if len(versions) != 2 || versions[0]["version"] != 2.0 || versions[1]["value"] != "window" || versions[1]["occurred_at"] != "2023-05-08" {
		t.Errorf("versions: %v", versions)
	}
	if back := h.want(200, alice, "POST", seat+"/restore", `{"version":1}`).json(t); back["value"] != "window" || back["version"] != 3.0 {
		t.Errorf("restored version: %v", back)
	}
	moved := h.want(200, alice, "POST", seat+"/rename", `{"to":"a/b"}`)
	if moved.header.Get("Location") != "/v1/stores/alice/memories/a%2Fb" || moved.json(t)["key"] != "a/b" {
		t.Errorf("renamed: %v %s", moved.header, moved.body)
	}
	h.want(404, alice, "GET", seat, "")
	if gone := h.want(204, alice, "DELETE", "/v1/stores/self/memories/a%2Fb", ""); gone.body != "" {
		t.Errorf("204 with a body: %q", gone.body)
	}
	trash := h.want(200, alice, "GET", "/v1/stores/self/trash", "").items(t, "items")
	if len(trash) != 1 || trash[0]["key"] != "a/b" || trash[0]["deleted_by"] != "alice" || trash[0]["occurred_at"] != "2023-05-08" {
		t.Errorf("trash: %v", trash)
	}
	h.want(200, alice, "POST", "/v1/stores/self/memories/a%2Fb/restore", "")
	h.want(404, alice, "POST", "/v1/stores/self/memories/a%2Fb/restore", "")
	h.want(204, alice, "DELETE", "/v1/stores/self/memories/a%2Fb", "")
	h.want(201, alice, "PUT", "/v1/stores/self/memories/a%2Fb", `{"value":1}`)
	h.want(409, alice, "POST", "/v1/stores/self/memories/a%2Fb/restore", "")
}

func TestAsOfReadsTheEntriesOfThatTime(t *testing.T) {
	h := open(t)
	first := h.want(201, alice, "PUT", seat, `{"value":"window"}`).json(t)["updated_at"].(string)
	h.clock.Advance(time.Second)
	h.want(200, alice, "PUT", seat, `{"value":"aisle"}`)
	asOf := "?as_of=" + url.QueryEscape(first)
	if got := h.want(200, alice, "GET", seat+asOf, "").json(t)["value"]; got != "window" {
		t.Errorf("the entry was %v", got)
	}
	if got := h.want(200, alice, "GET", "/v1/stores/self/memories"+asOf, "").items(t, "items"); len(got) != 1 || got[0]["value"] != "window" {
		t.Errorf("the list was %v", got)
	}
	h.want(404, alice, "GET", seat+"?as_of=2020", "")
	for _, target := range []string{seat, "/v1/stores/self/memories"} {
		for _, query := range []string{"?as_of=9999", "?as_of=soon", "?as_of=2020&timezone=Mars"} {
			if bad := h.want(422, alice, "GET", target+query, "").json(t); bad["field"] != "as_of" && bad["field"] != "timezone" {
				t.Errorf("%s: %v", query, bad)
			}
		}
	}
	h.want(403, bob, "GET", "/v1/stores/alice/memories"+asOf, "")
}

func TestEachVersionHasItsOwnSource(t *testing.T) {
	h := open(t)
	read := h.want(201, alice, "PUT", "/v1/stores/self/memories/read", `{"value":1}`).json(t)["id"].(string)
	hidden := h.want(201, bob, "PUT", "/v1/stores/self/memories/hidden", `{"value":1}`).json(t)["id"].(string)
	source := `{"tool":"<t>","session":"s","read":["` + read + `","` + hidden + `"],"extra":1}`
	want := map[string]any{"tool": "<t>", "session": "s", "read": []any{read}}
	shows := func(e map[string]any, want any) {
		t.Helper()
		if !reflect.DeepEqual(e["source"], want) {
			t.Errorf("the source is %v, want %v", e["source"], want)
		}
	}
	shows(h.want(201, alice, "PUT", seat, `{"value":"window","source":`+source+`}`).json(t), want)
	shows(h.want(200, alice, "GET", seat, "").json(t), want)
	shows(h.want(200, alice, "PUT", seat, `{"value":"aisle"}`).json(t), nil)
	shows(h.want(200, alice, "GET", seat, "").json(t), nil)
	shows(h.want(200, alice, "GET", seat+"/versions", "").items(t, "items")[1], want)
	for _, o := range h.outcomes(alice, `{"items":[{"op":"put","key":"batch","value":1,"source":`+source+`},{"op":"get","key":"batch"}]}`) {
		shows(o["entry"].(map[string]any), want)
	}
}

func TestAKeyIsOnePercentEncodedSegment(t *testing.T) {
	h := open(t)
	good := map[string]string{ // the key as written in the URL, and as the server reads it
		"a%2Fb": "a/b", "a%252Fb": "a%2Fb", "%252e%252e": "%2e%2e", "a%20b": "a b", "a+b": "a+b", "a%2Bb": "a+b",
		"a;b": "a;b", "a%3Bb": "a;b", "a,b": "a,b", "a%3Fb": "a?b", "a%23b": "a#b", "100%25": "100%", "%2525": "%25",
		"%C3%BC%E6%BC%A2": "ü漢", "ü": "ü", "a:b@c=d&e": "a:b@c=d&e", "versions": "versions", "a%22b": `a"b`, "%7Bkey%7D": "{key}",
		":key": ":key", "*": "*", "a%5Cb": `a\b`, "%F0%9F%98%80": "😀", "restore": "restore", "...": "...",
		"e%CC%81": "é", "%E2%84%AB": "Å", "A%CC%8A": "Å", // other Unicode forms of the key
	}
	for written, key := range good {
		target := "/v1/stores/self/memories/" + written
		value, err := json.Marshal("value of " + key)
		if err != nil {
			t.Fatal(err)
		}
		made := h.call(alice, "PUT", target+"?namespace=n%2Fs", `{"value":`+string(value)+`}`)
		if got := made.json(t)["key"]; got != key {
			t.Errorf("%s: key %q, want %q", written, got, key)
		}
		at := made.header.Get("Location")
		if made.status == 200 { // another form of a key that already exists
			at = target + "?namespace=n%2Fs"
		}
		if got := h.want(200, alice, "GET", at, "").json(t); got["key"] != key || got["namespace"] != "n/s" {
			t.Errorf("%s: Location %s leads to %v", written, at, got["key"])
		}
	}
	listed := h.want(200, alice, "GET", "/v1/stores/self/memories?limit=100", "").items(t, "items")
	keys := map[string]bool{}
	for _, key := range good {
		keys[key] = true
	}
	if len(listed) != len(keys) {
		t.Errorf("%d keys listed, want %d", len(listed), len(keys))
	}
	for written, status := range map[string]int{
		"%2e%2e": 422, ".": 422, "..": 422, "a%2F..%2Fb": 422, "%2Fa": 422, "a%2F": 422, "a%2F%2Fb": 422,
		"%00": 422, "a%0Ab": 422, "%E2%80%A8": 422, "%E2%80%8B": 422, "%7F": 422, "%FF": 422,
		strings.Repeat("a", 513): 422, strings.Repeat("%C3%BC", 257): 422, "": 404,
	} {
		h.want(status, alice, "PUT", "/v1/stores/self/memories/"+written, `{"value":1}`)
		h.want(status, alice, "GET", "/v1/stores/self/memories/"+written, "")
	}
	h.want(201, alice, "PUT", "/v1/stores/self/memories/"+strings.Repeat("%C3%BC", 256), `{"value":1}`)
}

func TestValuesComeBackByteForByte(t *testing.T) {
	h := open(t)
	for i, value := range []string{
		`"<a href=\"x\">&amp;\u2028\/</a>"`, `"\u00e9é\ud83d\ude00"`, `12345678901234567890.000100e+10`, `-0`, `1E300`,
		`null`, `true`, `[ 1 , {"b" : 2, "a":1, "b":3} ]`, "{\n\t\"a\" :\r\n 1 }", `""`, `"\ud800"`, `{}`, `"` + strings.Repeat("x", 90_000) + `"`,
		`"  spaces  "`, `{"<":">"}`,
	} {
		target := "/v1/stores/self/memories/v" + string(rune('a'+i))
		for _, body := range []string{`{"value":` + value + `}`, `{ "value" : ` + value + ` , "tags":[] }`} {
			a := h.call(alice, "PUT", target, body)
			if a.status != 200 && a.status != 201 {
				t.Fatalf("%.40s: %d %s", value, a.status, a.body)
			}
			for _, answer := range []string{
				a.body, h.want(200, alice, "GET", target, "").body, h.want(200, alice, "GET", target+"/versions", "").body,
				h.want(200, alice, "GET", "/v1/stores/self/memories?limit=100", "").body,
			} {
				if !strings.Contains(answer, `"value":`+value+`}`) {
					t.Errorf("%.40s: not in %.300s", value, answer)
				}
			}
		}
	}
	// In a stream, line breaks between tokens become spaces.
	stream := h.want(200, alice, "GET", "/v1/stores/self/export", "").body
	if !strings.Contains(stream, "\"value\":{ \t\"a\" :   1 }}\n") {
		t.Error("a value with line breaks is not on one line")
	}
}

func TestAnEncryptedBlobIsNeverLookedInto(t *testing.T) {
	h := open(t)
	blob := `"AQ<&>\u003c\/AAAA+/=="`
	h.want(201, alice, "PUT", seat, `{"encrypted":true,"value":`+blob+`}`)
	if got := h.want(200, alice, "GET", seat, "").body; !strings.Contains(got, `"value":`+blob+`}`) {
		t.Errorf("got %s", got)
	}
	if hits := h.want(200, alice, "POST", "/v1/search", `{"query":"seat AAAA"}`).items(t, "hits"); len(hits) != 0 {
		t.Errorf("found %v", hits)
	}
	h.want(422, alice, "POST", seat+"/rename", `{"to":"x"}`)
	h.want(409, alice, "PUT", seat, `{"encrypted":false,"value":1}`)
}

func TestConditionsAreReadAsInRFC9110(t *testing.T) {
	h := open(t)
	tag := h.want(201, alice, "PUT", seat, `{"value":1}`).header.Get("ETag")
	if len(tag) < 10 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		t.Fatalf("ETag: %s", tag)
	}
	tests := []struct {
		rule, method, name, value string
		status                    int
	}{
		{"a weak tag matches none-match", "GET", "If-None-Match", "W/" + tag, 304},
		{"the tag", "GET", "If-None-Match", tag, 304},
		{"any", "GET", "If-None-Match", "*", 304},
		{"one of several", "GET", "If-None-Match", `"x", ` + tag + `,"y"`, 304},
		{"a comma inside a tag", "GET", "If-None-Match", `"x,` + tag[1:], 200},
		{"another", "GET", "If-None-Match", `"x"`, 200},
		{"a quoted star is a tag", "GET", "If-None-Match", `"*"`, 200},
		{"no quotes", "GET", "If-None-Match", strings.Trim(tag, `"`), 400},
		{"half quotes", "GET", "If-None-Match", `"x`, 400},
		{"nothing", "GET", "If-None-Match", "", 400},
		{"commas alone", "GET", "If-None-Match", ", ,", 400},
		{"a star in a list", "GET", "If-None-Match", `*, "x"`, 400},
		{"a small w", "GET", "If-None-Match", "w/" + tag, 400},
		{"no comma", "GET", "If-None-Match", tag + tag, 400},
		{"a space in a tag", "GET", "If-None-Match", `"a b"`, 400},
		{"a weak tag never matches", "PUT", "If-Match", "W/" + tag, 412},
		{"another tag", "PUT", "If-Match", `"x"`, 412},
		{"a quoted star is no star", "PUT", "If-Match", `"*"`, 412},
		{"create only", "PUT", "If-None-Match", "*", 412},
		{"none of these", "PUT", "If-None-Match", tag, 412},
		{"delete of another", "DELETE", "If-Match", `"x"`, 412},
		{"rename of another", "POST", "If-Match", `"x"`, 412},
		{"empty elements are allowed", "PUT", "If-Match", `, "x",, ` + tag + ` ,`, 200},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			target, body := seat, ""
			switch test.method {
			case "PUT":
				body = `{"value":1}`
			case "POST":
				target, body = seat+"/rename", `{"to":"x"}`
			}
			a := h.call(alice, test.method, target, body, test.name, test.value)
			if a.status != test.status {
				t.Errorf("%s: %s: %d, want %d", test.name, test.value, a.status, test.status)
			}
			if a.status == 304 && (a.header.Get("ETag") != tag || a.body != "") {
				t.Errorf("304: %v %q", a.header, a.body)
			}
		})
	}
	now := h.want(200, alice, "GET", seat, "").header.Get("ETag")
	h.want(200, alice, "PUT", seat, `{"value":2}`, "If-Match", `"x"`, "If-Match", now) // two lines are one list
	h.want(412, alice, "PUT", seat, `{"value":2}`, "If-Match", now)
	h.want(200, alice, "PUT", seat, `{"value":2}`, "If-Match", "*")
	h.want(412, alice, "PUT", seat+"2", `{"value":2}`, "If-Match", "*")
	h.want(201, alice, "PUT", seat+"2", `{"value":2}`, "If-None-Match", "*")
}

func TestPagesAreConsistentAndCursorsAreBound(t *testing.T) {
	h := open(t)
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		h.want(201, alice, "PUT", "/v1/stores/self/memories/"+key, `{"value":1,"tags":["t"],"type":"user"}`)
		h.want(200, alice, "PUT", "/v1/stores/self/memories/"+key, `{"value":2}`)
	}
	var keys, cursor string
	for {
		target := "/v1/stores/self/memories?limit=2"
		if cursor != "" {
			target += "&cursor=" + url.QueryEscape(cursor)
		}
		page := h.want(200, alice, "GET", target, "").json(t)
		for _, item := range page["items"].([]any) {
			keys += item.(map[string]any)["key"].(string)
		}
		next, more := page["next_cursor"].(string)
		if !more {
			break
		}
		cursor = next
	}
	if keys != "abcde" {
		t.Errorf("keys %s", keys)
	}
	q := "cursor=" + url.QueryEscape(cursor)
	h.want(200, alice, "GET", "/v1/stores/alice/memories?limit=2&"+q, "")
	h.want(201, bob, "PUT", "/v1/stores/self/memories/a", `{"value":1}`)
	for name, status := range map[string]int{
		"/v1/stores/self/memories?tag=t&" + q:      400,
		"/v1/stores/self/memories?type=user&" + q:  400,
		"/v1/stores/self/memories?prefix=a&" + q:   400,
		"/v1/stores/self/memories?namespace=&" + q: 400,
		"/v1/stores/self/trash?" + q:               400,
		"/v1/stores/self/memories/a/versions?" + q: 400,
		"/v1/stores/self/memories?cursor=x":        400,
		"/v1/stores/self/memories?cursor=%21":      400,
	} {
		h.want(status, alice, "GET", name, "")
	}
	h.want(400, bob, "GET", "/v1/stores/self/memories?"+q, "")
	h.want(400, agent("alice", acl.Internal), "GET", "/v1/stores/self/memories?"+q, "")

	filtered := h.want(200, alice, "GET", "/v1/stores/self/memories?tag=t&tag=t&type=user&prefix=b&namespace=", "").items(t, "items")
	if len(filtered) != 1 || filtered[0]["key"] != "b" {
		t.Errorf("filtered: %v", filtered)
	}
	versions := h.want(200, alice, "GET", "/v1/stores/self/memories/a/versions?limit=1", "").json(t)
	next := h.want(200, alice, "GET", "/v1/stores/self/memories/a/versions?limit=1&cursor="+versions["next_cursor"].(string), "").items(t, "items")
	if len(next) != 1 || next[0]["version"] != 1.0 {
		t.Errorf("second page of versions: %v", next)
	}
	h.want(400, alice, "GET", "/v1/stores/self/memories/b/versions?cursor="+versions["next_cursor"].(string), "")
}

// Entries above the caller's taint do not exist: the answers have the same
// bytes except for the request ID.
func TestHiddenIsAbsentToTheByte(t *testing.T) {
	h := open(t)
	high := agent("alice", acl.Restricted)
	h.want(201, high, "PUT", "/v1/stores/self/memories/hidden", `{"value":"secret"}`)
	h.want(201, high, "PUT", "/v1/stores/self/memories/dropped", `{"value":"secret"}`)
	h.want(204, high, "DELETE", "/v1/stores/self/memories/dropped", "")
	requests := []struct{ method, target, body, name, value string }{
		{method: "GET", target: "/v1/stores/self/memories/KEY"},
		{method: "GET", target: "/v1/stores/self/memories/KEY", name: "If-None-Match", value: "*"},
		{method: "DELETE", target: "/v1/stores/self/memories/KEY"},
		{method: "DELETE", target: "/v1/stores/self/memories/KEY", name: "If-Match", value: `"x"`},
		{method: "GET", target: "/v1/stores/self/memories/KEY/versions"},
		{method: "POST", target: "/v1/stores/self/memories/KEY/restore"},
		{method: "POST", target: "/v1/stores/self/memories/KEY/restore", body: `{"version":1}`},
		{method: "POST", target: "/v1/stores/self/memories/KEY/rename", body: `{"to":"x"}`},
		{method: "PUT", target: "/v1/stores/self/memories/KEY", body: `{"value":1}`, name: "If-Match", value: "*"},
	}
	for _, r := range requests {
		var answers []string
		for _, key := range []string{"hidden", "dropped", "absent"} {
			var header []string
			if r.name != "" {
				header = []string{r.name, r.value}
			}
			a := h.call(alice, r.method, strings.ReplaceAll(r.target, "KEY", key), r.body, header...)
			p := a.json(t)
			delete(p, "instance")
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			a.header.Del("X-Request-Id")
			a.header.Del("RateLimit") // it counts requests
			header2, err := json.Marshal(a.header)
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, string(text)+string(header2))
		}
		if answers[0] != answers[2] || answers[1] != answers[2] {
			t.Errorf("%s %s:\n%s", r.method, r.target, strings.Join(answers, "\n"))
		}
	}
	made := h.want(201, alice, "PUT", "/v1/stores/self/memories/hidden", `{"value":1}`, "If-None-Match", "*").json(t)
	if made["version"] != 1.0 {
		t.Errorf("a create over a hidden entry has version %v", made["version"])
	}
	// An unknown store and a store without access are indistinguishable.
	known := h.want(403, bob, "GET", "/v1/stores/alice/memories", "").json(t)
	other := h.want(403, bob, "GET", "/v1/stores/nobody/memories", "").json(t)
	delete(known, "instance")
	delete(other, "instance")
	if len(known) != len(other) || known["detail"] != other["detail"] {
		t.Errorf("%v, %v", known, other)
	}
}

func TestAPostWithAnIdempotencyKeyHappensOnce(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", seat, `{"value":"one"}`)
	h.want(200, alice, "PUT", seat, `{"value":"two"}`)
	key := []string{"Idempotency-Key", "k-1"}
	first := h.want(200, alice, "POST", seat+"/restore", `{"version":1}`, key...)
	again := h.want(200, alice, "POST", "/v1/stores/alice/memories/seat/restore", `{ "version": 1 }`, key...)
	if first.body != again.body || first.header.Get("ETag") != again.header.Get("ETag") {
		t.Errorf("a replay answers\n%s, not\n%s", again.body, first.body)
	}
	h.want(422, alice, "POST", seat+"/restore", `{"version":2}`, key...)
	h.want(200, agent("alice", acl.Public), "POST", seat+"/restore", `{"version":2}`, "Idempotency-Key", "k-2")
	h.want(200, alice, "POST", seat+"/rename", `{"to":"moved"}`, key...) // another call: another scope
	replayed := h.want(200, alice, "POST", seat+"/rename", `{"to":"moved","to_store":"self"}`, key...)
	if replayed.json(t)["key"] != "moved" {
		t.Errorf("a replayed rename: %s", replayed.body)
	}
	h.want(404, alice, "POST", seat+"/rename", `{"to":"moved"}`, "Idempotency-Key", "k-3")
	for _, bad := range []string{"", "a b", "ü", strings.Repeat("k", 256)} {
		h.want(400, alice, "POST", "/v1/stores/self/memories/moved/restore", `{"version":1}`, "Idempotency-Key", bad)
	}
	h.want(400, alice, "POST", "/v1/stores/self/memories/moved/restore", `{"version":1}`, "Idempotency-Key", "a", "Idempotency-Key", "b")
	h.clock.Advance(25 * time.Hour)
	h.want(404, alice, "POST", seat+"/rename", `{"to":"moved"}`, key...)
	h.want(201, alice, "PUT", seat, `{"value":"three"}`)
	h.want(200, alice, "POST", seat+"/restore", `{"version":1}`, key...) // forgotten, so it is a new call
}

func TestLimitsAreReported(t *testing.T) {
	h := openWith(t, memory.Limits{Value: 20, Keys: 2, Bytes: 25})
	h.want(201, alice, "PUT", "/v1/stores/self/memories/a", `{"value":"12345678"}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/b", `{"value":"12345678"}`)
	full := h.want(429, alice, "PUT", "/v1/stores/self/memories/c", `{"value":1}`)
	if full.json(t)["limit"] != "keys" || full.header.Get("Retry-After") == "" {
		t.Errorf("%v %s", full.header, full.body)
	}
	if more := h.want(429, alice, "PUT", "/v1/stores/self/memories/b", `{"value":"123456789012345678"}`); more.json(t)["limit"] != "bytes" {
		t.Errorf("%s", more.body)
	}
	large := h.want(413, alice, "PUT", "/v1/stores/self/memories/a", `{"value":"1234567890123456789"}`)
	if large.json(t)["field"] != "value" {
		t.Errorf("%s", large.body)
	}
}

func TestWaitSaysWhetherASearchCanReturnIt(t *testing.T) {
	h := open(t) // without a model nothing is ever indexed, and nothing waits for it
	if got := h.want(201, alice, "PUT", seat+"?wait=indexed", `{"value":"x"}`).json(t)["indexed"]; got != false && got != true {
		t.Errorf("indexed: %v", got)
	}
	h.want(400, alice, "PUT", seat+"?wait=forever", `{"value":"x"}`)
}

// A program that writes MEMORY.md from an export must know which texts are the
// owner's.
func TestAnEntryNamesOtherAuthorsOfItsFields(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", seat, `{"value":"window","type":"user","description":"hers"}`)
	h.want(200, alice, "PUT", "/v1/stores/self/grants/bob", `{"level":"readwrite"}`)
	check := func(description any) {
		t.Helper()
		e := h.want(200, alice, "GET", seat, "").json(t)
		if e["type_by"] != nil || e["description_by"] != description {
			t.Errorf("type_by %v, description_by %v, want none and %v", e["type_by"], e["description_by"], description)
		}
		exported := h.want(200, alice, "GET", "/v1/stores/self/export", "")
		if got := strings.Contains(exported.body, `"description_by":"bob"`); got != (description != nil) {
			t.Errorf("exported: %s", exported.body)
		}
	}
	check(nil)
	h.want(200, bob, "PUT", "/v1/stores/alice/memories/seat", `{"value":"aisle","description":"his"}`)
	check("bob")
	h.want(200, alice, "PUT", seat, `{"value":"window"}`)
	check("bob")
	h.want(200, alice, "PUT", seat, `{"value":"window","description":"hers again"}`)
	check(nil)
}

// An Idempotency-Key belongs to the entry, whatever the Unicode normalization form of its
// path.
func TestAnIdempotencyKeyHoldsForEveryFormOfAPath(t *testing.T) {
	h := open(t)
	const composed, decomposed = "/v1/stores/self/memories/caf%C3%A9", "/v1/stores/self/memories/cafe%CC%81"
	h.want(201, alice, "PUT", composed, `{"value":1}`)
	h.want(200, alice, "PUT", composed, `{"value":2}`)
	for _, target := range []string{composed, decomposed, composed} {
		restored := h.want(200, alice, "POST", target+"/restore", `{"version":1}`, "Idempotency-Key", "k-1").json(t)
		if restored["version"] != 3.0 || restored["key"] != "caf\u00e9" {
			t.Errorf("%s: %v", target, restored)
		}
	}
	renamed := h.want(200, alice, "POST", decomposed+"/rename", `{"to":"u\u0308ber"}`, "Idempotency-Key", "k-2")
	if got := renamed.header.Get("Location"); got != "/v1/stores/alice/memories/%C3%BCber" {
		t.Errorf("Location %s", got)
	}
	h.want(200, alice, "POST", composed+"/rename", `{"to":"über"}`, "Idempotency-Key", "k-2")
}
