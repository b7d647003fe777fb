package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mneme/acl"
	"mneme/server/token"
)

const apiKeys = "/v1/admin/keys"

// makeKey creates an API key as the platform, and returns its secret and ID.
func (h *harness) makeKey(body string) (secret, id string) {
	h.t.Helper()
	made := h.want(201, platform, "POST", apiKeys, body)
	if got := made.header.Get("Cache-Control"); got != "no-store" {
		h.t.Errorf("Cache-Control: %q", got)
	}
	read := made.json(h.t)
	return read["secret"].(string), read["key"].(map[string]any)["id"].(string)
}

// status returns the status of a list of the own store with a credential.
func (h *harness) status(credential string) int {
	r := httptest.NewRequest(http.MethodGet, "/v1/stores/self/memories", nil)
	r.Header.Set("X-API-Key", credential)
	return h.send(r).status
}

func TestAKeyCountsFromItsMakingToItsEnd(t *testing.T) {
	h := open(t)
	secret, id := h.makeKey(`{"agent":"job","name":"the shop","chat":"c","user":"u","ttl":60}`)
	other, _ := h.makeKey(`{"agent":"other"}`)
	if got := h.status(secret); got != 200 {
		t.Errorf("status %d with a key that was just made", got)
	}
	list := h.want(200, platform, "GET", apiKeys+"?agent=job", "").items(t, "keys")
	if len(list) != 1 {
		t.Fatalf("the keys of an agent: %v", list)
	}
	one := list[0]
	if one["id"] != id || one["name"] != "the shop" || one["kind"] != "api-key" || one["agent"] != "job" || one["taint"] != "PUBLIC" || one["state"] != "valid" ||
		one["chat"] != "c" || one["user"] != "u" || one["expires_at"] == nil || len(one["scopes"].([]any)) != 0 {
		t.Errorf("%v", one)
	}
	h.clock.Advance(time.Minute)
	if got := h.status(secret); got != 401 {
		t.Errorf("status %d with a key that has expired", got)
	}
	list = h.want(200, platform, "GET", apiKeys, "").items(t, "keys")
	if len(list) != 2 || list[0]["state"] != "expired" || list[1]["state"] != "valid" || list[1]["expires_at"] != nil {
		t.Errorf("%v", list)
	}
	for range 2 { // again is the same
		h.want(204, platform, "DELETE", apiKeys+"/"+list[1]["id"].(string), "")
	}
	if got := h.status(other); got != 401 {
		t.Errorf("status %d with a key that was just revoked", got)
	}
	h.want(404, platform, "DELETE", apiKeys+"/0123", "")
}

func TestATokenOfTheLocalKeyIsListedAndRevoked(t *testing.T) {
	h := open(t)
	tokens, err := token.OpenIssued(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	issued, err := tokens.Issue(h.Key, acl.Principal{Agent: "ada", Taint: acl.Internal, Share: true}, "laptop", time.Hour, h.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	list := h.want(200, platform, "GET", apiKeys, "").items(t, "keys")
	if len(list) != 1 || list[0]["kind"] != "token" || list[0]["name"] != "laptop" || fmt.Sprint(list[0]["scopes"]) != "[share]" {
		t.Fatalf("%v", list)
	}
	if got := h.status(issued); got != 200 {
		t.Errorf("status %d before", got)
	}
	h.want(204, platform, "DELETE", apiKeys+"/"+list[0]["id"].(string), "")
	if got := h.status(issued); got != 401 {
		t.Errorf("status %d after", got)
	}
}

func TestOnlyThePlatformManagesKeys(t *testing.T) {
	h := open(t)
	_, id := h.makeKey(`{"agent":"alice"}`)
	for _, p := range []acl.Principal{alice, {Agent: "alice", Taint: acl.Restricted, Share: true, Spend: true}} {
		h.want(403, p, "GET", apiKeys, "")
		h.want(403, p, "GET", apiKeys+"?agent=alice", "")
		h.want(403, p, "POST", apiKeys, `{"agent":"alice"}`)
		// The error is the same whether the key exists or not.
		for _, any := range []string{id, "none"} {
			h.want(403, p, "DELETE", apiKeys+"/"+any, "")
		}
	}
	if list := h.want(200, platform, "GET", apiKeys, "").items(t, "keys"); len(list) != 1 || list[0]["state"] != "valid" {
		t.Errorf("refused calls changed the keys: %v", list)
	}
}

// SECURITY: creating keys must not extend the creator's rights.
func TestAKeyHasNoMoreThanItsMaker(t *testing.T) {
	h := open(t)
	labels := []acl.Label{acl.Public, acl.Internal, acl.Confidential, acl.Restricted}
	for _, taint := range labels {
		for maker := range 8 {
			p := acl.Principal{Agent: "maker", Taint: taint, Platform: maker&1 != 0, Share: maker&2 != 0, Spend: maker&4 != 0}
			for _, label := range labels {
				for key := range 8 {
					var scopes []string
					for i, name := range []string{"platform", "share", "spend"} {
						if key>>i&1 != 0 {
							scopes = append(scopes, `"`+name+`"`)
						}
					}
					want := 403
					if p.Platform && label <= taint && key&^maker == 0 {
						want = 201
					}
					h.want(want, p, "POST", apiKeys, fmt.Sprintf(`{"agent":"made","taint":%q,"scopes":[%s]}`, label, strings.Join(scopes, ",")))
				}
			}
		}
	}
	for _, one := range h.want(200, platform, "GET", apiKeys, "").items(t, "keys") {
		if one["agent"] != "made" {
			t.Errorf("%v", one)
		}
	}
	refused := h.want(403, platform, "POST", apiKeys, `{"agent":"made","scopes":["spend"]}`)
	if detail, _ := refused.json(t)["detail"].(string); !strings.Contains(detail, "no scope and no taint above") {
		t.Errorf("the refusal does not say why: %q", detail)
	}
}

func TestAKeyKeepsTheRulesOfTheCommand(t *testing.T) {
	h := open(t)
	h.want(204, platform, "PUT", "/v1/chats/talk/participants/bob", "{}")
	for body, want := range map[string]int{
		`{"agent":"a b"}`:                                   400,
		`{"agent":"self"}`:                                  400,
		`{"agent":"a","chat":".."}`:                         400,
		`{"agent":"a","user":""}`:                           400,
		`{"agent":"a","name":"two\nlines"}`:                 422,
		`{"agent":"a","name":"\u202e"}`:                     422,
		`{"agent":"a","name":"` + long(100) + `"}`:          201,
		`{"agent":"a","name":"` + long(101) + `"}`:          422,
		`{"agent":"a","taint":"SECRET"}`:                    422,
		`{"agent":"a","scopes":["admin"]}`:                  422,
		`{"agent":"a","scopes":["platform share"]}`:         422,
		`{"agent":"a","scopes":[""]}`:                       422,
		`{"agent":"a","scopes":[]}`:                         201,
		`{"agent":"a","scopes":["platform","platform"]}`:    201,
		`{"agent":"a","ttl":-1}`:                            422,
		`{"agent":"a","ttl":3153600001}`:                    422,
		`{"agent":"a","ttl":3153600000}`:                    201,
		`{"agent":"talk"}`:                                  409,
		`{"agent":"a","secret":"mneme_0_0"}`:                400,
		`{"agent":"a","id":"0"}`:                            400,
		`{"name":"nobody's"}`:                               400,
		`{"agent":"a","taint":"INTERNAL","name":"two\nl"}`:  403, // access is judged first
		`{"agent":"talk","scopes":["share"],"ttl":1}`:       403,
		`{"agent":"talk","name":"` + long(101) + `"}`:       422,
		`{"agent":"a","chat":"c","user":"u","name":"日本語"}`:  201,
		`{"agent":"a","scopes":"platform"}`:                 400,
		`{"agent":"a","scopes":[null]}`:                     400,
		`{"agent":"a","name":"` + "\\u0000" + `","ttl":10}`: 422,
	} {
		h.want(want, platform, "POST", apiKeys, body)
	}
}

func long(n int) string { return strings.Repeat("n", n) }

// The secret appears only in the answer to the key's creator.
func TestASecretIsShownOnce(t *testing.T) {
	h := open(t)
	body := `{"agent":"job","name":"once"}`
	first := h.want(201, platform, "POST", apiKeys, body, "Idempotency-Key", "k").json(t)["secret"].(string)
	second := h.want(201, platform, "POST", apiKeys, body, "Idempotency-Key", "k").json(t)["secret"].(string)
	if first == second || h.status(first) != 200 || h.status(second) != 200 {
		t.Error("a call was answered from a record")
	}
	h.want(400, platform, "POST", apiKeys, `{"agent":"job","name":"`+first+`","secret":1}`)
	parts := strings.Split(first, "_")
	list := h.want(200, platform, "GET", apiKeys, "").body
	file, err := os.ReadFile(filepath.Join(h.Dir, "apikeys.json"))
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"the list": list, "the log": h.log.String(), "the file": string(file)} {
		if text == "" || strings.Contains(text, parts[2]) {
			t.Errorf("%s has the secret", where)
		}
	}
	if strings.Contains(list, "sha256") {
		t.Error("the list has the hash")
	}
	var digests int
	for line := range strings.Lines(string(file)) {
		if strings.Contains(line, "sha256") {
			digests++
		}
	}
	if digests != 2 {
		t.Errorf("the file has %d hashes", digests)
	}
}

func TestKeysCreatedConcurrentlyOverRESTAreAllStored(t *testing.T) {
	h := open(t)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if a := h.call(platform, "POST", apiKeys, fmt.Sprintf(`{"agent":"job","name":"%d"}`, i)); a.status != 201 {
				t.Errorf("status %d", a.status)
			}
		})
	}
	wait.Wait()
	var names []string
	for _, one := range h.want(200, platform, "GET", apiKeys, "").items(t, "keys") {
		names = append(names, one["name"].(string))
	}
	slices.Sort(names)
	if strings.Join(names, "") != "01234567" {
		t.Errorf("%v", names)
	}
}

func TestAServerThatHasNoKeysOrCannotWriteThemSaysSo(t *testing.T) {
	h := open(t)
	_, id := h.makeKey(`{"agent":"job"}`)
	if os.Geteuid() != 0 { // whom no mode stops
		if err := os.Chmod(h.Dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(h.Dir, 0o700) })
		for _, a := range []answer{h.want(409, platform, "POST", apiKeys, `{"agent":"job"}`), h.want(409, platform, "DELETE", apiKeys+"/"+id, "")} {
			if detail, _ := a.json(t)["detail"].(string); !strings.Contains(detail, "mneme token") {
				t.Errorf("it does not say what to do: %q", detail)
			}
		}
		h.want(200, platform, "GET", apiKeys, "")
	}
	if err := os.WriteFile(filepath.Join(h.Dir, "apikeys.json"), []byte("{"), 0o600); err == nil {
		for _, a := range []answer{h.want(503, platform, "GET", apiKeys, ""), h.want(503, platform, "POST", apiKeys, `{"agent":"job"}`)} {
			if strings.Contains(a.body, h.Dir) {
				t.Errorf("the answer has a path: %s", a.body)
			}
		}
	}
	h.surface.ManageKeys(nil)
	for _, a := range []answer{
		h.want(409, platform, "GET", apiKeys, ""), h.want(409, platform, "POST", apiKeys, `{"agent":"job"}`), h.want(409, platform, "DELETE", apiKeys+"/"+id, ""),
	} {
		if detail, _ := a.json(t)["detail"].(string); !strings.Contains(detail, "issued elsewhere") {
			t.Errorf("it does not say what to do: %q", detail)
		}
	}
	h.want(403, alice, "GET", apiKeys, "")
}
