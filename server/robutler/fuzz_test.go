package robutler_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// For any input, no answer is a 5xx, every answer is JSON, and another
// agent's store is never accessible.
func FuzzRequests(f *testing.F) {
	h := open(f)
	h.want(200, alice, "PUT", root+"/k", `{"value":"the canary of alice"}`)
	token := h.Token(bob)
	for _, seed := range []struct{ method, target, body string }{
		{"GET", "/k?agentId=bob&store=alice&chatId=alice&userId=alice", ""},
		{"PUT", "/a%2Fb%00", `{"value":{"a":[1,"\ud800"]},"ttl":1e9,"inContext":false,"encrypted":true,"namespace":"ü"}`},
		{"PUT", "/k", `{"value":1,"store":"alice","agentId":"alice"}`},
		{"DELETE", "/%2e%2e%2f%2e%2e", ""},
		{"GET", "?agentId=bob&store=self&inContext=true&prefix=a&namespace=n", ""},
		{"GET", "?action=search&q=\"canary\" OR *&store=alice", ""},
		{"GET", "?action=search&q=canary&chatId=alice", ""},
		{"GET", "?action=stores&chatId=%ff", ""},
		{"POST", "?action=share", `{"store":"alice","grantee":"bob","level":"readwrite","ttl":-0.0}`},
		{"DELETE", "?action=share&store=alice&grantee=bob", ""},
		{"GET", "-scoped?action=get&namespace=owner&key=k", ""},
		{"GET", "-scoped?action=list&namespace=caller:user:x&namespace=shared&prefix=a&limit=2&excludeSource=tool&agentId=alice", ""},
		{"GET", "-scoped?action=search&q=canary&limit=-1", ""},
		{"GET", "-scoped?action=sync&namespace=owner&since=a/b", ""},
		{"PUT", "-scoped", `{"namespace":"caller:a","key":"k","content":"c","source":"tool","at":"2026-03-01T12:00:00.000Z","description":"d\n"}`},
		{"DELETE", "-scoped?namespace=owner&key=k", ""},
		{"POST", "-scoped?action=sync", `{"namespace":"owner","lines":[{"op":"put","key":"k","content":"c","at":"2026-03-01T12:00:00Z"},{"op":"delete","key":"k","at":"9999-01-01T00:00:00Z"},null]}`},
	} {
		f.Add(seed.method, seed.target, seed.body)
	}
	f.Fuzz(func(t *testing.T, method, target, text string) {
		r, err := http.NewRequest(method, "http://mneme.test"+root+target, strings.NewReader(text))
		if err != nil {
			return // net/http itself refuses it
		}
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch {
		case w.Code >= 500:
			t.Fatalf("%d %s", w.Code, w.Body)
		case w.Code >= 400 && w.Header().Get("Content-Type") != "application/problem+json":
			t.Fatalf("%d is no problem: %s", w.Code, w.Body)
		case method != http.MethodHead && !json.Valid(w.Body.Bytes()):
			t.Fatalf("%d is not JSON: %s", w.Code, w.Body)
		case strings.Contains(w.Body.String(), "canary of alice"):
			t.Fatalf("%s %s opened another's store", method, target)
		}
	})
}
