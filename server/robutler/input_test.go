package robutler_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Unknown members from the API's clients are not errors.
func TestUnknownParametersAndFieldsAreLetPass(t *testing.T) {
	h := open(t)
	h.want(200, alice, "PUT", root+"/k?x=1&x=2&action=share", `{"value":1,"x":{"y":[null]},"type":7,"tags":"t","VALUE":2,"chatId":9,"userId":[]}`)
	h.want(200, alice, "GET", root+"/k?x=1&limit=a&action=search&agentId=&store=&namespace=", "")
	h.want(200, alice, "GET", root+"?action=search&q=k&limit=zero&namespace=y&explain=1", "")
	h.want(200, alice, "GET", root+"/?action=stores&q=", "")
	h.want(200, alice, "POST", root+"?action=share&x=1", `{"grantee":"bob","level":"","x":1,"store":null}`)
	h.want(200, alice, "GET", root+"?store=self&agentId=alice", `{"a body": "where none is expected"}`)
	h.want(200, alice, "DELETE", root+"/k?agentId=alice", "not even JSON")
}

func TestUnreadableInputIsMalformed(t *testing.T) {
	h := open(t)
	h.want(200, alice, "PUT", root+"/k", `{"value":1}`)
	for _, c := range []struct{ method, target, body, field string }{
		{"GET", "/k?namespace=%zz", "", ""},
		{"GET", "/k?namespace=a;b", "", ""},
		{"GET", "/k?namespace=%ff", "", "namespace"},
		{"GET", "/k?namespace=a&namespace=b", "", "namespace"},
		{"GET", "/k?store=a&store=b", "", "store"},
		{"GET", "/k?agentId=alice&agentId=alice", "", "agentId"},
		{"GET", "/k?store=a%2Fb", "", "store"},
		{"GET", "/k?store=..", "", "store"},
		{"GET", "/k?store=shared", "", "store"},
		{"GET", "?inContext=maybe", "", "inContext"},
		{"GET", "?action=nothing", "", "action"},
		{"GET", "?action=share", "", "action"},
		{"GET", "?action=search&action=stores&q=x", "", "action"},
		{"GET", "?action=search", "", "q"},
		{"GET", "?action=search&q=%ff", "", "q"},
		{"GET", "?action=search&q=a&q=b", "", "q"},
		{"POST", "", `{"grantee":"bob"}`, "action"},
		{"DELETE", "", "", "action"},
		{"POST", "?action=share", `{}`, "grantee"},
		{"POST", "?action=share", `{"grantee":7}`, "grantee"},
		{"POST", "?action=share", `{"grantee":".."}`, "grantee"},
		{"POST", "?action=share", `{"grantee":"bob","level":1}`, "level"},
		{"POST", "?action=share", `{"grantee":"bob","ttl":"1"}`, "ttl"},
		{"DELETE", "?action=share", "", "grantee"},
		{"PUT", "/k", ``, ""},
		{"PUT", "/k", `{`, ""},
		{"PUT", "/k", `[]`, ""},
		{"PUT", "/k", `null`, ""},
		{"PUT", "/k", `{"value":1}{}`, ""},
		{"PUT", "/k", `{"value":1,"value":2}`, ""},
		{"PUT", "/k", "{\"value\":\"\xff\"}", ""},
		{"PUT", "/k", `{"ttl":1}`, "value"},
		{"PUT", "/k", `{"value":1,"ttl":"60"}`, "ttl"},
		{"PUT", "/k", `{"value":1,"ttl":true}`, "ttl"},
		{"PUT", "/k", `{"value":1,"inContext":"false"}`, "inContext"},
		{"PUT", "/k", `{"value":1,"encrypted":0}`, "encrypted"},
		{"PUT", "/k", `{"value":1,"namespace":7}`, "namespace"},
		{"PUT", "/k", `{"value":1,"namespace":"\ud800"}`, "namespace"},
		{"PUT", "/k", `{"value":1,"agentId":{}}`, "agentId"},
		{"PUT", "/k", `{"value":1,"store":"a b"}`, "store"},
		{"PUT", "/k?store=bob", `{"value":1,"store":"alice"}`, "store"},
		{"PUT", "/k", `{"value":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, ""},
		{"PUT", "/k", `{"value":1,"x":` + strings.Repeat(`{"a":`, 20_000) + `1` + strings.Repeat("}", 20_000) + `}`, ""},
	} {
		a := h.want(400, alice, c.method, root+c.target, c.body)
		if field, _ := a.json(t)["field"].(string); field != c.field {
			t.Errorf("%s %s %.60s: field %q, want %q", c.method, c.target, c.body, field, c.field)
		}
	}
	h.want(415, alice, "PUT", root+"/k", `{"value":1}`, "Content-Type", "text/plain")
	h.want(415, alice, "PUT", root+"/k", `{"value":1}`, "Content-Type", "application/json; charset=latin1")
	h.want(415, alice, "PUT", root+"/k", `{"value":1}`, "Content-Encoding", "br")
	h.want(200, alice, "PUT", root+"/k", `{"value":1}`, "Content-Type", "application/json; charset=UTF-8")
	h.want(200, alice, "PUT", root+"/k", `{"value":1}`, "Content-Type", "")
	for _, method := range []string{"POST", "PATCH"} {
		h.want(405, alice, method, root+"/k", `{"value":1}`)
	}
	h.want(405, alice, "PUT", root, `{"value":1}`)
}

// A key that breaks the rules is normalized, and never leaves its store: see
// normalKey.
func TestKeysInEverySpelling(t *testing.T) {
	h := open(t)
	h.want(200, alice, "PUT", root+"/a%2Fb", `{"value":1}`)
	for _, same := range []string{
		"/a/b", "/a%2fb", "/%61/b", "//a%2Fb", "/a//b", "/a%2F%2Fb", "/a/b/", "/%2Fa%2Fb", "/a/./b", "/./a/b/.",
		"/a%2F..%2Fb", "/%2e%2e/a/b", "/a%00/b", "/a%0A/b", "/a/b%E2%80%A8", "/a/%E2%80%AEb",
	} {
		if key := h.want(200, alice, "GET", root+same, "").json(t)["key"]; key != "a/b" {
			t.Errorf("%s is %q", same, key)
		}
	}
	h.want(200, alice, "PUT", root+"/a+b%20c%252F%3Fd%23", `{"value":"as it is"}`)
	if keys := h.want(200, alice, "GET", root+"?prefix=a%2Bb", "").all(t, "keys", ""); len(keys) != 1 || keys[0] != "a+b c%2F?d#" {
		t.Errorf("%q", keys)
	}
	for _, of := range []struct{ spelled, key string }{
		{"a%ff", "a\uFFFD"},
		{"e%CC%81", "é"},
		{strings.Repeat("k", 512), strings.Repeat("k", 512)},
	} {
		if key := h.want(200, alice, "PUT", root+"/"+of.spelled, `{"value":1}`).json(t)["key"]; key != of.key {
			t.Errorf("%s is %q", of.spelled, key)
		}
	}
	// Long keys stay distinct.
	seen := map[any]bool{}
	for _, key := range []string{strings.Repeat("k", 513), strings.Repeat("k", 514), strings.Repeat("%C3%BC", 257), strings.Repeat("e%CC%81", 300)} {
		short := h.want(200, alice, "PUT", root+"/"+key, `{"value":1}`).json(t)["key"]
		if seen[short] || short != h.want(200, alice, "GET", root+"/"+key, "").json(t)["key"] || len(short.(string)) > 512 {
			t.Errorf("%s is %q", key, short)
		}
		seen[short] = true
	}
	for _, key := range []string{".", "..", "%2E", "%2F", "%00", "..%2F.."} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			h.want(422, alice, method, root+"/"+key, `{"value":1}`)
		}
	}
	// No key leads to another store.
	h.want(404, alice, "GET", root+"/../../bob/k", "")
	h.want(200, alice, "PUT", root+"/%252e%252e%252fbob", `{"value":1}`)
	h.want(200, alice, "PUT", root+"/..%5Cbob", `{"value":1}`)
	h.want(403, bob, "GET", root+"/a/b?store=alice", "")
}

func TestPrefixesAreNormalToo(t *testing.T) {
	h := open(t)
	for _, key := range []string{"a/b", "a/c", "ab"} {
		h.want(200, alice, "PUT", root+"/"+key, `{"value":1}`)
	}
	for prefix, n := range map[string]int{"": 3, "%2F": 3, "a": 3, "%2Fa": 3, "a%2F": 2, "%2Fa%2F%2F": 2, "a%2Fb": 1, "a%2F%2Fb": 1, "b": 0} {
		if keys := h.want(200, alice, "GET", root+"?prefix="+prefix, "").all(t, "keys", ""); len(keys) != n {
			t.Errorf("%s: %q", prefix, keys)
		}
	}
}

func TestAFractionOfATimeToLiveIsRoundedUp(t *testing.T) {
	h := open(t)
	for ttl, want := range map[string]string{"0.1": "2026-03-01T12:00:01Z", "59.5": "2026-03-01T12:01:00Z", "6e1": "2026-03-01T12:01:00Z"} {
		if got := h.want(200, alice, "PUT", root+"/k", `{"value":1,"ttl":`+ttl+`}`).json(t)["expiresAt"]; got != want {
			t.Errorf("%s: %v, want %s", ttl, got, want)
		}
	}
}

// The skills print the member error; programs read the problem's members.
func TestProblemsHaveTheirTextAsError(t *testing.T) {
	h := open(t)
	for _, c := range []struct {
		status               int
		method, target, body string
		header               []string
	}{
		{401, "GET", root + "/k", "", []string{"Authorization", "Bearer x"}},
		{400, "GET", root + "?action=nothing", "", nil},
		{403, "GET", root + "/k?store=bob", "", nil},
		{404, "GET", root + "/k", "", nil},
		{404, "GET", "/api/storage/other", "", nil},
		{405, "PATCH", root + "/k", "", nil},
		{413, "PUT", root + "/k", `{"value":"` + strings.Repeat("x", 200_000) + `"}`, nil},
		{403, "GET", notesRoot + "?action=list&agentId=bob", "", nil},
	} {
		got := h.want(c.status, alice, c.method, c.target, c.body, c.header...).json(t)
		text, _ := got["error"].(string)
		if text == "" || got["type"] == "" || got["detail"] != nil && got["detail"] != text {
			t.Errorf("%s %s: %v", c.method, c.target, got)
		}
	}
	if native := h.want(404, alice, "GET", "/v1/stores/self/memories/k", "").json(t); native["error"] != nil {
		t.Errorf("%v", native)
	}
}

func TestRulesNameTheFieldThatTheClientSent(t *testing.T) {
	h := open(t)
	for _, c := range []struct{ method, target, body, field string }{
		{"PUT", "/k", `{"value":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "value"},
		{"PUT", "/k", `{"value":1,"ttl":-1}`, "ttl"},
		{"PUT", "/k", `{"value":1,"ttl":1e999}`, "ttl"},
		{"PUT", "/k", `{"value":1,"ttl":99999999999}`, "ttl"},
		{"PUT", "/k", `{"value":1,"namespace":"` + strings.Repeat("n", 257) + `"}`, "namespace"},
		{"GET", "?prefix=%00", "", "prefix"},
		{"GET", "?namespace=%00", "", "namespace"},
		{"GET", "?action=search&q=", "", "q"},
		{"GET", "?action=search&q=%20", "", "q"},
		{"POST", "?action=share", `{"grantee":"bob","level":"owner"}`, "level"},
		{"POST", "?action=share", `{"grantee":"bob","level":"readwrite","ttl":-1}`, "ttl"},
		{"POST", "?action=share", `{"grantee":"alice"}`, "grantee"},
	} {
		a := h.want(422, alice, c.method, root+c.target, c.body)
		if field := a.json(t)["field"]; field != c.field {
			t.Errorf("%s %s: field %v, want %s", c.method, c.target, field, c.field)
		}
	}
	// Without write access, the access error comes before all others.
	h.want(403, bob, "PUT", root+"/..", `{"value":1,"store":"alice","ttl":-1}`)
	h.want(403, bob, "POST", root+"?action=share", `{"store":"alice","grantee":"carol","level":"owner"}`)
}

// An endless body is cut off at the limit, not read.
func TestABodyIsReadUpToItsLimitAlone(t *testing.T) {
	h := open(t)
	endless := &spaces{}
	r := httptest.NewRequest(http.MethodPut, root+"/k", endless)
	r.Header.Set("Authorization", "Bearer "+h.Token(alice))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 413 {
		t.Errorf("status %d", w.Code)
	}
	if endless.read > 4<<20 {
		t.Errorf("read %d bytes", endless.read)
	}
}

type spaces struct{ read int }

func (s *spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	s.read += len(p)
	return len(p), nil
}
