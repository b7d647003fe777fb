package cache

import (
	"hash/maphash"
	"sync"
	"unsafe"

	"github.com/google/uuid"

	"mneme/memory"
)

// Documents keeps the entry IDs of the document numbers in postings. A search finds hundreds of
// documents, and similar questions find mostly the same ones. A document always belongs to the
// same entry, so nothing that is kept becomes invalid.
//
// SECURITY: what one Reader has looked up is not used for another.
type Documents struct {
	seed maphash.Seed

	mu   sync.Mutex
	sets []documentSet // by hash of the key
}

// documentSet holds the last four documents that were put into the set, the latest first. When
// half of all slots are taken, one set in twenty has received a fifth document and has lost one.
type documentSet [4]document

type document struct {
	documentKey
	entry uuid.UUID
}

type documentKey struct {
	reader     Reader
	store, doc int64
}

// NewDocuments returns a cache of at most maxBytes bytes, but at least one set.
func NewDocuments(maxBytes int) *Documents {
	n := max(1, maxBytes/int(unsafe.Sizeof(documentSet{})))
	return &Documents{seed: maphash.MakeSeed(), sets: make([]documentSet, n)}
}

// Of returns the documents that reader has read, as a storage looks them up.
func (d *Documents) Of(reader Reader) memory.DocumentIDs { return readDocuments{d, reader} }

func (d *Documents) set(key documentKey) *documentSet {
	return &d.sets[maphash.Comparable(d.seed, key)%uint64(len(d.sets))]
}

// readDocuments implements memory.DocumentIDs.
type readDocuments struct {
	documents *Documents
	reader    Reader
}

// Get implements memory.DocumentIDs.
func (r readDocuments) Get(n int, document func(i int) (store, doc int64), found func(i int, entry uuid.UUID)) {
	keys, sets := make([]documentKey, n), make([]*documentSet, n)
	for i := range n { // before any set is read: the processor then fetches several sets at a time
		store, doc := document(i)
		keys[i] = documentKey{r.reader, store, doc}
		sets[i] = r.documents.set(keys[i])
	}
	r.documents.mu.Lock()
	defer r.documents.mu.Unlock()
	for i, set := range sets {
		for k := range set {
			if slot := &set[k]; slot.documentKey == keys[i] && slot.entry != uuid.Nil { // an empty slot has the zero key
				found(i, slot.entry)
				break
			}
		}
	}
}

// Put implements memory.DocumentIDs.
func (r readDocuments) Put(store, doc int64, entry uuid.UUID) {
	key := documentKey{r.reader, store, doc}
	r.documents.mu.Lock()
	defer r.documents.mu.Unlock()
	set := r.documents.set(key)
	copy(set[1:], set[:])
	set[0] = document{key, entry}
}
