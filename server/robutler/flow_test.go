package robutler_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// skill calls the API in the style of either skill: TypeScript encodes the
// whole key and sends Bearer, Python leaves slashes unencoded and sends
// X-API-Key.
type skill struct {
	*harness
	python bool
	store  string
}

func (s skill) call(method, key, sent string) answer {
	target := root + "/" + url.PathEscape(key)
	header := []string{"Authorization", "Bearer TOKEN"}
	if s.python {
		target = root + "/" + strings.ReplaceAll(url.PathEscape(key), "%2F", "/")
		header = []string{"Authorization", "", "X-API-Key", "TOKEN"}
	}
	if method != http.MethodPut {
		target += "?agentId=alice&store=" + s.store + "&chatId=chat-1&userId="
	}
	return s.harness.call(alice, method, target, sent, header...)
}

func (s skill) view(t *testing.T, key string) string {
	t.Helper()
	a := s.call("GET", key, "")
	if a.status != 200 {
		t.Fatalf("view: %d %s", a.status, a.body)
	}
	text, _ := a.json(t)["value"].(string)
	return text
}

func (s skill) set(t *testing.T, key, value string, ttl bool) {
	t.Helper()
	sent := map[string]any{"value": value, "agentId": "alice", "store": s.store, "chatId": "chat-1", "userId": nil}
	if ttl {
		sent["ttl"] = 0
	}
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	if a := s.call("PUT", key, string(text)); a.status != 200 {
		t.Fatalf("set: %d %s", a.status, a.body)
	}
}

// The skills' create, edit (view, then create again) and rename (view, create, then delete)
// work in the own store and in a chat's.
func TestEditAndRenameAsTheSkillsDoThem(t *testing.T) {
	for _, s := range []skill{{python: false, store: "alice"}, {python: true, store: "alice"}, {python: false, store: "chat-1"}, {python: true, store: "chat-1"}} {
		s.harness = open(t)
		s.join("chat-1", "alice")
		const from, to = "people/Zoë & Co/tea?", "people/zoë 100%"
		s.set(t, from, "She drinks green tea, green as grass.", true)
		s.set(t, from, strings.Replace(s.view(t, from), "green", "black", 1), false)
		if got := s.view(t, from); got != "She drinks black tea, green as grass." {
			t.Errorf("after the edit: %q", got)
		}
		s.set(t, to, s.view(t, from), false)
		if a := s.call("DELETE", from, ""); a.status != 200 {
			t.Fatalf("delete: %d", a.status)
		}
		if a := s.call("GET", from, ""); a.status != 404 {
			t.Errorf("the old key after the rename: %d", a.status)
		}
		if got := s.view(t, to); got != "She drinks black tea, green as grass." {
			t.Errorf("the new key after the rename: %q", got)
		}
		keys := s.want(200, alice, "GET", root+"?agentId=alice&store="+s.store+"&inContext=true", "").all(t, "keys", "")
		if len(keys) != 1 || keys[0] != to {
			t.Errorf("listed: %q", keys)
		}
	}
}

// The skill's rename of an entry that is not in context leaves the entry
// unchanged.
func TestARenamePreservesEntriesNotInContext(t *testing.T) {
	s := skill{harness: open(t), store: "alice"}
	s.want(200, alice, "PUT", root+"/oauth", `{"value":"token","inContext":false}`)
	if a := s.call("DELETE", "oauth", ""); a.status != 404 {
		t.Errorf("delete: %d", a.status)
	}
	s.want(200, alice, "GET", root+"/oauth", "")
}

// Values are returned byte for byte, of any JSON type.
func TestValuesComeBackAsTheyWent(t *testing.T) {
	h := open(t)
	for _, value := range []string{`null`, `0`, `""`, `false`, `[]`, `{"b": 1.0, "a" :[ 2e5 ], "b<": "\u003c"}`, `"\ud83d\ude00 <b>"`, `12345678901234567890.5`} {
		h.want(200, alice, "PUT", root+"/v", `{"value":`+value+`}`)
		a := h.want(200, alice, "GET", root+"/v", "")
		if !strings.HasSuffix(a.body, `,"value":`+value+"}\n") {
			t.Errorf("%s came back in %s", value, a.body)
		}
	}
}
