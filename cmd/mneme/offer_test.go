package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/clients/go/api"
)

// A buyer pays once for what it finds, and the ledger and its dump are valid.
func TestASearchIsSoldAndBought(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, `{"key":"a","value":"a hut with water"}`, "import", "--agent", "hiker", "--store", "hiker", "-")
	must(t, dir, "", "offer", "create", "--agent", "hiker", "--title", "Huts", "--price-search", "0.002", "--price-entry", "0.0005")
	offer := decode[api.Offer](t, must(t, dir, "", "offer", "list", "--agent", "guest", "--json")).ID.String()
	if r := mneme(t, dir, "", "search", "--agent", "guest", "--offer", offer, "hut"); r.status != exitFailed || !strings.Contains(r.err, "credits") {
		t.Errorf("an unpaid search: %+v", r)
	}
	for range 2 { // the second changes nothing
		if out := must(t, dir, "", "topup", "guest", "5", "--reference", "r"); out != "guest: 5 credits (USD)\n" {
			t.Errorf("topup: %q", out)
		}
	}
	must(t, dir, "", "offer", "accept", "--agent", "guest", offer)
	for range 2 { // the second is a repetition
		if out := must(t, dir, "", "search", "--agent", "guest", "--offer", offer, "--max-charge", "0.01", "--idempotency-key", "k", "hut"); !strings.Contains(out, "paid 0.0025 credits") {
			t.Errorf("search: %q", out)
		}
	}
	if out := must(t, dir, "", "account", "--agent", "hiker"); out != "hiker: 0.0025 credits (USD)\n" {
		t.Errorf("account: %q", out)
	}
	if out := must(t, dir, "", "sales", "--agent", "hiker", "--by", "buyer"); !strings.Contains(out, "1 searches  1 hits  1 bought  100.0% of the store  0.0025 credits") {
		t.Errorf("sales: %q", out)
	}
	if out := must(t, dir, "", "ledger", "verify"); !strings.Contains(out, "2 lines") {
		t.Errorf("ledger: %q", out)
	}
	dump := must(t, dir, "", "export", "--full")
	must(t, dir, dump, "ledger", "verify", "--dump", "-")
	forged := filepath.Join(dir, "forged")
	if err := os.WriteFile(forged, []byte(strings.Replace(dump, `"amount":-2500`, `"amount":-1500`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := mneme(t, dir, "", "ledger", "verify", "--dump", forged); r.status != exitFailed || !strings.Contains(r.err, "line 2") {
		t.Errorf("a forged ledger: %+v", r)
	}
}
