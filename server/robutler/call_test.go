package robutler_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/wait"
)

// Every call in the table of the API's documentation answers with the statuses that it states.
func TestEveryCallAnswersAsTheTableSays(t *testing.T) {
	h := openWith(t, memory.Limits{Keys: 3, Value: 1000})
	h.want(200, alice, "PUT", root+"/tea", `{"value":"green","ttl":0,"agentId":"alice","store":"alice","namespace":"","inContext":true,"encrypted":false,"chatId":"c","userId":"u"}`)
	got := h.want(200, alice, "GET", root+"/tea?agentId=alice&store=alice&chatId=c&userId=u", "").json(t)
	if got["value"] != "green" || got["key"] != "tea" || got["storeId"] != "alice" || got["ownerId"] != "alice" {
		t.Errorf("get: %v", got)
	}
	h.want(200, alice, "PUT", root+"/cake", `{"value":{"kind":"plum"}}`)
	for _, c := range []struct {
		status int
		who    acl.Principal
		method string
		target string
		body   string
	}{
		{404, alice, "GET", root + "/none?agentId=alice&store=alice", ""},
		{403, bob, "GET", root + "/tea?agentId=bob&store=alice", ""},
		{403, bob, "GET", root + "/tea?agentId=alice&store=alice", ""},
		{403, bob, "PUT", root + "/tea", `{"value":1,"agentId":"bob","store":"alice"}`},
		{403, bob, "PUT", root + "/tea", `{"value":1,"agentId":"alice"}`},
		{413, alice, "PUT", root + "/tea", `{"value":"` + strings.Repeat("x", 1000) + `"}`},
		{404, alice, "DELETE", root + "/none?agentId=alice&store=alice", ""},
		{403, bob, "DELETE", root + "/tea?agentId=bob&store=alice", ""},
		{403, bob, "GET", root + "?agentId=bob&store=alice&inContext=true", ""},
		{403, bob, "GET", root + "?agentId=alice&inContext=true", ""},
		{403, bob, "GET", root + "?action=search&agentId=bob&store=alice&q=tea", ""},
		{403, bob, "GET", root + "?action=search&agentId=alice&q=tea", ""},
		{403, bob, "GET", root + "?action=stores&agentId=alice", ""},
		{403, bob, "POST", root + "?action=share", `{"agentId":"bob","store":"alice","grantee":"carol","level":"read"}`},
		{403, bob, "POST", root + "?action=share", `{"agentId":"alice","grantee":"carol"}`},
		{403, bob, "DELETE", root + "?action=share&store=alice&grantee=carol", ""},
		{403, bob, "DELETE", root + "?action=share&agentId=alice&grantee=carol", ""},
		{403, alice, "GET", root + "?store=no-such-store", ""},
	} {
		h.want(c.status, c.who, c.method, c.target, c.body)
	}
	list := h.want(200, alice, "GET", root+"?agentId=alice&store=alice&inContext=true", "")
	if keys := list.all(t, "keys", ""); !slices.Equal(keys, []string{"cake", "tea"}) || !slices.Equal(keys, list.all(t, "entries", "key")) {
		t.Errorf("list: %s", list.body)
	}
	h.want(200, alice, "PUT", root+"/third", `{"value":3}`)
	full := h.want(429, alice, "PUT", root+"/fourth", `{"value":4}`)
	if full.header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	h.want(200, alice, "PUT", root+"/third", `{"value":5}`)

	h.want(200, alice, "POST", root+"?action=share", `{"agentId":"alice","store":"alice","grantee":"bob","level":"readwrite","ttl":60}`)
	h.want(200, bob, "PUT", root+"/mine", `{"value":"bob's","store":"alice"}`)
	h.want(403, bob, "DELETE", root+"/tea?agentId=bob&store=alice", "")
	h.want(200, bob, "DELETE", root+"/mine?agentId=bob&store=alice", "")
	h.want(404, bob, "GET", root+"/mine?agentId=bob&store=alice", "")
	stores := h.want(200, bob, "GET", root+"?action=stores&agentId=bob", "").json(t)
	if text := fmt.Sprint(stores["stores"]); !strings.Contains(text, "kind:grant") || !strings.Contains(text, "level:readwrite") || !strings.Contains(text, "kind:self") {
		t.Errorf("stores: %s", text)
	}
	h.want(200, alice, "DELETE", root+"?action=share&store=alice&grantee=bob", "")
	h.want(403, bob, "GET", root+"/tea?agentId=bob&store=alice", "")
	if again := h.want(200, alice, "DELETE", root+"?action=share&grantee=bob", ""); again.json(t)["revoked"] != false {
		t.Errorf("unshare of nothing: %s", again.body)
	}
}

func TestEitherHeaderCarriesTheToken(t *testing.T) {
	h := open(t)
	for _, header := range [][]string{
		{"Authorization", "Bearer TOKEN"},
		{"Authorization", "", "X-API-Key", "TOKEN"},
	} {
		h.want(200, alice, "PUT", root+"/k", `{"value":1}`, header...)
		h.want(200, alice, "GET", root+"/k", "", header...)
	}
	for _, header := range [][]string{
		{"Authorization", ""},
		{"Authorization", "Bearer no-token"},
		{"Authorization", "", "X-API-Key", "no-token"},
	} {
		h.want(401, alice, "GET", root+"/k?agentId=bob&namespace=%zz", "", header...)
		h.want(401, alice, "PUT", root+"/k", `{`, header...)
	}
}

// Questions find entries by word and by meaning.
func TestSearchFindsByMeaning(t *testing.T) {
	h := open(t)
	h.want(200, alice, "PUT", root+"/drinks", `{"value":"She likes her Darjeeling hot, with a slice of lemon."}`)
	h.want(200, alice, "PUT", root+"/trip", `{"value":"The train to Lisbon leaves on Thursday."}`)
	h.index()
	found := h.want(200, alice, "GET", root+"?action=search&agentId=alice&q="+url.QueryEscape("which beverage does the woman prefer?"), "")
	results := found.json(t)["results"].([]any)
	first := results[0].(map[string]any)
	if first["key"] != "drinks" || first["storeId"] != "alice" || first["score"].(float64) <= 0 || !strings.Contains(first["value"].(string), "Darjeeling") {
		t.Errorf("search: %s", found.body)
	}
	if found.json(t)["incomplete"] != false || len(found.all(t, "degraded", "")) != 0 {
		t.Errorf("search: %s", found.body)
	}
}

// A chat and a user in the request add their stores to a search and to the list of stores, if
// the agent takes part in the chat or is in a session with the user. They never cause an error.
func TestChatAndUserJoinWhereTheFactsGiveALevel(t *testing.T) {
	h := open(t)
	h.join("chat-1", "bob")
	h.attend("ursula", "bob")
	h.want(200, bob, "PUT", root+"/c", `{"value":"saffron of the chat","store":"chat-1","chatId":"chat-1"}`)
	h.want(200, bob, "PUT", root+"/u", `{"value":"saffron of the user","store":"ursula","userId":"ursula"}`)
	h.want(200, alice, "PUT", root+"/own", `{"value":"saffron of her own"}`)
	search := func(p acl.Principal, about string) []string {
		return h.want(200, p, "GET", root+"?action=search&q=saffron"+about, "").all(t, "results", "key")
	}
	kinds := func(p acl.Principal, about string) []string {
		return h.want(200, p, "GET", root+"?action=stores"+about, "").all(t, "stores", "kind")
	}
	both := "&chatId=chat-1&userId=ursula"
	for _, c := range []struct {
		who         acl.Principal
		about       string
		keys, kinds int
	}{
		{bob, "", 0, 1},
		{bob, both, 2, 3},
		{bob, "&chatId=chat-1", 1, 2},
		{bob, "&userId=ursula", 1, 2},
		{alice, both, 1, 1},
		{alice, "&chatId=&userId=", 1, 1},
		{alice, "&chatId=undefined&userId=null", 1, 1},
		{alice, "&chatId=%2e%2e&userId=%ff%00", 1, 1},
		{alice, "&chatId=a&chatId=b&userId=self", 1, 1},
		{acl.Principal{Agent: "bob", Taint: acl.Public, Chat: "chat-2"}, both, 0, 1},
		{acl.Principal{Agent: "bob", Taint: acl.Public, User: "ursula"}, both, 1, 2},
	} {
		if keys := search(c.who, c.about); len(keys) != c.keys {
			t.Errorf("%s %s found %q, want %d", c.who.Agent, c.about, keys, c.keys)
		}
		if k := kinds(c.who, c.about); len(k) != c.kinds {
			t.Errorf("%s %s reaches %q, want %d", c.who.Agent, c.about, k, c.kinds)
		}
	}
	// In other calls, the parameters chatId and userId are ignored: they give no access.
	h.want(403, alice, "GET", root+"/c?store=chat-1&chatId=chat-1", "")
	h.want(404, bob, "GET", root+"/c?chatId=chat-1", "")
	h.want(200, bob, "GET", root+"/c?store=chat-1", "")
}

// edit and rename send only value, agentId, store, chatId and userId. The other fields of the
// entry keep their values.
func TestAWritePreservesAbsentMembers(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/k", `{"value":"old","type":"project","description":"what it is","tags":["a"],"ttl":3600}`)
	h.want(200, alice, "PUT", root+"/k", `{"value":"new","agentId":"alice","store":"alice","chatId":null,"userId":null,"ttl":null,"namespace":null,"inContext":null,"encrypted":null}`)
	got := h.want(200, alice, "GET", root+"/k", "").json(t)
	if got["value"] != "new" || got["type"] != "project" || got["description"] != "what it is" || fmt.Sprint(got["tags"]) != "[a]" || got["expiresAt"] != "2026-03-01T13:00:00Z" {
		t.Errorf("%v", got)
	}
	h.want(200, alice, "PUT", root+"/secret", `{"value":"old","inContext":false}`)
	h.want(200, alice, "PUT", root+"/secret", `{"value":"new"}`)
	if got := h.want(200, alice, "GET", root+"/secret", "").json(t); got["inContext"] != false || got["value"] != "new" {
		t.Errorf("%v", got)
	}
	h.want(409, alice, "PUT", root+"/secret", `{"value":"new","inContext":true}`)
	h.want(409, alice, "PUT", root+"/k", `{"value":"new","encrypted":true}`)
}

// An entry may state when its event happened. A write preserves absent members.
func TestAWriteMaySayWhenItHappened(t *testing.T) {
	h := open(t)
	occurred := func(sent string) any {
		t.Helper()
		h.want(200, alice, "PUT", root+"/trip", sent)
		got := h.want(200, alice, "GET", root+"/trip", "").json(t)
		found := h.want(200, alice, "GET", root+"?action=search&q=Lisbon", "").json(t)["results"].([]any)
		if hit := found[0].(map[string]any); hit["occurredAt"] != got["occurredAt"] {
			t.Errorf("a hit of %v, an entry of %v", hit["occurredAt"], got["occurredAt"])
		}
		return got["occurredAt"]
	}
	for _, c := range []struct {
		sent string
		want any
	}{
		{`{"value":"Lisbon"}`, nil},
		{`{"value":"Lisbon","occurredAt":"2023-05-08"}`, "2023-05-08"},
		{`{"value":"Lisbon again"}`, "2023-05-08"},
		{`{"value":"Lisbon","occurredAt":null}`, "2023-05-08"},
		{`{"value":"Lisbon","occurredAt":"2023-05-08T15:56:00.000+02:00"}`, "2023-05-08T13:56:00Z"},
		{`{"value":"Lisbon","occurredAt":""}`, nil},
	} {
		if got := occurred(c.sent); got != c.want {
			t.Errorf("%s: %v, want %v", c.sent, got, c.want)
		}
	}
	a := h.want(422, alice, "PUT", root+"/trip", `{"value":"Lisbon","occurredAt":"in May"}`)
	if got := a.json(t); got["field"] != "occurredAt" || strings.Contains(a.body, "in May") {
		t.Error(a.body)
	}
	h.want(400, alice, "PUT", root+"/trip", `{"value":"Lisbon","occurredAt":1683554160}`)
}

func TestTimesToLiveEndEntriesAndGrants(t *testing.T) {
	h := open(t)
	h.want(200, alice, "PUT", root+"/short", `{"value":1,"ttl":60.0}`)
	h.want(200, alice, "PUT", root+"/long", `{"value":1,"ttl":6e1}`)
	h.want(200, alice, "PUT", root+"/long", `{"value":2,"ttl":0}`)
	h.want(200, alice, "POST", root+"?action=share", `{"grantee":"bob","ttl":30}`)
	h.want(200, bob, "GET", root+"/short?store=alice", "") // without level, the grant is for read
	h.want(403, bob, "PUT", root+"/x", `{"value":1,"store":"alice"}`)
	h.clock.Advance(30 * time.Second)
	h.want(403, bob, "GET", root+"/short?store=alice", "")
	h.want(200, alice, "GET", root+"/short", "")
	h.clock.Advance(30 * time.Second)
	h.want(404, alice, "GET", root+"/short", "")
	h.want(200, alice, "GET", root+"/long", "")
}

// The skills send ttl 0 with every create. Over another owner's entry it does
// not request a change of expiry.
func TestTTLZeroDoesNotKeepAWriterFromAnothersEntry(t *testing.T) {
	h := open(t)
	h.join("chat-1", "alice")
	h.join("chat-1", "bob")
	h.want(200, alice, "PUT", root+"/plan", `{"value":"v1","ttl":3600,"store":"chat-1"}`)
	h.want(200, bob, "PUT", root+"/plan", `{"value":"v2","ttl":0,"store":"chat-1","agentId":"bob"}`)
	got := h.want(200, alice, "GET", root+"/plan?store=chat-1", "").json(t)
	if got["value"] != "v2" || got["ownerId"] != "alice" || got["updatedBy"] != "bob" || got["expiresAt"] == nil {
		t.Errorf("%v", got)
	}
	h.want(403, bob, "PUT", root+"/plan", `{"value":"v3","ttl":60,"store":"chat-1"}`)
	// Over REST, ttl 0 asks for a change.
	h.want(403, bob, "PUT", "/v1/stores/chat-1/memories/plan", `{"value":"v3","ttl":0}`)
	h.want(403, agent("carol", acl.Public), "PUT", root+"/plan", `{"value":"v3","ttl":0,"store":"chat-1"}`)
	if got := h.want(200, alice, "PUT", root+"/plan", `{"value":"v4","ttl":0,"store":"chat-1"}`).json(t); got["expiresAt"] != nil {
		t.Errorf("its owner's ttl 0 left the expiry at %v", got["expiresAt"])
	}
}

// Entries that a skill keeps internal are read and written only by key.
func TestEntriesNotInContextAreAccessibleOnlyByKey(t *testing.T) {
	h := open(t)
	h.want(200, alice, "PUT", root+"/oauth", `{"value":"marzipan","agentId":"alice","store":"alice","namespace":"","inContext":false,"encrypted":false,"ttl":0}`)
	h.want(200, alice, "POST", root+"?action=share", `{"grantee":"bob","level":"readwrite"}`)
	if got := h.want(200, alice, "GET", root+"/oauth?agentId=alice&store=alice", "").json(t); got["value"] != "marzipan" {
		t.Errorf("%v", got)
	}
	h.want(404, bob, "GET", root+"/oauth?store=alice", "")
	h.want(403, bob, "PUT", root+"/other", `{"value":1,"store":"alice","inContext":false}`)
	for _, who := range []acl.Principal{alice, bob} {
		for _, filter := range []string{"", "&inContext=true", "&inContext=false", "&prefix=oauth", "&namespace="} {
			if keys := h.want(200, who, "GET", root+"?store=alice"+filter, "").all(t, "keys", ""); len(keys) != 0 {
				t.Errorf("list%s shows %q", filter, keys)
			}
		}
		if found := h.want(200, who, "GET", root+"?action=search&q=marzipan", "").all(t, "results", "key"); len(found) != 0 {
			t.Errorf("search shows %q", found)
		}
		h.want(404, who, "DELETE", root+"/oauth?store=alice", "")
	}
	h.want(200, alice, "GET", root+"/oauth", "")
}

func TestEncryptedValuesAreStoredAndNeverFound(t *testing.T) {
	h := open(t)
	h.want(200, alice, "PUT", root+"/sealed", `{"value":"opaqueblob","encrypted":true}`)
	if got := h.want(200, alice, "GET", root+"/sealed", "").json(t); got["value"] != "opaqueblob" || got["encrypted"] != true {
		t.Errorf("%v", got)
	}
	if found := h.want(200, alice, "GET", root+"?action=search&q=opaqueblob", "").all(t, "results", "key"); len(found) != 0 {
		t.Errorf("search shows %q", found)
	}
}

// Calls on kinds of stores that an agent's settings disable answer 403.
func TestSettingsSwitchStoresOff(t *testing.T) {
	h := open(t)
	h.join("chat-1", "alice")
	h.attend("ursula", "alice")
	stores := []string{"alice", "chat-1", "ursula"}
	for _, store := range stores {
		h.want(200, alice, "PUT", root+"/k", `{"value":"saffron","store":"`+store+`"}`)
	}
	for _, c := range []struct {
		settings string
		open     []string
	}{
		{`{"enabled":false,"self":true,"chat":true,"user":true}`, nil},
		{`{"enabled":true,"self":false,"chat":true,"user":true}`, []string{"chat-1", "ursula"}},
		{`{"enabled":true,"self":true,"chat":false,"user":true}`, []string{"alice", "ursula"}},
		{`{"enabled":true,"self":true,"chat":true,"user":false}`, []string{"alice", "chat-1"}},
	} {
		h.want(200, alice, "PUT", "/v1/agents/alice/settings", c.settings)
		for _, store := range stores {
			status := 403
			if slices.Contains(c.open, store) {
				status = 200
			}
			h.want(status, alice, "GET", root+"/k?store="+store, "")
			h.want(status, alice, "PUT", root+"/k", `{"value":"saffron","store":"`+store+`"}`)
			h.want(status, alice, "GET", root+"?store="+store, "")
			h.want(status, alice, "GET", root+"?action=search&q=saffron&store="+store, "")
			h.want(status, alice, "POST", root+"?action=share", `{"grantee":"bob","store":"`+store+`"}`)
		}
		found := h.want(200, alice, "GET", root+"?action=search&q=saffron&chatId=chat-1&userId=ursula", "").all(t, "results", "storeId")
		slices.Sort(found)
		reached := h.want(200, alice, "GET", root+"?action=stores&chatId=chat-1&userId=ursula", "").all(t, "stores", "storeId")
		slices.Sort(reached)
		if !slices.Equal(found, c.open) || !slices.Equal(reached, c.open) {
			t.Errorf("%s: found in %q, reaches %q", c.settings, found, reached)
		}
	}
}

// A list has no pages: it contains all entries.
func TestListsShowEveryKey(t *testing.T) {
	h := open(t)
	var requests []memory.PutRequest
	var want []string
	for i := range 250 {
		key := fmt.Sprintf("notes/%03d", i)
		want = append(want, key)
		requests = append(requests, memory.PutRequest{Path: memory.Path{Store: "alice", Key: key}, Value: []byte(`"x"`)})
	}
	for _, namespace := range []string{"work", "home"} {
		requests = append(requests, memory.PutRequest{Path: memory.Path{Store: "alice", Namespace: namespace, Key: "notes/000"}, Value: []byte(`"x"`)})
	}
	if _, err := h.service.PutAll(t.Context(), memory.Caller{Principal: alice}, requests); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter  string
		keys    []string
		entries int
	}{
		{"", want, 252},
		{"&namespace=", want, 250},
		{"&namespace=work", want[:1], 1},
		{"&prefix=notes/00", want[:10], 12},
		{"&prefix=notes/00&namespace=", want[:10], 10},
		{"&prefix=none", []string{}, 0},
		{"&namespace=none", []string{}, 0},
	} {
		list := h.want(200, alice, "GET", root+"?agentId=alice&store=alice&inContext=true"+c.filter, "")
		if keys := list.all(t, "keys", ""); !slices.Equal(keys, c.keys) {
			t.Errorf("%q: %d keys, want %d: %q", c.filter, len(keys), len(c.keys), keys)
		}
		if n := len(list.all(t, "entries", "key")); n != c.entries {
			t.Errorf("%q: %d entries, want %d", c.filter, n, c.entries)
		}
	}
	h.want(200, alice, "GET", root+"/notes/000?namespace=work", "")
	h.want(200, alice, "DELETE", root+"/notes/000?namespace=work", "")
	h.want(404, alice, "GET", root+"/notes/000?namespace=work", "")
	h.want(200, alice, "GET", root+"/notes/000", "")
}

// heapReader measures the memory in use while an answer is written.
type heapReader struct {
	*httptest.ResponseRecorder
	most uint64
}

func (r *heapReader) Write(p []byte) (int, error) {
	r.most = max(r.most, inUse())
	return len(p), nil
}

// inUse is the memory in use, in bytes.
func inUse() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// Regression test: the text of all keys was in memory, for as long as a slow client
// read it.
func TestAListKeepsItsKeysAlone(t *testing.T) {
	h := open(t)
	const keys, length = 4000, 500
	var requests []memory.PutRequest
	for i := range keys {
		requests = append(requests, memory.PutRequest{Path: memory.Path{Store: "alice", Key: fmt.Sprintf("%0*d", length, i)}, Value: []byte(`"x"`)})
	}
	if _, err := h.service.PutAll(t.Context(), memory.Caller{Principal: alice}, requests); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, root, nil)
	r.Header.Set("Authorization", "Bearer "+h.Token(alice))
	w := &heapReader{ResponseRecorder: httptest.NewRecorder()}
	h.ServeHTTP(w, r)
	if held := int64(w.most) - int64(inUse()); w.Code != http.StatusOK || held > 3*keys*length/2 {
		t.Errorf("status %d; a list of %d kB of keys holds %d kB", w.Code, keys*length>>10, held>>10)
	}
}

// heldReader signals that a list has begun, and stops reading until release is
// closed.
type heldReader struct {
	*httptest.ResponseRecorder
	begun, release chan struct{}
}

func (r *heldReader) Write(p []byte) (int, error) {
	if r.Code == http.StatusOK {
		r.begun <- struct{}{}
		<-r.release
	}
	return r.ResponseRecorder.Write(p)
}

// A waiting list may also outlive its token.
func TestAnAgentReadsFewListsAtATime(t *testing.T) {
	h := open(t)
	const running, waiting = 4, 64 // of one agent
	begun, release, answers := make(chan struct{}, running+waiting+2), make(chan struct{}), make(chan answer, running+waiting+2)
	list := func(p acl.Principal) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, root, nil)
		r.Header.Set("Authorization", "Bearer "+h.Token(p))
		go func() {
			w := &heldReader{httptest.NewRecorder(), begun, release}
			h.ServeHTTP(w, r)
			answers <- answer{w.Code, w.Header(), w.Body.String()}
		}()
	}
	for range running {
		list(alice)
		wait.For(t, "a list of alice", begun)
	}
	list(bob)
	wait.For(t, "a list of bob", begun)
	for range waiting + 1 {
		list(alice)
	}
	select {
	case a := <-answers:
		if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "1" || a.json(t)["limit"] != "lists" {
			t.Errorf("status %d: %v %s", a.status, a.header, a.body)
		}
	case <-begun:
		close(release)
		t.Fatalf("more than %d lists of an agent are read", running)
	}
	h.clock.Advance(2 * time.Hour)
	close(release)
	ended := map[int]int{}
	for range running + 1 + waiting {
		ended[wait.For(t, "the end of a list", answers).status]++
	}
	if ended[http.StatusOK] != running+1 || ended[http.StatusUnauthorized] != waiting {
		t.Errorf("by status: %v", ended)
	}
}

// One route has several calls; metrics distinguish them by name.
func TestEachCallIsCountedByItsOwnName(t *testing.T) {
	h := open(t)
	h.want(200, alice, "GET", root+"?action=search&q=marzipan", "")
	h.want(200, alice, "GET", root+"?action=stores", "")
	h.want(200, alice, "GET", root, "")
	h.want(400, alice, "GET", root+"?action=marzipan", "")
	h.want(404, alice, "GET", root+"/marzipan", "")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	text := w.Body.String()
	for _, line := range []string{
		`{method="GET",route="/api/storage/memory?action=search",status="200"} 1`,
		`{method="GET",route="/api/storage/memory?action=stores",status="200"} 1`,
		`{method="GET",route="/api/storage/memory",status="200"} 1`,
		`{method="GET",route="/api/storage/memory",status="400"} 1`,
		`{method="GET",route="/api/storage/memory/*",status="404"} 1`,
	} {
		if !strings.Contains(text, "mneme_http_requests_total"+line) {
			t.Errorf("no line %s", line)
		}
	}
	if strings.Contains(text, "marzipan") || strings.Contains(text, "alice") {
		t.Error("the metrics hold what was asked, or by whom")
	}
}
