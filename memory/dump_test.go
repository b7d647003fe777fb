package memory_test

import (
	"bytes"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

func TestLoadDumpRestoresTheDatabase(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		e := encoder(t)
		c := backendtest.NewClock()
		h := openOver(t, b.Open(t), memory.Options{Now: c.Now}, e)
		h.SetUpAccess()
		a := agent("reader", acl.Internal)
		h.PutText(a, "reader", "k", "one", 201)
		h.PutText(a, "reader", "k", "two herons", 200)
		h.PutText(a, "room", "gone", "x", 201)
		h.WantStatus(h.Delete(background, a, path("room", "gone"), memory.Preconditions{}), 200)
		h.PutText(a, "reader", "sealed", "blob", 201, sealed, ttl(time.Hour))
		_, err := h.Put(background, a, memory.PutRequest{Path: path("reader", "json"), Value: []byte("{ \"a\" : [1.50, 2e3] }")})
		must(h, err)
		_, err = h.SetLanguage(background, agent("reader", acl.Public), "reader", choice.LanguageMultilingual)
		must(h, err)
		var dump bytes.Buffer
		must(h, h.Dump(background, &dump))

		restored := openOver(t, b.Open(t), memory.Options{Now: c.Now}, e)
		_, err = restored.LoadDump(background, bytes.NewReader(dump.Bytes()), nil)
		must(restored, err)
		var again bytes.Buffer
		must(restored, restored.Dump(background, &again))
		if !bytes.Equal(dump.Bytes(), again.Bytes()) {
			t.Errorf("the dump of the restored database differs:\n%s\n%s", dump.String(), again.String())
		}
		restored.Index()
		if r := restored.stored(a, "reader").Reading; r.Language != choice.LanguageMultilingual {
			t.Errorf("the restored store is read as %+v", r)
		}
		if got := keys(restored.MustSearch(a, search.Request{Query: "herons"})); len(got) == 0 || got[0] != "k" {
			t.Errorf("the restored database finds %v", got)
		}
		v, err := restored.Versions(background, a, path("reader", "k"), 10, "")
		if err != nil || len(v.Items) != 2 {
			t.Errorf("%d versions after the restore (%v)", len(v.Items), err)
		}
		if _, err := restored.LoadDump(background, bytes.NewReader(dump.Bytes()), nil); err == nil {
			t.Error("a dump was loaded twice")
		}
		if _, err := restored.LoadDump(background, bytes.NewReader(dump.Bytes()[:dump.Len()-9]), nil); err == nil {
			t.Error("a truncated dump was loaded")
		}
	})
}
