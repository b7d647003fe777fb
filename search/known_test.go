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

// knownReads is a storage that counts the documents whose entries searches learn.
type knownReads struct {
	storage.Storage
	learned int
}

func (k *knownReads) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	return k.Storage.View(ctx, func(tx memory.ReadTx) error { return fn(knownReadsTx{tx, k}) })
}

type knownReadsTx struct {
	memory.ReadTx
	of *knownReads
}

func (tx knownReadsTx) Lexical(ctx context.Context, scope acl.Scope, q memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error) {
	if q.Known != nil {
		q.Known = countedIDs{q.Known, tx.of}
	}
	return tx.ReadTx.Lexical(ctx, scope, q)
}

type countedIDs struct {
	memory.DocumentIDs
	of *knownReads
}

func (c countedIDs) Put(store, doc int64, entry uuid.UUID) {
	c.of.learned++
	c.DocumentIDs.Put(store, doc, entry)
}

// Each viewer reads which entries the documents of the postings are, whoever has read it
// before, and reads it once.
func TestEachViewerLearnsOnceWhichEntriesDocumentsAre(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		reads := &knownReads{Storage: data.Storage(t)}
		h := &harness{backendtest.Wrap(t, backendtest.OpenProcess(t, reads, backendtest.Options{}, data.Model(t, encoder(t)))), t}
		const n = 5
		for i := range n {
			h.PutText(agent("a", acl.Public), "a", fmt.Sprint(i), fmt.Sprintf("The night train %d arrives after midnight.", i), 201)
		}
		for _, asked := range []struct {
			by   memory.Caller
			want int
		}{{agent("a", acl.Public), n}, {agent("a", acl.Public), 0}, {agent("a", acl.Internal), n}, {agent("a", acl.Internal), 0}} {
			reads.learned = 0
			if h.MustSearch(asked.by, search.Request{Query: "night train"}); reads.learned != asked.want {
				t.Errorf("%v learned %d, want %d", asked.by.Taint, reads.learned, asked.want)
			}
		}
	})
}
