package search_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/test/backendtest"
)

// documentReads is a storage that counts how many entries of documents searches read.
type documentReads struct {
	storage.Storage
	count int
}

func (k *documentReads) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	return k.Storage.View(ctx, func(tx memory.ReadTx) error { return fn(documentReadsTx{tx, k}) })
}

type documentReadsTx struct {
	memory.ReadTx
	of *documentReads
}

func (tx documentReadsTx) Lexical(ctx context.Context, scope acl.Scope, q memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error) {
	if q.Known != nil {
		q.Known = countedIDs{q.Known, tx.of}
	}
	return tx.ReadTx.Lexical(ctx, scope, q)
}

type countedIDs struct {
	memory.DocumentIDs
	of *documentReads
}

func (c countedIDs) Put(store, doc int64, entry uuid.UUID) {
	c.of.count++
	c.DocumentIDs.Put(store, doc, entry)
}

// Each viewer reads the entries of the documents in postings once, even if other viewers have
// read them before.
func TestEachViewerReadsTheEntryOfADocumentOnce(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		reads := &documentReads{Storage: data.Storage(t)}
		h := &harness{backendtest.Wrap(t, backendtest.OpenProcess(t, reads, backendtest.Options{}, data.Model(t, encoder(t)))), t}
		const n = 5
		for i := range n {
			h.PutText(agent("a", acl.Public), "a", fmt.Sprint(i), fmt.Sprintf("The night train %d arrives after midnight.", i), 201)
		}
		for _, asked := range []struct {
			by   memory.Caller
			want int
		}{{agent("a", acl.Public), n}, {agent("a", acl.Public), 0}, {agent("a", acl.Internal), n}, {agent("a", acl.Internal), 0}} {
			reads.count = 0
			if h.MustSearch(asked.by, search.Request{Query: "night train"}); reads.count != asked.want {
				t.Errorf("%v reads %d, want %d", asked.by.Taint, reads.count, asked.want)
			}
		}
	})
}
