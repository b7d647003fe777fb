package cache

import (
	"hash/maphash"
	"sync"
	"unsafe"

	"github.com/google/uuid"

	"mneme/memory"
)

// Documents keeps which entries the documents of postings are. A search finds hundreds of
// documents, and similar questions find mostly the same ones. A document is the same entry
// for good.
//
// SECURITY: they are kept for each Reader.
type Documents struct {
	seed maphash.Seed

	mu   sync.Mutex
	sets []documentSet // by hash of the key
}

// documentSet holds the last ones that were put, the latest first. While half of all slots
// are taken, one set in twenty has had a fifth.
type documentSet [4]document

type document struct {
	documentKey
	entry uuid.UUID
}

type documentKey struct {
	reader     Reader
	store, doc int64
}

// NewDocuments returns a cache of at most so many bytes, or of one set.
func NewDocuments(maxBytes int) *Documents {
	n := max(1, maxBytes/int(unsafe.Sizeof(documentSet{})))
	return &Documents{seed: maphash.MakeSeed(), sets: make([]documentSet, n)}
}

// Of returns those that a Reader has read.
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
	for i := range n { // before any set is read, so that the processor fetches several at a time
		store, doc := document(i)
		keys[i] = documentKey{r.reader, store, doc}
		sets[i] = r.documents.set(keys[i])
	}
	r.documents.mu.Lock()
	defer r.documents.mu.Unlock()
	for i, set := range sets {
		for k := range set {
			if slot := &set[k]; slot.documentKey == keys[i] && slot.entry != uuid.Nil { // an empty slot has a key, too
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
