package storagetest

import (
	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

var knownDocuments = []clause{
	{"documents whose entries are known are not read again", func(f *fixture) {
		f.put(entry("a", "1", says("needle")), entry("a", "2", says("needle hay")), entry("b", "k", says("needle")))
		scope, known := f.scope(reach{"a", acl.Public}, reach{"b", acl.Public}), make(knownEntries)
		query := memory.LexicalQuery{Terms: terms("needle"), Limit: 10, Now: start, Known: known}
		hits := f.lexical(scope, query)
		f.equal(len(known), 3)
		f.exact(f.lexical(scope, query), hits)
		other := uuid.Must(uuid.NewV7())
		for document := range known {
			known[document] = other
		}
		f.equal(entriesOf(f.lexical(scope, query)), []uuid.UUID{other, other, other})
		f.put(entry("b", "k2", says("needle")))
		f.equal(len(f.lexical(scope, query)), 4)
		f.equal(len(known), 4)
	}},

	{"an update neither uses nor makes entries known", func(f *fixture) {
		e := entry("a", "1", says("needle"))
		f.put(e)
		scope, known := f.scope(reach{"a", acl.Public}), make(knownEntries)
		query := memory.LexicalQuery{Terms: terms("needle"), Limit: 10, Now: start, Known: known}
		f.lexical(scope, query)
		for document := range known {
			known[document] = uuid.Nil
		}
		f.update(func(tx memory.Tx) error {
			f.ok(put(f.ctx, tx, entry("a", "2", says("needle straw hay"))))
			hits, _, err := tx.Lexical(f.ctx, scope, query)
			f.equal(len(hits), 2)
			f.equal(entriesOf(hits)[0], e.ID)
			f.equal(len(known), 1)
			return err
		})
	}},
}

// knownEntries is a memory.DocumentIDs that forgets nothing. Its keys are store and docID.
type knownEntries map[[2]int64]uuid.UUID

func (k knownEntries) Get(n int, document func(i int) (store, doc int64), found func(i int, entry uuid.UUID)) {
	for i := range n {
		store, doc := document(i)
		if entry, ok := k[[2]int64{store, doc}]; ok {
			found(i, entry)
		}
	}
}

func (k knownEntries) Put(store, doc int64, entry uuid.UUID) { k[[2]int64{store, doc}] = entry }
