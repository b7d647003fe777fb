package memory_test

import (
	"slices"
	"testing"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
	"mneme/test/backendtest"
)

// stored returns what a caller learns about a store.
func (h *harness) stored(c memory.Caller, store string) memory.StoreInfo {
	h.t.Helper()
	infos, err := h.Stores(background, c, "", "")
	must(h, err)
	i := slices.IndexFunc(infos, func(info memory.StoreInfo) bool { return info.Store == store })
	if i < 0 {
		h.t.Fatalf("%s is not among %v", store, infos)
	}
	return infos[i]
}

func TestTheModelsOfAStoreAreShownToItsReaders(t *testing.T) {
	h := open(t, backendtest.Embedded(), memory.Limits{})
	h.SetUpAccess()
	for _, store := range []string{"lender", "seller"} {
		info, err := h.SetLanguage(background, agent(store, acl.Public), store, choice.LanguageMultilingual)
		if err != nil || info.Reading.Language != choice.LanguageMultilingual || info.Kind != "self" {
			t.Errorf("%s: %+v, %v", store, info, err)
		}
	}
	reader := agent("reader", acl.Public)
	if info := h.stored(reader, "seller"); info.Level != acl.Search || info.Models != nil || info.EveryLanguage || info.Reading != (choice.Reading{}) {
		t.Errorf("to a reader at level search: %+v", info)
	}
	// The test's service takes its embedder for one that reads every language.
	if info := h.stored(reader, "lender"); info.Reading.Language != choice.LanguageMultilingual || len(info.Models) != 1 || info.Models[0] != encoder(t).Fingerprint() || !info.EveryLanguage {
		t.Errorf("to a reader: %+v", info)
	}
}

func TestAGuestDoesNotChooseTheModelsOfAStore(t *testing.T) {
	h := openOver(t, backendtest.Embedded().Open(t), memory.Options{})
	h.SetUpAccess()
	owner, guest := agent("lender", acl.Public), agent("guest", acl.Public)
	h.MustShare(owner, "guest", acl.ReadWrite)
	platform := memory.Caller{Principal: acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true}}
	for _, c := range []struct {
		as     memory.Caller
		choice choice.Language
		status int
	}{
		{guest, choice.LanguageEnglish, 403},
		{agent("stranger", acl.Public), choice.LanguageEnglish, 403},
		{agent("stranger", acl.Public), choice.Language(255), 403}, // access is checked first
		{owner, choice.Language(255), 422},
		{platform, choice.LanguageEnglish, 200},
	} {
		_, err := h.SetLanguage(background, c.as, "lender", c.choice)
		h.WantStatus(err, c.status)
		if want := c.status == 200; (h.stored(owner, "lender").Reading.Language == choice.LanguageEnglish) != want {
			t.Errorf("%s chose %v: the store has %v", c.as.Agent, c.choice, h.stored(owner, "lender").Reading)
		}
	}
	if info := h.stored(guest, "lender"); !slices.Equal(info.Models, []string{"english"}) || info.EveryLanguage || info.Reading.Why() != choice.ChosenEnglish {
		t.Errorf("to the guest: %+v", info)
	}
}

func TestTheStoresOfEachModelAreCountedForOperators(t *testing.T) {
	h := openOver(t, backendtest.Embedded().Open(t), memory.Options{})
	platform := memory.Caller{Principal: acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true}}
	for _, store := range []string{"a", "b", "c"} {
		h.PutText(agent(store, acl.Public), store, "k", "text", 201)
	}
	_, err := h.SetLanguage(background, agent("a", acl.Public), "a", choice.LanguageMultilingual)
	must(h, err)
	n, err := h.ModelStores(background, platform)
	if err != nil || n == nil || *n != (memory.ModelStores{English: 2, Multilingual: 1, Unread: 1}) {
		t.Errorf("%+v, %v", n, err)
	}
	_, err = h.ModelStores(background, agent("a", acl.Public))
	h.WantStatus(err, 403)
	one := open(t, backendtest.Embedded(), memory.Limits{})
	if n, err := one.ModelStores(background, platform); n != nil || err != nil {
		t.Errorf("with one embedder of every language: %+v, %v", n, err)
	}
}

// While a store is queued and embedded again, the entries of others wait. So a choice that
// changes nothing must not queue it.
func TestAChoiceThatChangesNothingQueuesNothing(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		h := openOver(t, data, memory.Options{}, encoder(t))
		a := agent("a", acl.Public)
		h.PutText(a, "a", "k", "The night train arrives after midnight.", 201)
		h.Index()
		choose := func(language choice.Language, queued int64) {
			t.Helper()
			info, err := h.SetLanguage(background, a, "a", language)
			must(h, err)
			want := choice.Reading{Language: language}
			if language == choice.LanguageMultilingual && queued > 0 {
				want.Unread = acl.Public
			}
			if info.Reading != want || h.stored(a, "a").Reading != want {
				t.Errorf("%s: %+v", language, info.Reading)
			}
			if n := h.Status(background).Queue; n != queued {
				t.Errorf("%s: %d entries are queued, want %d", language, n, queued)
			}
			h.Index()
			if !h.stored(a, "a").Reading.Whole() {
				t.Errorf("%s: what was queued is indexed, and the store is not whole", language)
			}
		}
		choose(choice.LanguageAuto, 0)
		choose(choice.LanguageMultilingual, 1)
		choose(choice.LanguageMultilingual, 0)
		choose(choice.LanguageAuto, 1)
		must(h, data.Storage(t).Update(background, func(tx memory.Tx) error {
			return tx.PutReading(background, memory.ReadingChange{Store: "a", Asked: true})
		}))
		choose(choice.LanguageAuto, 1) // resets Asked
		choose(choice.LanguageAuto, 0)
	})
}
