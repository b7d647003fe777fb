package cache

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/memory"
)

// one returns the entry of one document.
func one(of memory.DocumentIDs, store, doc int64) (entry uuid.UUID, ok bool) {
	of.Get(1, func(int) (int64, int64) { return store, doc }, func(_ int, found uuid.UUID) { entry, ok = found, true })
	return entry, ok
}

func TestAViewerHasTheDocumentsThatItFound(t *testing.T) {
	documents := NewDocuments(1 << 20)
	ada, bob := documents.Of(Reader{1}), documents.Of(Reader{2})
	first, second := uuid.New(), uuid.New()
	ada.Put(1, 7, first)
	ada.Put(2, 7, second)
	for store, want := range map[int64]uuid.UUID{1: first, 2: second} {
		if got, ok := one(ada, store, 7); !ok || got != want {
			t.Errorf("document 7 of store %d is %v, %v, want %v", store, got, ok, want)
		}
		if got, ok := one(bob, store, 7); ok {
			t.Errorf("another viewer has %v", got)
		}
	}
	if got, ok := one(documents.Of(Reader{0}), 0, 0); ok { // the key of an empty slot
		t.Errorf("the document that nobody found is %v", got)
	}
}

func TestDocumentsAreLookedUpTogether(t *testing.T) {
	ada := NewDocuments(1 << 20).Of(Reader{1})
	ada.Put(1, 7, uuid.UUID{7})
	ada.Put(1, 9, uuid.UUID{9})
	docs, found := []int64{9, 8, 7, 9}, make([]uuid.UUID, 4)
	ada.Get(len(docs), func(i int) (int64, int64) { return 1, docs[i] }, func(i int, entry uuid.UUID) { found[i] = entry })
	if want := []uuid.UUID{{9}, {}, {7}, {9}}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// A document that is put drops another only if its set is full, and then the oldest of the set.
func TestDocumentsAreBounded(t *testing.T) {
	ada := NewDocuments(1).Of(Reader{1}) // one set
	for doc := range int64(10) {
		ada.Put(1, doc, uuid.UUID{byte(doc)})
	}
	for doc := range int64(10) {
		if got, ok := one(ada, 1, doc); ok != (doc >= 6) || ok && got != (uuid.UUID{byte(doc)}) {
			t.Errorf("document %d is %v, %v, want the last four", doc, got, ok)
		}
	}
}
