package robutler_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What the API's clients send and it does not know is no error.
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

func TestWhatCannotBeReadIsMalformed(t *testing.T) {
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
		{"PUT", "/k", `{"value":1,"ttl":0.5}`, "ttl"},
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
	h.want(415, alice, "PUT", root+"/k", `{"value":1}`, "Content-Encoding", "gzip")
	h.want(200, alice, "PUT", root+"/k", `{"value":1}`, "Content-Type", "application/json; charset=UTF-8")
	h.want(200, alice, "PUT", root+"/k", `{"value":1}`, "Content-Type", "")
	for _, method := range []string{"POST", "PATCH"} {
		h.want(405, alice, method, root+"/k", `{"value":1}`)
	}
	h.want(405, alice, "PUT", root, `{"value":1}`)
}

// The rules of keys hold in every spelling, so that no key leaves its store.
func TestKeysInEverySpelling(t *testing.T) {
	h := open(t)
	h.want(200, alice, "PUT", root+"/a%2Fb", `{"value":1}`)
	for _, same := range []string{"/a/b", "/a%2fb", "/%61/b", "//a%2Fb"} {
		status := 200
		if same[1] == '/' {
			status = 422
		}
		h.want(status, alice, "GET", root+same, "")
	}
	h.want(200, alice, "PUT", root+"/a+b%20c%252F%3Fd%23", `{"value":"as it is"}`)
	if keys := h.want(200, alice, "GET", root+"?prefix=a%2Bb", "").all(t, "keys", ""); len(keys) != 1 || keys[0] != "a+b c%2F?d#" {
		t.Errorf("%q", keys)
	}
	for _, key := range []string{
		"../bob/k", "a/../../bob/k", "%2e%2e/bob", "%2e%2e%2fbob%2fk", "a%2F..%2Fb", "a/./b", ".", "..", "%2E",
		"a//b", "a%2F%2Fb", "a/", "%2Fa", "a%00b", "a%0Ab", "a%E2%80%A8b", "a%E2%80%AEb", "a%ff", "e%CC%81",
		strings.Repeat("k", 513), strings.Repeat("%C3%BC", 257),
	} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			h.want(422, alice, method, root+"/"+key, `{"value":1}`)
		}
	}
	// A double encoding is a name like any other, and leads nowhere.
	h.want(200, alice, "PUT", root+"/%252e%252e%252fbob", `{"value":1}`)
	h.want(200, alice, "PUT", root+"/..%5Cbob", `{"value":1}`)
	h.want(403, bob, "GET", root+"/a/b?store=alice", "")
}

func TestRulesNameTheFieldThatTheClientSent(t *testing.T) {
	h := open(t)
	for _, c := range []struct{ method, target, body, field string }{
		{"PUT", "/k", `{"value":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "value"},
		{"PUT", "/k", `{"value":1,"ttl":-1}`, "ttl"},
		{"PUT", "/k", `{"value":1,"ttl":1e999}`, "ttl"},
		{"PUT", "/k", `{"value":1,"ttl":99999999999}`, "ttl"},
		{"PUT", "/k", `{"value":1,"namespace":"` + strings.Repeat("n", 65) + `"}`, "namespace"},
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
	// Who may not write to the store learns that before anything else.
	h.want(403, bob, "PUT", root+"/..", `{"value":1,"store":"alice","ttl":-1}`)
	h.want(403, bob, "POST", root+"?action=share", `{"store":"alice","grantee":"carol","level":"owner"}`)
}

// A body that never ends is cut off at the limit, not read.
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
