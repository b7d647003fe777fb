package memory_test

import (
	"bytes"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/test/backendtest"
)

// openMetered opens a service with a meter and its market over a new database.
func openMetered(t *testing.T, b backendtest.Backend) (*harness, *meter.Market) {
	h := openOver(t, b.Open(t), memory.Options{}, encoder(t))
	return h, h.Market
}

func TestLoadDumpRestoresTheLedgerIfItVerifies(t *testing.T) {
	backendtest.Each(t, backendtest.Storages(), func(t *testing.T, b backendtest.Backend) {
		h, market := openMetered(t, b)
		platform := agent("operator", acl.Public)
		platform.Platform = true
		for _, reference := range []string{"r1", "r2"} {
			_, err := market.TopUp(background, platform, "buyer", 1234, reference)
			must(h, err)
		}
		var dump bytes.Buffer
		must(h, h.Dump(background, &dump))

		restored, market := openMetered(t, b)
		forged := bytes.ReplaceAll(dump.Bytes(), []byte("1234"), []byte("4321"))
		if _, err := restored.LoadDump(background, bytes.NewReader(forged), nil); err == nil {
			t.Error("a dump with a forged ledger was loaded")
		}
		unmetered, err := memory.New(background, b.Open(t).Storage(t), memory.Options{})
		must(h, err)
		if _, err := unmetered.Admin().LoadDump(background, bytes.NewReader(dump.Bytes()), nil); err == nil {
			t.Error("a dump was loaded whose ledger nobody verified")
		}
		_, err = restored.LoadDump(background, bytes.NewReader(dump.Bytes()), nil)
		must(restored, err)
		account, err := market.Account(background, agent("buyer", acl.Public))
		must(restored, err)
		if account.Balance != 2468 {
			t.Errorf("the restored balance is %d", account.Balance)
		}
	})
}

func TestDumpsOfAnotherVersionAreRefused(t *testing.T) {
	h := openOver(t, backendtest.Embedded().Open(t), memory.Options{}, encoder(t))
	for dump, ok := range map[string]bool{
		`{"format":"mneme dump","version":4}{"name":{"ID":"a","Kind":"caller"}}{"end":{"records":1}}`:                          true,
		`{"format":"mneme dump","version":5}{"reading":{"Store":"a","Language":"english","Asked":false}}{"end":{"records":1}}`: true,
		`{"format":"mneme dump","version":5}{"reading":{"Store":"b","Language":"klingon","Asked":false}}{"end":{"records":1}}`: false,
		`{"format":"mneme dump","version":3}{"end":{"records":0}}`:                                                             false,
		`{"format":"mneme dump","version":6}{"end":{"records":0}}`:                                                             false,
	} {
		if _, err := h.LoadDump(background, bytes.NewReader([]byte(dump)), nil); (err == nil) != ok {
			t.Errorf("%s: %v", dump, err)
		}
	}
}
