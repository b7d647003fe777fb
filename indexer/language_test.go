package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/indexer"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/test/wait"
	"mneme/vector"
)

// While a model is embedding an entry or its vectors are written to an index, another language
// may be chosen for the store. The choice queues the entry again, and another worker takes it;
// either worker may end first. The entry must get vectors of the model that reads it after the
// choice, and stay queued until it has them.
func TestALanguageChosenWhileAnEntryIsEmbeddedDecidesWhichVectorsItGets(t *testing.T) {
	for name, test := range map[string]struct {
		indexing bool // the language is chosen while the index is written, not during embedding
		last     bool // the first worker ends last
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
				_, err := h.SetLanguage(background, a, "a", choice.LanguageMultilingual)
				must(h, err)
				english.releaseAll(t) // until the store is whole, both models read the entry
				other := multilingual.next(t)
				if test.last {
					close(other.release)
					multilingual.releaseAll(t)
					h.eventually("the queue is empty", func() bool { return queued(h, rows) == 0 })
				}
				close(proceed)
				if !test.last {
					again := multilingual.next(t) // the first worker has noticed the choice
					if n := queued(h, rows); n != 1 {
						t.Errorf("%d entries are queued while the vectors are made", n)
					}
					close(again.release)
					close(other.release)
					multilingual.releaseAll(t)
				}
				h.eventually("the store is whole, and nothing is queued", func() bool {
					var reading choice.Reading
					must(h, rows.View(background, func(tx memory.ReadTx) error {
						stores, err := tx.StoreFacts(background, []string{"a"})
						reading = choice.Of(stores["a"].Detail)
						return err
					}))
					return reading.Whole() && queued(h, rows) == 0
				})
				h.AwaitEmptyQueue()
				for fingerprint, want := range map[string]int{english.Fingerprint(): 0, multilingual.Fingerprint(): 1} {
					must(h, rows.ForIndexer().View(background, func(tx indexer.ReadTx) error {
						found := 0
						err := tx.Vectors(background, fingerprint, []uuid.UUID{id}, func(vector.Record) error { found++; return nil })
						if found != want {
							t.Errorf("%d vectors of %s, want %d", found, fingerprint, want)
						}
						return err
					}))
				}
			})
		})
	}
}

// stepped is a database that records which entries of large stores are queued in each step. The
// process is killed before one of the steps.
type stepped struct {
	storage.Storage
	steps    [][]uuid.UUID
	killedAt int // the step; -1: never
}

// ForIndexer implements storage.Storage.
func (s *stepped) ForIndexer() indexer.Storage { return steppedQueue{s.Storage.ForIndexer(), s} }

type steppedQueue struct {
	indexer.Storage
	of *stepped
}

func (s steppedQueue) Update(ctx context.Context, fn func(indexer.Tx) error) error {
	var step [][]uuid.UUID
	err := s.Storage.Update(ctx, func(tx indexer.Tx) error {
		step = nil
		return fn(steppedTx{tx, s.of, &step})
	})
	if err == nil && len(step) > 0 { // only one goroutine queues
		s.of.steps = append(s.of.steps, step...)
	}
	return err
}

type steppedTx struct {
	indexer.Tx
	of   *stepped
	step *[][]uuid.UUID
}

func (tx steppedTx) QueueRest(ctx context.Context, of indexer.Unqueued, ids []uuid.UUID) (bool, error) {
	if len(tx.of.steps) == tx.of.killedAt {
		return false, errKilled
	}
	*tx.step = append(*tx.step, ids)
	return tx.Tx.QueueRest(ctx, of, ids)
}

func TestALargeStoreIsQueuedInStepsAcrossKilledProcesses(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		const entries = 1100
		data, a := b.Open(t), agent("a", acl.Public)
		open := func(killedAt int) (*harness, *stepped) {
			rows := &stepped{Storage: data.Storage(t), killedAt: killedAt}
			return wrap(t, backendtest.OpenProcess(t, rows, backendtest.Options{}, data.Model(t, backendtest.Arbitrary{Embedder: encoder(t)}))), rows
		}
		killed, first := open(1)
		for i := range entries / 100 {
			r := memory.BatchRequest{Store: "a", Atomic: true}
			for k := range 100 {
				put := memory.PutRequest{Path: path("a", fmt.Sprint(i, "/", k)), Value: text("herons")}
				r.Items = append(r.Items, memory.BatchItem{Op: memory.BatchPut, PutRequest: put})
			}
			_, err := killed.Batch(background, a, r)
			must(killed, err)
		}
		killed.Index()
		_, err := killed.SetLanguage(background, a, "a", choice.LanguageMultilingual)
		must(killed, err)
		if err := killed.Drain(background, nil); !errors.Is(err, errKilled) {
			t.Fatalf("draining the queue ended with %v", err)
		}
		if n := queued(killed, first.Storage); n != 500 {
			t.Errorf("%d entries are queued", n)
		}
		next, second := open(-1)
		end := next.running()
		next.eventually("nothing is left to be queued", func() bool {
			var left indexer.Reread
			must(next, second.ForIndexer().View(background, func(tx indexer.ReadTx) (err error) {
				left, err = tx.Reread(background)
				return err
			}))
			return len(left.Unqueued) == 0
		})
		end()
		seen := make(map[uuid.UUID]bool)
		var sizes []int
		for _, step := range slices.Concat(first.steps, second.steps) {
			sizes = append(sizes, len(step))
			for _, id := range step {
				seen[id] = true
			}
		}
		if want := []int{500, 500, 100, 0}; !slices.Equal(sizes, want) || len(seen) != entries {
			t.Errorf("%d entries in steps of %v", len(seen), sizes)
		}
	})
}

// When another language is chosen for a store, the store's vectors stay in use until the other
// model has read all of it, so that answers do not get worse meanwhile. Entries that have
// vectors of a model are not embedded by it again.
func TestAStoreKeepsItsVectorsUntilTheChosenModelHasReadAllOfIt(t *testing.T) {
	onEachStorage(t, func(t *testing.T, backend backendtest.Backend) {
		data := backend.Open(t)
		network := backendtest.Arbitrary{Embedder: encoder(t)}
		english := &heldEmbedder{network, make(chan heldCall)}
		multilingual := &heldEmbedder{backendtest.Second(network), make(chan heldCall)}
		rows := data.Storage(t)
		options := backendtest.Options{Multilingual: []indexer.Model{data.Model(t, multilingual)}}
		b := &bilingual{
			wrap(t, backendtest.OpenProcess(t, rows, options, data.Model(t, english))), rows,
			english.Fingerprint(), multilingual.Fingerprint(),
		}
		defer b.running()()
		a := agent("a", acl.Public)
		choose := func(language choice.Language) {
			t.Helper()
			_, err := b.SetLanguage(background, a, "a", language)
			must(b.harness, err)
		}
		whole := func() {
			t.Helper()
			b.eventually("the store is whole, and nothing is queued", func() bool { return b.reading().Whole() && queued(b.harness, rows) == 0 })
		}
		// pass lets the call that embeds a text continue.
		pass := func(by *heldEmbedder, text string) {
			t.Helper()
			call := by.next(t)
			if !call.of(text) {
				t.Errorf("%v are embedded, want %s", call.texts, text)
			}
			close(call.release)
		}

		early := b.write(acl.Public, "early", "Early: "+inEnglish, 1)
		pass(english, "Early")
		whole()
		choose(choice.LanguageMultilingual)
		held := multilingual.next(t)
		if b.wantVectors(early, true, false); b.reading().Whole() {
			t.Error("the store is whole before the chosen model has read it")
		}
		late := b.write(acl.Public, "late", "Late: "+inEnglish, 1)
		pass(english, "Late") // since the English model still answers
		pass(multilingual, "Late")
		b.eventually("the later entry has both vectors", func() bool { return queued(b.harness, rows) == 1 })
		b.wantVectors(late, true, true)
		close(held.release)
		whole()
		b.wantVectors(append(early, late...), false, true)

		choose(choice.LanguageEnglish)
		held = english.next(t)
		b.wantReading(choice.Reading{Language: choice.LanguageEnglish, Multilingual: acl.Public, Unread: acl.Public})
		close(held.release)
		if len(held.texts) == 1 { // in this case, each text is in a batch of its own
			close(english.next(t).release)
		}
		whole()
		b.wantVectors(append(early, late...), true, false)
	})
}
