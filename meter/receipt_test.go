package meter

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// shown returns hits as a search shows them, and the same as REST answers them,
// in another form of JSON and with a hit of another store.
func shown() ([]search.ShownHit, string) {
	first := search.Hit{Entry: memory.Entry{Path: memory.Path{Store: "shop", Key: "a/b"}, Label: acl.Public, Value: json.RawMessage(`{"b": 1.50, "a": "é"}`)}, Score: 0.93, Relevance: 0.93, Level: acl.Search}
	second := search.Hit{Entry: memory.Entry{Path: memory.Path{Store: "shop", Key: "c"}, Label: acl.Public, Value: json.RawMessage(`"long"`)}, Score: 0.5, Relevance: 0.5, Level: acl.Search, Passages: []search.Passage{{Text: "lo", Highlights: [][2]int{{0, 2}}}}}
	return []search.ShownHit{{ID: uuid.UUID{1}, Hit: &first}, {ID: uuid.UUID{2}, Hit: &second}}, `[
		{"store_id":"shop","label":"PUBLIC","key":"a/b","value":{"a":"\u00e9","b":1.5},"score":0.930,"relevance":0.93},
		{"store_id":"own","id":"x","key":"k","label":"PUBLIC","value":1,"score":0.9,"relevance":0.9},
		{"store_id":"shop","label":"PUBLIC","key":"c","passages":[{"text":"lo","highlights":[[0,2]]}],"score":0.5,"relevance":5e-1}]`
}

func signedReceipt(t *testing.T) (jws string, keys json.RawMessage, answer string) {
	t.Helper()
	hits, answer := shown()
	key, err := newReceiptKey(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	charge := Charge{ID: uuid.UUID{9}, Offer: uuid.UUID{8}, Store: "shop", Buyer: "b", Seller: "shop", Amount: 120, Hits: 2, At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	digest, err := hitDigest(hits)
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := NewMeter(nil, MeterOptions{}).receipt(charge, sample()[1], digest)
	if err != nil {
		t.Fatal(err)
	}
	if jws, err = receipt.sign(key); err != nil {
		t.Fatal(err)
	}
	other, err := newReceiptKey(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key.Private, other.Private = "", ""
	if keys, err = json.Marshal(keySet{Keys: []receiptKey{other, key}}); err != nil {
		t.Fatal(err)
	}
	return jws, keys, answer
}

func TestAReceiptIsVerifiedOffline(t *testing.T) {
	jws, keys, answer := signedReceipt(t)
	got, err := VerifyReceipt(jws, keys, json.RawMessage(answer))
	if err != nil {
		t.Fatal(err)
	}
	if got.Amount != 120 || got.Currency != "USD" || got.Hits != 2 || got.Line != 2 || got.LineHash != sample()[1].Hash || got.Nonce == "" {
		t.Errorf("got %+v", got)
	}
	if _, err := VerifyReceipt(jws, keys, nil); err != nil {
		t.Errorf("without hits: %v", err)
	}
}

func TestAReceiptOfAnythingElseFails(t *testing.T) {
	jws, keys, answer := signedReceipt(t)
	for name, c := range map[string]struct {
		from, to string
		want     error
	}{
		"value":      {`1.5`, `1.6`, ErrReceiptHits},
		"key":        {`a/b`, `a/c`, ErrReceiptHits},
		"passage":    {`"lo"`, `"l0"`, ErrReceiptHits},
		"score":      {`0.930`, `0.94`, ErrReceiptHits},
		"label":      {`"PUBLIC","key":"a`, `"INTERNAL","key":"a`, ErrReceiptHits},
		"fewer hits": {`{"store_id":"shop","label":"PUBLIC","key":"c"`, `{"store_id":"other","label":"PUBLIC","key":"c"`, ErrReceiptHits},
	} {
		altered := strings.Replace(answer, c.from, c.to, 1)
		if altered == answer {
			t.Fatal(name)
		}
		if _, err := VerifyReceipt(jws, keys, json.RawMessage(altered)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	parts := strings.Split(jws, ".")
	alter := func(part int, from, to string) string {
		raw, err := decode(parts[part])
		if err != nil || !strings.Contains(string(raw), from) {
			t.Fatalf("%s: %v", raw, err)
		}
		altered := append([]string(nil), parts...)
		altered[part] = encode([]byte(strings.Replace(string(raw), from, to, 1)))
		return strings.Join(altered, ".")
	}
	for name, c := range map[string]struct {
		jws  string
		want error
	}{
		"amount":    {alter(1, `"amount":120`, `"amount":121`), ErrSignature},
		"time":      {alter(1, `2026-03-01`, `2026-03-02`), ErrSignature},
		"algorithm": {alter(0, `EdDSA`, `none`), ErrReceipt},
		"type":      {alter(0, ReceiptType, `JWT`), ErrReceipt},
		"half":      {parts[0] + "." + parts[1], ErrReceipt},
		"signature": {parts[0] + "." + parts[1] + "." + encode(make([]byte, 64)), ErrSignature},
		"a token":   {"e30.e30.e30", ErrReceipt},
	} {
		if _, err := VerifyReceipt(c.jws, keys, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, others, _ := signedReceipt(t)
	if _, err := VerifyReceipt(jws, others, nil); !errors.Is(err, ErrReceiptKey) {
		t.Errorf("keys of another service: %v", err)
	}
	// A key that is not what its ID says is none.
	var mine, theirs keySet
	if json.Unmarshal(keys, &mine) != nil || json.Unmarshal(others, &theirs) != nil {
		t.Fatal("keys")
	}
	theirs.Keys[1].ID = mine.Keys[1].ID
	forged, _ := json.Marshal(theirs)
	if _, err := VerifyReceipt(jws, forged, nil); !errors.Is(err, ErrReceiptKey) {
		t.Errorf("a key under another's ID: %v", err)
	}
}

func FuzzVerifyReceipt(f *testing.F) {
	f.Add("e30.e30.e30", `{"keys":[]}`, `[]`)
	f.Fuzz(func(t *testing.T, jws, keys, hits string) {
		if _, err := VerifyReceipt(jws, json.RawMessage(keys), json.RawMessage(hits)); err == nil {
			t.Error("a receipt that nobody signed")
		}
	})
}

func TestAValueHasOneDigestInEveryForm(t *testing.T) {
	key := []byte("key")
	same := [2]string{`{"a":1,"b":[2]}`, "{ \"b\" : [2.0],\n\"a\":1e0 }"}
	if string(digestOf(key, json.RawMessage(same[0]))) != string(digestOf(key, json.RawMessage(same[1]))) {
		t.Error("two forms of a value have two digests")
	}
	if string(digestOf(key, json.RawMessage(`1`))) == string(digestOf([]byte("other"), json.RawMessage(`1`))) {
		t.Error("the digest does not depend on the key")
	}
}
