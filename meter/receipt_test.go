package meter_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/meter/canonicaljson"
	"mneme/search"
	"mneme/storage/sqlite/sqlitetest"
)

// shown returns an offering of entries of a shop, and its hits in the JSON of a REST answer,
// which is formatted differently and has a hit from another store.
func shown() (search.Offering, string) {
	of := []memory.Entry{entry("shop", "a/b", `{"b": 1.50, "a": "é"}`), entry("shop", "c", `"long"`)}
	first := search.Hit{Entry: of[0], Score: 0.93, Relevance: 0.93, Level: acl.Search}
	second := search.Hit{Entry: of[1], Score: 0.5, Relevance: 0.5, Level: acl.Search, Passages: []search.Passage{{Text: "lo", Highlights: [][2]int{{0, 2}}}}}
	o := offering(nil, 10, of...)
	o.Candidates[0].Hit, o.Candidates[1].Hit = &first, &second
	return o, `[
		{"store_id":"shop","label":"PUBLIC","key":"a/b","value":{"a":"\u00e9","b":1.5},"score":0.930,"relevance":0.93},
		{"store_id":"own","id":"x","key":"k","label":"PUBLIC","value":1,"score":0.9,"relevance":0.9},
		{"store_id":"shop","label":"PUBLIC","key":"c","passages":[{"text":"lo","highlights":[[0,2]]}],"score":0.5,"relevance":5e-1}]`
}

// signed is a receipt for the hits of an answer, with the keys of the service.
type signed struct {
	jws    string
	keys   json.RawMessage
	answer string
	line   meter.Hash // of the ledger
}

// signReceipt sells hits to a buyer, at noon. The service has another key, too.
func signReceipt(t *testing.T) signed {
	t.Helper()
	p := openProcess(t, sqlitetest.Open(t))
	b := p.of(p.sell("shop", priced(100, 10), meter.OfferCaps{}), "b", entries("shop", 1)...)
	p.topUp("b", 1000)
	b.at = noon.Add(-91 * day)
	p.mustBuy(b)
	o, answer := shown()
	o.Stores = b.stores
	var bill search.Bill
	p.must(p.storage.Update(t.Context(), func(tx meter.Tx) error {
		sale, err := p.meter.Sell(t.Context(), tx, caller("b"), p.admitted(b), o, noon)
		bill = sale.Bill
		return err
	}))
	keys, err := p.meter.PublicKeys(t.Context())
	p.must(err)
	return signed{bill.Charges[0].Receipt, keys, answer, p.verify().Last}
}

func TestAReceiptIsVerifiedOffline(t *testing.T) {
	r := signReceipt(t)
	got, err := meter.VerifyReceipt(r.jws, r.keys, json.RawMessage(r.answer))
	if err != nil {
		t.Fatal(err)
	}
	if got.Amount != 120 || got.Currency != "USD" || got.Hits != 2 || got.Line != 3 || got.LineHash != r.line || got.Nonce == "" {
		t.Errorf("got %+v", got)
	}
	if _, err := meter.VerifyReceipt(r.jws, r.keys, nil); err != nil {
		t.Errorf("without hits: %v", err)
	}
}

func TestVerifyReceiptRejectsOtherReceipts(t *testing.T) {
	r := signReceipt(t)
	jws, keys, answer := r.jws, r.keys, r.answer
	for name, c := range map[string]struct {
		from, to string
		want     error
	}{
		"value":      {`1.5`, `1.6`, meter.ErrReceiptHits},
		"key":        {`a/b`, `a/c`, meter.ErrReceiptHits},
		"passage":    {`"lo"`, `"l0"`, meter.ErrReceiptHits},
		"score":      {`0.930`, `0.94`, meter.ErrReceiptHits},
		"label":      {`"PUBLIC","key":"a`, `"INTERNAL","key":"a`, meter.ErrReceiptHits},
		"fewer hits": {`{"store_id":"shop","label":"PUBLIC","key":"c"`, `{"store_id":"other","label":"PUBLIC","key":"c"`, meter.ErrReceiptHits},
	} {
		altered := strings.Replace(answer, c.from, c.to, 1)
		if altered == answer {
			t.Fatal(name)
		}
		if _, err := meter.VerifyReceipt(jws, keys, json.RawMessage(altered)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	parts := strings.Split(jws, ".")
	alter := func(part int, from, to string) string {
		raw, err := base64.RawURLEncoding.DecodeString(parts[part])
		if err != nil || !strings.Contains(string(raw), from) {
			t.Fatalf("%s: %v", raw, err)
		}
		altered := append([]string(nil), parts...)
		altered[part] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(raw), from, to, 1)))
		return strings.Join(altered, ".")
	}
	for name, c := range map[string]struct {
		jws  string
		want error
	}{
		"amount":    {alter(1, `"amount":120`, `"amount":121`), meter.ErrSignature},
		"time":      {alter(1, `2026-03-01`, `2026-03-02`), meter.ErrSignature},
		"algorithm": {alter(0, `EdDSA`, `none`), meter.ErrReceipt},
		"type":      {alter(0, meter.ReceiptType, `JWT`), meter.ErrReceipt},
		"half":      {parts[0] + "." + parts[1], meter.ErrReceipt},
		"signature": {parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 64)), meter.ErrSignature},
		"a token":   {"e30.e30.e30", meter.ErrReceipt},
	} {
		if _, err := meter.VerifyReceipt(c.jws, keys, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	others := signReceipt(t).keys
	if _, err := meter.VerifyReceipt(jws, others, nil); !errors.Is(err, meter.ErrReceiptKey) {
		t.Errorf("keys of another service: %v", err)
	}
	// A key whose ID is not its thumbprint is ignored.
	var mine, theirs struct{ Keys []map[string]any }
	if json.Unmarshal(keys, &mine) != nil || json.Unmarshal(others, &theirs) != nil {
		t.Fatal("keys")
	}
	theirs.Keys[1]["kid"] = mine.Keys[1]["kid"]
	forged, _ := json.Marshal(map[string]any{"keys": theirs.Keys})
	if _, err := meter.VerifyReceipt(jws, forged, nil); !errors.Is(err, meter.ErrReceiptKey) {
		t.Errorf("a key under another's ID: %v", err)
	}
}

func FuzzVerifyReceipt(f *testing.F) {
	f.Add("e30.e30.e30", `{"keys":[]}`, `[]`)
	f.Fuzz(func(t *testing.T, jws, keys, hits string) {
		if _, err := meter.VerifyReceipt(jws, json.RawMessage(keys), json.RawMessage(hits)); err == nil {
			t.Error("accepted a receipt that nobody signed")
		}
	})
}

func TestAValueHasOneDigestInEveryForm(t *testing.T) {
	p := openProcess(t, sqlitetest.Open(t))
	p.topUp("buyer", 1000)
	p.mustBuy(p.of(p.sell("shop", priced(100, 10), meter.OfferCaps{}), "buyer", entry("shop", "k", `{"a":1,"b":[2]}`)))
	p.must(p.storage.View(t.Context(), func(tx meter.ReadTx) error {
		key, err := tx.Meta(t.Context(), meter.MetaBought)
		p.must(err)
		mac := hmac.New(sha256.New, key)
		mac.Write(canonicaljson.Of(json.RawMessage("{ \"b\" : [2.0],\n\"a\":1e0 }")))
		digest := mac.Sum(nil)
		_, values, err := tx.Shown(t.Context(), "shop", "buyer", nil, [][]byte{digest})
		if !values[string(digest)] {
			t.Error("two forms of a value have different digests")
		}
		return err
	}))
}
