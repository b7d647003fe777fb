package cache

import (
	"testing"

	"github.com/google/uuid"
)

func TestAViewerHasTheDocumentsThatItFound(t *testing.T) {
	documents := NewDocuments(1 << 20)
	ada, bob := documents.Of(1), documents.Of(2)
	first, second := uuid.New(), uuid.New()
	ada.Put(1, 7, first)
	ada.Put(2, 7, second)
	for store, want := range map[int64]uuid.UUID{1: first, 2: second} {
		if got, ok := ada.Get(store, 7); !ok || got != want {
			t.Errorf("document 7 of store %d is %v, %v, want %v", store, got, ok, want)
		}
		if got, ok := bob.Get(store, 7); ok {
			t.Errorf("another viewer has %v", got)
		}
	}
	if got, ok := documents.Of(0).Get(0, 0); ok { // the key of an empty slot
		t.Errorf("the document that nobody found is %v", got)
	}
}

// What is put drops others only once its set is full, and they are the oldest.
func TestDocumentsAreBounded(t *testing.T) {
	ada := NewDocuments(1).Of(1) // one set
	for doc := range int64(10) {
		ada.Put(1, doc, uuid.UUID{byte(doc)})
	}
	for doc := range int64(10) {
		if got, ok := ada.Get(1, doc); ok != (doc >= 6) || ok && got != (uuid.UUID{byte(doc)}) {
			t.Errorf("document %d is %v, %v, want the last four", doc, got, ok)
		}
	}
}
