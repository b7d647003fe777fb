package indexer_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/test/backendtest"
	"mneme/test/wait"
	"mneme/vector"
)

// The language of a store may be chosen while one of its entries is embedded or written to
// an index by the model that read it until then. The choice queues the entry again, another
// worker takes it, and either may end first: the entry gets the vectors of the model that
// reads it now, and stays queued until it has.
func TestALanguageChosenWhileAnEntryIsEmbeddedDecidesWhichVectorsItGets(t *testing.T) {
	for name, test := range map[string]struct {
		indexing bool // not embedding, when the language is chosen
		last     bool // the first worker ends after the other one
	}{
		"embedding, and ends first": {},
		"embedding, and ends last":  {last: true},
		"indexing":                  {indexing: true},
	} {
		t.Run(name, func(t *testing.T) {
			onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
				network, _ := remote(t)
				english := &heldEmbedder{network, make(chan heldCall)}
				multilingual := &heldEmbedder{backendtest.Second(network), make(chan heldCall)}
				data := b.Open(t)
				model, second := data.Model(t, english), data.Model(t, multilingual)
				var gate gatedIndex
				if test.indexing {
					model, gate.Index = sharedModel(t, data, english)
					second, _ = sharedModel(t, data, multilingual)
					model.Open = func(context.Context) (vector.Index, error) { return &gate, nil }
				}
				rows := data.Storage(t)
				h := wrap(t, backendtest.OpenProcess(t, rows, backendtest.Options{Multilingual: []indexer.Model{second}}, model))
				a := agent("a", acl.Public)
				id := h.put(a, "a", "k", "The night train arrives after midnight.").ID
				defer h.running()()

				call := english.next(t)
				var proceed chan<- struct{} = call.release
				if test.indexing {
					reached, release := gate.hold()
					close(call.release)
					wait.For(t, "the entry is written to the index", reached)
					proceed = release
				}
				_, err := h.SetLanguage(background, a, "a", acl.LanguageMultilingual)
				must(h, err)
				other := multilingual.next(t)
				if test.last {
					close(other.release)
					h.eventually("the queue is empty", func() bool { return queued(h, rows) == 0 })
				}
				close(proceed)
				again := multilingual.next(t) // the first worker has seen the choice
				if n := queued(h, rows); !test.last && n != 1 {
					t.Errorf("%d entries are queued while the vectors are made", n)
				}
				close(again.release)
				if !test.last {
					close(other.release)
				}
				h.AwaitEmptyQueue()
				for fingerprint, want := range map[string]int{english.Fingerprint(): 0, multilingual.Fingerprint(): 1} {
					must(h, rows.ForIndexer().View(background, func(tx indexer.ReadTx) error {
						found, err := tx.Vectors(background, fingerprint, []uuid.UUID{id})
						if len(found) != want {
							t.Errorf("%d vectors of %s, want %d", len(found), fingerprint, want)
						}
						return err
					}))
				}
			})
		})
	}
}
