package indexer_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/indexer"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/vector"
)

// bilingual is a database with an English and a multilingual model.
type bilingual struct {
	*harness
	rows                  storage.Storage
	english, multilingual string // fingerprints
}

func openBilingual(t *testing.T, b backendtest.Backend) *bilingual {
	data, english := b.Open(t), backendtest.Arbitrary{Embedder: encoder(t)}
	multilingual := backendtest.Second(english)
	rows := data.Storage(t)
	options := backendtest.Options{Multilingual: []indexer.Model{data.Model(t, multilingual)}}
	return &bilingual{
		wrap(t, backendtest.OpenProcess(t, rows, options, data.Model(t, english))), rows,
		english.Fingerprint(), multilingual.Fingerprint(),
	}
}

// write puts n entries with a label and with keys that begin with a prefix.
func (b *bilingual) write(label acl.Label, prefix, text string, n int) (ids []uuid.UUID) {
	for i := range n {
		ids = append(ids, b.put(agent("a", label), "a", fmt.Sprint(prefix, i), text).ID)
	}
	return ids
}

func (b *bilingual) reading() choice.Reading {
	b.t.Helper()
	var reading choice.Reading
	must(b.harness, b.rows.View(background, func(tx memory.ReadTx) error {
		known, err := tx.StoreFacts(background, []string{"a"})
		reading = choice.Of(known["a"].Detail)
		return err
	}))
	return reading
}

func (b *bilingual) wantReading(want choice.Reading) {
	b.t.Helper()
	if got := b.reading(); got != want {
		b.t.Errorf("the store is read so: %+v, want %+v", got, want)
	}
}

// wantVectors checks which models have read entries.
func (b *bilingual) wantVectors(ids []uuid.UUID, english, multilingual bool) {
	b.t.Helper()
	for fingerprint, want := range map[string]bool{b.english: english, b.multilingual: multilingual} {
		found := make(map[uuid.UUID]bool)
		must(b.harness, b.rows.ForIndexer().View(background, func(tx indexer.ReadTx) error {
			return tx.Vectors(background, fingerprint, ids, func(r vector.Record) error {
				found[r.Entry] = true
				return nil
			})
		}))
		if n := len(found); want && n != len(ids) || !want && n > 0 {
			b.t.Errorf("%d of %d entries have vectors of %s", n, len(ids), fingerprint)
		}
	}
}

func TestBothModelsReadAStoreWithATwentiethForeignEntries(t *testing.T) {
	onEachStorage(t, func(t *testing.T, backend backendtest.Backend) {
		b := openBilingual(t, backend)
		english := b.write(acl.Public, "english", inEnglish, 180)
		b.Index()
		b.wantReading(choice.Reading{})
		german := b.write(acl.Public, "german", inGerman, 9) // of 189 entries
		b.Index()
		b.wantReading(choice.Reading{Multilingual: acl.Public})
		b.wantVectors(english, true, false)
		german = append(german, b.write(acl.Public, "again", inGerman, 1)...)
		b.Index()
		b.wantReading(choice.Reading{Multilingual: acl.Public, Mixed: acl.Public})
		b.wantVectors(english, true, true)
		b.wantVectors(german, false, true)
		later := b.write(acl.Public, "later", inEnglish, 30) // the store stays mixed
		b.Index()
		b.wantReading(choice.Reading{Multilingual: acl.Public, Mixed: acl.Public})
		b.wantVectors(later, true, true)
	})
}

func TestAStoreWhoseLanguageWasChosenDoesNotBecomeMixed(t *testing.T) {
	onEachStorage(t, func(t *testing.T, backend backendtest.Backend) {
		b := openBilingual(t, backend)
		_, err := b.SetLanguage(background, agent("a", acl.Public), "a", choice.LanguageEnglish)
		must(b.harness, err)
		all := append(b.write(acl.Public, "german", inGerman, 2), b.write(acl.Public, "english", inEnglish, 2)...)
		b.Index()
		b.wantReading(choice.Reading{Language: choice.LanguageEnglish})
		b.wantVectors(all, true, false)
	})
}

// While a language is chosen, the multilingual model may read all of a store. When the choice
// ends, that must not make the store's entries count as foreign.
func TestAStoreThatWasMultilingualIsNotMixed(t *testing.T) {
	onEachStorage(t, func(t *testing.T, backend backendtest.Backend) {
		b := openBilingual(t, backend)
		a := agent("a", acl.Public)
		english, german := b.write(acl.Public, "english", inEnglish, 30), b.write(acl.Public, "german", inGerman, 2)
		b.Index()
		for _, language := range []choice.Language{choice.LanguageMultilingual, choice.LanguageAuto} {
			_, err := b.SetLanguage(background, a, "a", language)
			must(b.harness, err)
			german = append(german, b.write(acl.Public, language.String(), inGerman, 1)...)
			b.Index()
		}
		b.wantReading(choice.Reading{Multilingual: acl.Public})
		b.wantVectors(english, true, false)
		b.wantVectors(german, false, true)
		b.write(acl.Public, "more", inGerman, 6) // ten of forty entries
		b.Index()
		b.wantReading(choice.Reading{Multilingual: acl.Public, Mixed: acl.Public})
		b.wantVectors(english, true, true)
	})
}

// Which models read an entry must not depend on entries with higher labels. Neither must what
// is recorded about the store up to the entry's label.
func TestHiddenEntriesDoNotDecideWhichModelsReadOthers(t *testing.T) {
	onEachStorage(t, func(t *testing.T, backend backendtest.Backend) {
		b := openBilingual(t, backend)
		english := b.write(acl.Public, "english", inEnglish, 181)
		german := b.write(acl.Public, "german", inGerman, 9)
		b.Index()
		before := b.reading()
		hidden := b.write(acl.Confidential, "hidden", inEnglish, 2)
		foreign := b.write(acl.Confidential, "foreign", inGerman, 3)
		b.Index()
		if after := choice.Of(b.reading().Within(acl.Internal)); after != before || after.Mixed != 0 {
			t.Errorf("hidden entries change %+v to %+v", before, after)
		}
		b.wantReading(choice.Reading{Multilingual: acl.Public, Mixed: acl.Confidential})
		b.wantVectors(english, true, false)
		b.wantVectors(german, false, true)
		b.wantVectors(hidden, true, true)
		b.wantVectors(foreign, false, true)

		b.write(acl.Restricted, "top", inEnglish, 60) // these cannot undo it
		b.write(acl.Internal, "internal", inGerman, 1)
		b.Index()
		b.wantReading(choice.Reading{Multilingual: acl.Public, Mixed: acl.Internal})
		b.wantVectors(english, true, false)
	})
}

// A store is not whole until the vectors of its queued entries are made. No caller learns this
// about entries above its ceiling.
func TestAStoreIsWholeOnceTheMultilingualModelHasReadIt(t *testing.T) {
	onEachStorage(t, func(t *testing.T, backend backendtest.Backend) {
		b := openBilingual(t, backend)
		b.write(acl.Public, "english", inEnglish, 2)
		b.write(acl.Confidential, "hidden", inEnglish, 1)
		b.Index()
		must(b.harness, b.rows.Update(background, func(tx memory.Tx) error {
			return tx.PutReading(background, memory.ReadingChange{Store: "a", Asked: true, QueuedAt: b.Instant(), Lacking: b.multilingual})
		}))
		b.wantReading(choice.Reading{Asked: true, Unread: acl.Public})
		b.Index()
		b.wantReading(choice.Reading{Asked: true, Multilingual: acl.Public})
		b.write(acl.Public, "later", inEnglish, 1)
		b.wantReading(choice.Reading{Asked: true, Multilingual: acl.Public})
	})
}
