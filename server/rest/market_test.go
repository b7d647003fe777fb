package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/meter"
)

// anOffer is the ID of an offer that does not exist.
const anOffer = "/v1/offers/01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a77"

const hutOffer = `{"title":"Huts","description":"of the Alps","terms":{"price_search":2000,"price_entry":500,"searches_per_day":4}}`

// sell writes two entries of alice and offers searches of them.
func (h *harness) sell(body string) (offer string, made answer) {
	h.t.Helper()
	for _, name := range []string{"schonbiel", "hornli"} {
		h.want(201, alice, "PUT", "/v1/stores/self/memories/"+name, `{"value":"the `+name+` hut has water"}`)
	}
	made = h.want(201, alice, "POST", "/v1/stores/self/offers", body)
	return "/v1/offers/" + made.json(h.t)["id"].(string), made
}

// buyer gives bob credits and the offer.
func (h *harness) buyer(offer string, micros int) {
	h.t.Helper()
	h.want(200, platform, "POST", "/v1/admin/accounts/bob/topup", fmt.Sprintf(`{"amount":%d,"reference":"r"}`, micros))
	h.want(201, bob, "POST", offer+"/accept", "")
}

func TestAnOfferIsMadeChangedAndWithdrawn(t *testing.T) {
	h := open(t)
	offer, made := h.sell(hutOffer)
	if made.header.Get("Location") != offer {
		t.Errorf("Location %q, want %q", made.header.Get("Location"), offer)
	}
	terms := made.json(t)["terms"].(map[string]any)
	if terms["novelty_percent"] != 20.0 || terms["max_hits"] != 10.0 || terms["max_label"] != "PUBLIC" {
		t.Errorf("terms: %v", terms)
	}
	first := made.header.Get("ETag")
	h.want(304, bob, "GET", offer, "", "If-None-Match", first)
	h.want(404, bob, "PUT", anOffer, `{"title":"x"}`)
	changed := h.want(200, alice, "PUT", offer, `{"terms":{"price_entry":700},"caps":{"entries_total":0}}`, "If-Match", first)
	if got := changed.json(t); got["title"] != "Huts" || got["terms"].(map[string]any)["price_entry"] != 700.0 {
		t.Errorf("changed: %v", got)
	}
	h.want(412, alice, "PUT", offer, `{"title":"x"}`, "If-Match", first)
	h.want(412, bob, "POST", offer+"/accept", "", "If-Match", first)
	if got := h.want(200, bob, "GET", "/v1/offers", "").items(t, "offers"); len(got) != 1 {
		t.Errorf("offers: %v", got)
	}
	h.want(403, bob, "GET", "/v1/stores/alice/offers", "")
	h.want(204, alice, "DELETE", offer, "")
	if got := h.want(200, bob, "GET", "/v1/offers", "").items(t, "offers"); len(got) != 0 {
		t.Errorf("withdrawn offers are listed: %v", got)
	}
	if got := h.want(200, alice, "GET", "/v1/stores/self/offers", "").items(t, "offers"); got[0]["state"] != "withdrawn" {
		t.Errorf("own offers: %v", got)
	}
}

func TestAPaidSearchReportsItsCost(t *testing.T) {
	h := open(t)
	offer, _ := h.sell(hutOffer)
	h.buyer(offer, 1_000_000)
	key := []string{"Idempotency-Key", "k"}
	paid := h.want(200, bob, "POST", offer+"/search", `{"query":"which hut has water"}`, key...)
	body := paid.json(t)
	charge := paid.items(t, "charges")[0]
	if charge["amount"] != 3000.0 || charge["search"] != 2000.0 || len(charge["entries"].([]any)) != 2 || body["balance"] != 997000.0 || body["receipt"] != charge["receipt"] {
		t.Errorf("paid: %s", paid.body)
	}
	for _, hit := range paid.items(t, "hits") {
		for _, member := range []string{"id", "owner_id", "updated_by", "tags"} {
			if hit[member] != nil {
				t.Errorf("a hit has %s", member)
			}
		}
	}
	if again := h.want(200, bob, "POST", offer+"/search", `{"query":"which hut has water"}`, key...); again.items(t, "charges")[0]["receipt"] != charge["receipt"] {
		t.Errorf("a repetition answers %s", again.body)
	}
	h.want(422, bob, "POST", offer+"/search", `{"query":"another"}`, key...)

	// The receipt verifies with the public keys, which need no token.
	keys := h.send(httptest.NewRequest(http.MethodGet, "/.well-known/jwks.json", nil))
	hits, err := json.Marshal(body["hits"])
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := meter.VerifyReceipt(charge["receipt"].(string), json.RawMessage(keys.body), hits)
	if err != nil || receipt.Amount != 3000 || receipt.Buyer != "bob" {
		t.Errorf("receipt %+v, %v", receipt, err)
	}
	if _, err := meter.VerifyReceipt(charge["receipt"].(string), json.RawMessage(keys.body), []byte(`[]`)); err == nil {
		t.Error("a receipt is for other hits too")
	}
	if strings.Contains(keys.body, `"d"`) {
		t.Error("the key set has a private key")
	}

	used := h.want(200, bob, "GET", "/v1/usage", "").items(t, "items")
	if len(used) != 1 || used[0]["state"] != "done" || len(used[0]["keys"].(map[string]any)) != 2 {
		t.Errorf("usage: %v", used)
	}
	sales := h.want(200, alice, "GET", "/v1/stores/self/sales?by=buyer&from=2026-03-01", "").items(t, "items")
	if len(sales) != 1 || sales[0]["buyer"] != "bob" || sales[0]["income"] != 3000.0 || sales[0]["share"] != 1.0 {
		t.Errorf("sales: %v", sales)
	}
	table := h.want(200, alice, "GET", "/v1/stores/self/sales", "", "Accept", "text/csv")
	if table.body != "day,searches,hits,entries,share,income\n2026-03-01,1,2,2,1,3000\n" {
		t.Errorf("sales in CSV: %s", table.body)
	}
	h.want(403, bob, "GET", "/v1/stores/alice/sales", "")
	refund := "/v1/charges/" + charge["id"].(string) + "/refund"
	if got := h.want(200, alice, "POST", refund, "").json(t); got["state"] != "refunded" || got["buyer"] != "bob" {
		t.Errorf("refunded: %v", got)
	}
	if got := h.want(200, bob, "GET", "/v1/account", "").json(t); got["balance"] != 1000000.0 || got["currency"] != "USD" {
		t.Errorf("account: %v", got)
	}
}

func TestASearchThatIsNotPaidForIs402(t *testing.T) {
	h := open(t)
	offer, _ := h.sell(hutOffer)
	a := h.want(402, bob, "POST", offer+"/search", `{"query":"hut","limit":2}`)
	got := a.json(t)
	if got["type"] != "urn:mneme:problem:payment-required" || got["price"] != 3000.0 || got["balance"] != 0.0 || "/v1/offers/"+got["offer"].(string) != offer {
		t.Errorf("unpaid: %s", a.body)
	}
	h.want(201, bob, "POST", offer+"/accept", "")
	h.want(402, bob, "POST", offer+"/search", `{"query":"hut"}`)
	h.want(409, alice, "POST", offer+"/search", `{"query":"hut"}`)
	h.want(404, bob, "POST", anOffer+"/search", `{"query":"hut"}`)
	h.want(403, alice, "POST", "/v1/admin/accounts/alice/topup", `{"amount":1,"reference":"r"}`)
}

func TestSearchBuysOnlyOnRequest(t *testing.T) {
	h := open(t)
	offer, _ := h.sell(hutOffer)
	h.buyer(offer, 4000)
	skipped := func(body, reason string) {
		t.Helper()
		a := h.want(200, bob, "POST", "/v1/search", body)
		if got := a.items(t, "skipped"); len(got) != 1 || got[0]["store_id"] != "alice" || got[0]["reason"] != reason || a.json(t)["charges"] != nil {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	skipped(`{"query":"hut"}`, "not_named")
	skipped(`{"query":"hut","max_charge":100000}`, "not_named")
	skipped(`{"query":"hut","stores":["alice"]}`, "max_charge")
	skipped(`{"query":"hut","stores":["alice"],"max_charge":1999}`, "max_charge")
	a := h.want(200, bob, "POST", "/v1/search", `{"query":"hut","stores":["self","alice"],"max_charge":2500}`)
	if charges := a.items(t, "charges"); len(charges) != 1 || charges[0]["amount"] != 2500.0 || len(a.items(t, "hits")) != 1 {
		t.Errorf("one entry fits: %s", a.body)
	}
	skipped(`{"query":"hut","stores":["alice"],"max_charge":100000}`, "balance")
	for _, most := range []string{"-1", "1000000000001"} {
		for _, path := range []string{"/v1/search", offer + "/search"} {
			if got := h.want(422, bob, "POST", path, `{"query":"hut","max_charge":`+most+`}`).json(t); got["field"] != "max_charge" {
				t.Errorf("%s with %s: %v", path, most, got)
			}
		}
	}
}

func TestASpentCapIs429(t *testing.T) {
	h := open(t)
	offer, _ := h.sell(hutOffer)
	h.buyer(offer, 1_000_000)
	for range 4 {
		h.want(200, bob, "POST", offer+"/search", `{"query":"hut"}`)
	}
	a := h.want(429, bob, "POST", offer+"/search", `{"query":"hut"}`)
	if got := a.json(t); got["type"] != "urn:mneme:problem:cap" || got["limit"] == "" || a.header.Get("Retry-After") == "" {
		t.Errorf("%s %v", a.body, a.header)
	}
}

func TestGrantsSayTheirCaps(t *testing.T) {
	h := open(t)
	got := h.want(200, alice, "PUT", "/v1/stores/self/grants/bob", `{"level":"search","caps":{"searches_per_hour":1}}`).json(t)
	if caps, _ := got["caps"].(map[string]any); caps["searches_per_hour"] != 1.0 || caps["entries_per_day"] != nil {
		t.Errorf("grant: %v", got)
	}
	if listed := h.want(200, alice, "GET", "/v1/stores/self/grants", "").items(t, "grants"); listed[0]["caps"] == nil {
		t.Errorf("grants: %v", listed)
	}
	h.want(422, alice, "PUT", "/v1/stores/self/grants/bob", `{"level":"search","caps":{"searches_per_hour":0}}`)
	h.want(422, alice, "PUT", "/v1/stores/self/grants/bob", `{"level":"read","caps":{"searches_per_hour":1}}`)
}

// The schemas of amounts, terms and texts refuse the same values as the server.
func TestOfferSchemasAcceptWhatTheServerAccepts(t *testing.T) {
	h := open(t)
	schema := schemaOf(t, "OfferRequest")
	number := func(name string, values ...string) (bodies []string) {
		for _, v := range values {
			prices := `"price_search":1,"price_entry":1`
			if strings.HasPrefix(name, "price") {
				prices = strings.Replace(prices, `"`+name+`":1`, `"x":1`, 1)
				prices = strings.Replace(strings.Replace(prices, `"x":1,`, "", 1), `,"x":1`, "", 1)
			}
			bodies = append(bodies, `{"title":"t","description":"","terms":{`+prices+`,"`+name+`":`+v+`}}`)
		}
		return bodies
	}
	var bodies []string
	bodies = append(bodies, number("price_search", "-1", "0", "1.5", "1000000000000", "1000000000001", `"1"`, "1e400", "null")...)
	bodies = append(bodies, number("price_entry", "-1", "0", "1000000000000", "1000000000001")...)
	bodies = append(bodies, number("novelty_percent", "-1", "0", "10000", "10001")...)
	bodies = append(bodies, number("max_hits", "0", "1", "10", "11")...)
	bodies = append(bodies, number("entries_total", "-1", "0", "1000000000", "1000000001")...)
	bodies = append(bodies, number("grant_ttl", "-1", "0", "3153600000", "3153600001")...)
	bodies = append(bodies, number("max_label", `"PUBLIC"`, `"SECRET"`)...)
	bodies = append(bodies, `{"title":"t","description":"","terms":{"price_search":1}}`, `{"title":"t","description":"","terms":{}}`, `{"title":"t","terms":{"price_search":1,"price_entry":1}}`)
	for _, text := range []string{"", " ", "a", " a ", "a\nb", "a\u202eb", "a\u200eb", "\u00a0", strings.Repeat("é", 100), strings.Repeat("é", 101)} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, `{"title":`+string(quoted)+`,"description":"","terms":{"price_search":1,"price_entry":1}}`,
			`{"title":"t","description":`+string(quoted)+`,"terms":{"price_search":1,"price_entry":1}}`)
	}
	for _, body := range bodies {
		var value any
		if err := json.Unmarshal([]byte(body), &value); err != nil && !strings.Contains(body, "1e400") {
			t.Fatal(err)
		}
		a := h.call(alice, "POST", "/v1/stores/self/offers", body)
		if accepted := value != nil && schema.VisitJSON(value) == nil; accepted != (a.status == 201) {
			t.Errorf("%s: schema %t, server %d %s", body, accepted, a.status, a.body)
		}
		if a.status == 201 { // one at a time is enough
			h.want(204, alice, "DELETE", "/v1/offers/"+a.json(t)["id"].(string), "")
		}
	}
	transfer := schemaOf(t, "Transfer")
	for i, amount := range []string{"-1", "0", "1", "1000000000000", "1000000000001", "0.5"} {
		body := fmt.Sprintf(`{"amount":%s,"reference":"r-%d"}`, amount, i)
		var value any
		if err := json.Unmarshal([]byte(body), &value); err != nil {
			t.Fatal(err)
		}
		a := h.call(platform, "POST", "/v1/admin/accounts/bob/topup", body)
		if accepted := transfer.VisitJSON(value) == nil; accepted != (a.status == 200) {
			t.Errorf("%s: schema %t, server %d", body, accepted, a.status)
		}
	}
}

func TestWellKnownURLsNeedNoToken(t *testing.T) {
	h := open(t)
	for target, status := range map[string]int{"/.well-known/jwks.json": 200, "/.well-known/openid-configuration": 404, "/.well-known/a/b": 404} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if w.Code != status {
			t.Errorf("%s: %d, want %d", target, w.Code, status)
		}
	}
}

// For buyers, entries with a label above their session's do not exist.
func TestOffersExistForSessionsThatReachThem(t *testing.T) {
	h := open(t)
	secret := agent("alice", acl.Confidential)
	made := h.want(201, secret, "POST", "/v1/stores/self/offers", hutOffer)
	offer := "/v1/offers/" + made.json(t)["id"].(string)
	for _, call := range [][2]string{{"GET", ""}, {"POST", "/accept"}} {
		if hidden, absent := h.want(404, bob, call[0], offer+call[1], ""), h.want(404, bob, call[0], anOffer+call[1], ""); hidden.json(t)["detail"] != absent.json(t)["detail"] {
			t.Errorf("%s%s: %s, absent %s", call[0], call[1], hidden.body, absent.body)
		}
	}
	h.want(200, agent("bob", acl.Confidential), "GET", offer, "")
}
