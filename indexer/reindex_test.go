package indexer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/openai"
	"mneme/indexer"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/test/wait"
	"mneme/vector"
	"mneme/vector/milvus"
)

// remote returns package openai's embedder with a fake server, which derives a vector from the
// hash of a text. While down is true, the server is unavailable.
func remote(t *testing.T) (e embed.Embedder, down *atomic.Bool) {
	t.Helper()
	const dim = 16
	down = new(atomic.Bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct{ Input []string }
		if down.Load() || json.NewDecoder(r.Body).Decode(&ask) != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		type item struct {
			Object    string    `json:"object"`
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		data := make([]item, len(ask.Input))
		for i, text := range ask.Input {
			h := fnv.New64a()
			h.Write([]byte(text))
			v := make([]float32, dim)
			for d, bits := 0, h.Sum64(); d < dim; d++ {
				v[d] = float32(math.Sin(float64(bits%1000) + float64(d)))
				bits = bits*31 + 7
			}
			data[i] = item{"embedding", i, v}
		}
		json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "m", "data": data}) //nolint:errcheck // a test server
	}))
	t.Cleanup(server.Close)
	client, err := openai.New(openai.Config{BaseURL: server.URL + "/v1", Model: "m", Dim: dim, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, down
}

func TestOldModelServesUntilTheReindexToANewOne(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		builtIn := encoder(t)
		other, _ := remote(t)
		data, a := b.Open(t), agent("a", acl.Public)
		question := search.Request{Query: "where do herons nest?", Limit: 10}
		serving := func(h *harness, want embed.Embedder, hits int) {
			t.Helper()
			fingerprint, degraded := "", true
			if want != nil {
				fingerprint, degraded = want.Fingerprint(), false
			}
			if got := h.Status(background).Serving; got != fingerprint {
				t.Errorf("serving %q, want %q", got, fingerprint)
			}
			answer := h.search(a, question)
			if len(answer.Hits) != hits || (len(answer.Degraded) > 0) != degraded {
				t.Errorf("%d hits, degraded %v", len(answer.Hits), answer.Degraded)
			}
		}

		old := openOver(t, data, memory.Options{}, builtIn)
		for i := range 50 {
			old.put(a, "a", fmt.Sprint("k", i), fmt.Sprint("herons nest in tree number ", i))
		}
		old.Index()
		serving(old, builtIn, 10)

		changed := openOver(t, data, memory.Options{}, other, builtIn)
		serving(changed, builtIn, 10) // the old model still serves
		changed.put(a, "a", "late", "a heron that came later")
		changed.Index()

		var progress [][2]int64
		must(changed, changed.Reindex(background, func(done, total int64) { progress = append(progress, [2]int64{done, total}) }))
		if first, last := progress[0], progress[len(progress)-1]; first != [2]int64{0, 51} || last != [2]int64{51, 51} {
			t.Errorf("the reindex reported %v, want from 0 to 51 of 51 entries", progress)
		}
		serving(changed, other, 10)
		serving(openOver(t, data, memory.Options{}, other, builtIn), other, 10)
		serving(openOver(t, data, memory.Options{}, builtIn), nil, 10) // lexical only, marked as degraded
		err := data.Storage(t).ForIndexer().View(background, func(tx indexer.ReadTx) error {
			return tx.AllVectors(background, builtIn.Fingerprint(), func(vector.Record) error {
				return fmt.Errorf("a vector of the old model remains")
			})
		})
		must(changed, err)
	})
}

// vectorsOf counts the vectors under a fingerprint.
func vectorsOf(h *harness, data *backendtest.Data, fingerprint string) (n int) {
	h.t.Helper()
	must(h, data.Storage(h.t).ForIndexer().View(background, func(tx indexer.ReadTx) error {
		return tx.AllVectors(background, fingerprint, func(vector.Record) error { n++; return nil })
	}))
	return n
}

// When another process switches to a new model, this process may be unable to open the new
// model's index at once. It must then open it later, and not continue with the old model, whose
// vectors are gone.
func TestAModelThatCouldNotBeOpenedAtTheSwitchServesLater(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		builtIn := encoder(t)
		other, _ := remote(t)
		data, a := b.Open(t), agent("a", acl.Public)
		old := openOver(t, data, memory.Options{}, builtIn)
		id := old.put(a, "a", "oak", "herons nest in the oak").Entry.ID
		old.Index()

		model := data.Model(t, other)
		open, attempts := model.Open, 0
		model.Open = func(ctx context.Context) (vector.Index, error) {
			if attempts++; attempts == 1 {
				return nil, errors.New("it is starting")
			}
			return open(ctx)
		}
		late := wrap(t, backendtest.OpenProcess(t, data.Storage(t), backendtest.Options{}, model, data.Model(t, builtIn)))
		switching := openOver(t, data, memory.Options{}, other, builtIn)
		must(switching, switching.Reindex(background, nil))
		late.WaitIndexed(background, id) // returns once this process has noticed the switch
		if answer := late.search(a, search.Request{Query: "where do herons nest?"}); attempts != 1 || len(answer.Degraded) != 1 {
			t.Fatalf("after %d attempts to open the index, degraded %v", attempts, answer.Degraded)
		}
		end := late.running()
		defer end()
		late.eventually("the new model serves", func() bool {
			now := late.Status(background)
			return now.Vector && now.Serving == other.Fingerprint()
		})
		late.put(a, "a", "elm", "herons nest in the elm", func(r *memory.PutRequest) { r.Wait = true })
		if before, now := vectorsOf(late, data, builtIn.Fingerprint()), vectorsOf(late, data, other.Fingerprint()); before != 0 || now != 2 {
			t.Errorf("%d vectors of the old model, and %d of the new one", before, now)
		}
	})
}

// An entry that a process embeds by the old model, before it notices the switch, is embedded
// again.
func TestAnEntryWrittenAtTheSwitchIsEmbeddedByTheNewModel(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		builtIn := encoder(t)
		other, _ := remote(t)
		data, a := b.Open(t), agent("a", acl.Public)
		old := openOver(t, data, memory.Options{}, builtIn)
		old.put(a, "a", "oak", "herons nest in the oak")
		old.put(a, "a", "elm", "herons nest in the elm")
		old.Index()

		behind := openOver(t, data, memory.Options{}, other, builtIn)
		switching := openOver(t, data, memory.Options{}, other, builtIn)
		must(switching, switching.Reindex(background, nil))
		behind.put(a, "a", "ash", "herons nest in the ash")
		_, err := behind.Put(background, a, memory.PutRequest{Path: path("a", "elm"), Value: text("storks nest in the elm")})
		must(behind, err)
		behind.Index()
		if before, now := vectorsOf(behind, data, builtIn.Fingerprint()), vectorsOf(behind, data, other.Fingerprint()); before != 0 || now != 3 {
			t.Errorf("%d vectors of the old model, and %d of the new one", before, now)
		}
		if answer := behind.search(a, search.Request{Query: "what nests?"}); len(answer.Hits) != 3 || len(answer.Degraded) > 0 {
			t.Errorf("%d hits, degraded %v", len(answer.Hits), answer.Degraded)
		}
	})
}

// unremoved is a database in which dropped vectors are never removed, as if the process were
// killed before.
type unremoved struct{ storage.Storage }

// ForIndexer implements storage.Storage.
func (u unremoved) ForIndexer() indexer.Storage { return unremovedVectors{u.Storage.ForIndexer()} }

type unremovedVectors struct{ indexer.Storage }

func (u unremovedVectors) Update(ctx context.Context, fn func(indexer.Tx) error) error {
	return u.Storage.Update(ctx, func(tx indexer.Tx) error { return fn(killedTx{tx}) })
}

type killedTx struct{ indexer.Tx }

var errKilled = errors.New("killed")

func (killedTx) RemoveDropped(context.Context, []string, uuid.UUID, int) (uuid.UUID, error) {
	return uuid.Nil, errKilled
}

// droppedOf returns the dropped fingerprints of a database.
func droppedOf(h *harness, data *backendtest.Data) (all []indexer.Dropped) {
	h.t.Helper()
	must(h, data.Storage(h.t).ForIndexer().View(background, func(tx indexer.ReadTx) (err error) {
		all, err = tx.Dropped(background)
		return err
	}))
	return all
}

func TestVectorsThatAKilledReindexLeftAreRemoved(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		plain, a := encoder(t), agent("a", acl.Public)
		coded := coder{plain}
		data := b.Open(t)
		old := openOver(t, data, memory.Options{}, plain)
		for _, key := range []string{"oak", "elm", "ash"} {
			old.put(a, "a", key, "herons nest in the "+key)
		}
		old.Index()
		dropped := func() []indexer.Dropped { return droppedOf(old, data) }
		killed := wrap(t, backendtest.OpenProcess(t, unremoved{data.Storage(t)}, backendtest.Options{}, data.Model(t, coded), data.Model(t, plain)))
		if err := killed.Reindex(background, nil); !errors.Is(err, errKilled) {
			t.Fatalf("the reindex ended with %v", err)
		}
		all := dropped()
		if len(all) != 1 || vectorsOf(old, data, all[0].Name) != 3 || vectorsOf(old, data, plain.Fingerprint()) != 0 || vectorsOf(old, data, coded.Fingerprint()) != 3 {
			t.Errorf("dropped %+v", all)
		}
		next := openOver(t, data, memory.Options{}, coded, plain)
		end := next.running()
		defer end()
		next.eventually("nothing is left of the old model", func() bool { return len(dropped()) == 0 })
		if n := vectorsOf(next, data, coded.Fingerprint()); n != 3 {
			t.Errorf("%d vectors of the new model", n)
		}
	})
}

func TestTheSharedIndexOfThePreviousModelIsDropped(t *testing.T) {
	backendtest.Each(t, []backendtest.Backend{backendtest.Production()}, func(t *testing.T, b backendtest.Backend) {
		plain, a := encoder(t), agent("a", acl.Public)
		coded := coder{plain}
		data := b.Open(t)
		old := openOver(t, data, memory.Options{}, plain)
		old.put(a, "a", "oak", "herons nest in the oak")
		old.Index()
		models := []embed.Embedder{plain, coded}
		for i, before := range models {
			index, err := data.Model(t, before).Open(background)
			must(old, err)
			other := models[1-i]
			now := openOver(t, data, memory.Options{}, other, before)
			must(now, now.Reindex(background, nil))
			must(now, data.Storage(t).View(background, func(tx memory.ReadTx) error {
				scope, err := acl.NewScope(background, tx, a.Principal, acl.ScopeRequest{}, time.Now())
				if err != nil {
					return err
				}
				query := vector.Query{Vector: make([]float32, before.Dim()), Limit: 1}
				query.Vector[0] = 1
				if hits, err := index.Search(background, scope, query); !errors.Is(err, milvus.ErrMissing) {
					t.Errorf("%d hits in the index of %s, error %v", len(hits), before.Fingerprint(), err)
				}
				return nil
			}))
			if answer := now.search(a, search.Request{Query: "where do herons nest?", Explain: true}); len(answer.Hits) != 1 || len(answer.Degraded) > 0 {
				t.Errorf("%d hits by %s, degraded %v", len(answer.Hits), other.Fingerprint(), answer.Degraded)
			}
		}
	})
}

// An index that cannot be dropped delays neither the switch nor the steps after it.
func TestAnIndexThatCannotBeDroppedIsDroppedLater(t *testing.T) {
	t.Parallel()
	backendtest.Each(t, backendtest.Storages(), func(t *testing.T, b backendtest.Backend) {
		plain, a := encoder(t), agent("a", acl.Public)
		coded := coder{plain}
		data := b.Open(t)
		old := openOver(t, data, memory.Options{}, plain)
		old.put(a, "a", "oak", "herons nest in the oak")
		old.Index()
		model := data.Model(t, coded)
		var refuses atomic.Bool
		refuses.Store(true)
		model.Drop = func(_ context.Context, fingerprint string) error {
			if fingerprint != plain.Fingerprint() {
				t.Errorf("%s is dropped", fingerprint)
			}
			if refuses.Load() {
				return errors.New("refused")
			}
			return nil
		}
		dropped := func() []indexer.Dropped { return droppedOf(old, data) }
		options := backendtest.Options{DropPause: time.Nanosecond}
		now := wrap(t, backendtest.OpenProcess(t, data.Storage(t), options, model, data.Model(t, plain)))
		must(now, now.Reindex(background, nil))
		if n := len(dropped()); n != 1 || now.Status(background).Serving != coded.Fingerprint() {
			t.Errorf("%d models are dropped, %s serves", n, now.Status(background).Serving)
		}
		refuses.Store(false)
		end := now.running()
		defer end()
		now.eventually("nothing is left of the old model", func() bool { return len(dropped()) == 0 })
	})
}

// coder is an embedder that also makes codes. The code of a text is the text itself.
type coder struct{ embed.Embedder }

func (c coder) Fingerprint() string { return c.Embedder.Fingerprint() + "+codes" }

func (c coder) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	made, err := c.Embedder.Passages(ctx, texts)
	passages := slices.Clone(made) // the encoder caches them
	for i := range passages {
		passages[i].Codes = []byte(texts[i])
	}
	return passages, err
}

func TestAReindexAddsAndRemovesCodes(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		plain := encoder(t)
		coded := coder{plain}
		data, a := b.Open(t), agent("a", acl.Public)
		storage := data.Storage(t)
		entries := make(map[string]vector.ChunkID) // first chunks by key
		put := func(h *harness, key string) {
			t.Helper()
			entries[key] = vector.ChunkID{Entry: h.put(a, "a", key, "herons nest in the "+key).Entry.ID}
			h.Index()
		}
		// checkCodes reads the codes of all entries under a fingerprint, and checks that no
		// other fingerprint has vectors.
		checkCodes := func(want bool, e embed.Embedder) {
			t.Helper()
			err := storage.View(background, func(tx memory.ReadTx) error {
				scope, err := acl.NewScope(background, tx, a.Principal, acl.ScopeRequest{}, time.Now())
				if err != nil {
					return err
				}
				for key, chunk := range entries {
					codes, err := tx.ChunkCodes(background, scope, e.Fingerprint(), []vector.ChunkID{chunk})
					if err != nil {
						return err
					}
					if got := strings.Contains(string(codes[0]), "herons nest in the "+key); got != want || !want && codes[0] != nil {
						t.Errorf("%s has %d bytes of codes, want codes: %v", key, len(codes[0]), want)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		none := func(e embed.Embedder) {
			t.Helper()
			err := storage.ForIndexer().View(background, func(tx indexer.ReadTx) error {
				return tx.AllVectors(background, e.Fingerprint(), func(r vector.Record) error { return fmt.Errorf("a vector of %s remains", e.Fingerprint()) })
			})
			if err != nil {
				t.Error(err)
			}
		}
		found := func(h *harness) {
			t.Helper()
			if answer := h.search(a, search.Request{Query: "where do herons nest?"}); len(answer.Hits) != len(entries) || len(answer.Degraded) > 0 {
				t.Errorf("%d hits of %d entries, degraded %v", len(answer.Hits), len(entries), answer.Degraded)
			}
		}

		old := openOver(t, data, memory.Options{}, plain)
		for _, key := range []string{"oak", "elm", "ash"} {
			put(old, key)
		}
		checkCodes(false, plain)

		with := openOver(t, data, memory.Options{}, coded, plain)
		put(with, "lime")
		checkCodes(false, plain) // the old model still serves
		found(with)
		must(with, with.Reindex(background, nil))
		checkCodes(true, coded)
		none(plain)
		put(with, "willow")
		checkCodes(true, coded)
		found(with)

		without := openOver(t, data, memory.Options{}, plain, coded)
		put(without, "birch")
		checkCodes(true, coded)
		must(without, without.Reindex(background, nil))
		checkCodes(false, plain)
		none(coded)
		found(without)
	})
}

// An expired entry that is not swept yet gets no vectors, and a reindex does not wait for any.
func TestAReindexSkipsExpiredEntries(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		plain, a, clock := encoder(t), agent("a", acl.Public), backendtest.NewClock()
		data := b.Open(t)
		old := openOver(t, data, memory.Options{Now: clock.Now}, plain)
		hour := time.Hour
		old.put(a, "a", "brief", "herons nest here for an hour", func(r *memory.PutRequest) { r.TTL = &hour })
		old.put(a, "a", "long", "herons nest here for years")
		old.Index()
		clock.Advance(2 * time.Hour)
		changed := openOver(t, data, memory.Options{Now: clock.Now}, coder{plain}, plain)
		ctx, cancel := context.WithTimeout(background, 5*time.Minute)
		defer cancel()
		embedded := int64(0)
		must(changed, changed.Reindex(ctx, func(done, _ int64) { embedded = done }))
		if serving := changed.Status(background).Serving; embedded != 1 || serving != (coder{plain}).Fingerprint() {
			t.Errorf("%d entries were embedded, %s serves", embedded, serving)
		}
	})
}

// twoModels opens a process with English models, the configured one first, and a model for
// texts that they cannot read.
func twoModels(t *testing.T, data *backendtest.Data, rows storage.Storage, multilingual embed.Embedder, english ...indexer.Model) *harness {
	t.Helper()
	options := backendtest.Options{Multilingual: []indexer.Model{data.Model(t, multilingual)}}
	return wrap(t, backendtest.OpenProcess(t, rows, options, english...))
}

// reindex runs a reindex that must succeed.
func (h *harness) reindex() {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(background, wait.Limit)
	defer cancel()
	must(h, h.Reindex(ctx, nil))
}

// embeddedBy returns the keys of a store's entries that have vectors of a model.
func embeddedBy(h *harness, data *backendtest.Data, store string, e embed.Embedder) (keys []string) {
	h.t.Helper()
	must(h, data.Storage(h.t).ForIndexer().View(background, func(tx indexer.ReadTx) error {
		var ids []uuid.UUID
		err := tx.AllVectors(background, e.Fingerprint(), func(r vector.Record) error { ids = append(ids, r.Entry); return nil })
		if err != nil {
			return err
		}
		entries, err := tx.Get(background, ids)
		for i := range entries {
			if entries[i].Store == store {
				keys = append(keys, entries[i].Key)
			}
		}
		slices.Sort(keys)
		return err
	}))
	return keys
}

const (
	inEnglish = "The night train arrives after midnight."
	inGerman  = "Der Nachtzug kommt erst nach Mitternacht an."
)

// Before the reindex, one model has vectors of all entries. Afterwards, the next model leaves
// some of these entries to the multilingual model.
func TestAReindexToTwoModelsLeavesEachEntryToTheOneThatReadsIt(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		before, _ := remote(t)
		english := coder{before}
		multilingual := backendtest.Second(before)
		a := agent("a", acl.Public)
		for name, test := range map[string]struct {
			first  func(data *backendtest.Data) *harness
			edited bool // to German, without being embedded again
			renew  bool // in the background
		}{
			"from one of everything":          {first: func(data *backendtest.Data) *harness { return openOver(t, data, memory.Options{}, before) }},
			"from one of everything, renewed": {first: func(data *backendtest.Data) *harness { return openOver(t, data, memory.Options{}, before) }, renew: true},
			"after an edit": {first: func(data *backendtest.Data) *harness {
				return twoModels(t, data, data.Storage(t), multilingual, data.Model(t, before))
			}, edited: true},
		} {
			t.Run(name, func(t *testing.T) {
				data := b.Open(t)
				first := test.first(data)
				first.put(a, "a", "english", inEnglish)
				value := inGerman
				if test.edited {
					value = inEnglish
				}
				first.put(a, "a", "german", value)
				first.Index()
				if test.edited {
					_, err := first.Put(background, a, memory.PutRequest{Path: path("a", "german"), Value: text(inGerman)})
					must(first, err)
				}
				earlier := data.Model(t, before)
				earlier.Renew = test.renew
				h := twoModels(t, data, data.Storage(t), multilingual, data.Model(t, english), earlier)
				if test.renew {
					defer h.running()()
					h.eventually("the new form serves", func() bool { return h.Status(background).Serving == english.Fingerprint() })
					h.eventually("the vectors of the earlier form are removed", func() bool { return vectorsOf(h, data, before.Fingerprint()) == 0 })
				} else {
					h.reindex()
				}
				for e, want := range map[embed.Embedder][]string{before: nil, english: {"english"}, multilingual: {"german"}} {
					if got := embeddedBy(h, data, "a", e); !slices.Equal(got, want) {
						t.Errorf("%s has vectors of %q, want %q", e.Fingerprint(), got, want)
					}
				}
			})
		}
	})
}

// askInGerman makes the multilingual model read all of a store.
func (h *harness) askInGerman(a memory.Caller) {
	h.t.Helper()
	h.search(a, search.Request{Query: "Wann kommt der Nachtzug denn an?"})
	h.Index()
}

// A reindex also embeds what is in the queue: there may be no other process to do so.
func TestAReindexWorksWhatIsQueued(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		english, _ := remote(t)
		data := b.Open(t)
		h := twoModels(t, data, data.Storage(t), backendtest.Second(english), data.Model(t, english))
		h.put(agent("a", acl.Public), "a", "english", inEnglish)
		must(h, h.CatchUp(background, time.Unix(1, 0)))
		if n := queued(h, data.Storage(t)); n != 1 {
			t.Errorf("%d rows are queued after the end", n)
		}
		h.reindex()
		if n := queued(h, data.Storage(t)); n != 0 {
			t.Errorf("%d rows are still queued", n)
		}
	})
}

func TestAStoreAskedInAnotherLanguageGetsBothKindsOfVectorsAgain(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		english, _ := remote(t)
		multilingual, everything := backendtest.Second(english), coder{english}
		data, a := b.Open(t), agent("a", acl.Public)
		h := twoModels(t, data, data.Storage(t), multilingual, data.Model(t, english))
		h.put(a, "a", "english", inEnglish)
		h.Index()
		h.put(agent("b", acl.Public), "b", "never asked", inEnglish)
		h.askInGerman(a)
		openOver(t, data, memory.Options{}, everything).reindex()
		if one, both := vectorsOf(h, data, everything.Fingerprint()), vectorsOf(h, data, multilingual.Fingerprint()); one != 2 || both != 0 {
			t.Fatalf("%d vectors of the model of everything, %d of the multilingual one", one, both)
		}
		h = twoModels(t, data, data.Storage(t), multilingual, data.Model(t, english))
		h.reindex()
		for store, want := range map[string][2][]string{"a": {{"english"}, {"english"}}, "b": {{"never asked"}, nil}} {
			for k, e := range []embed.Embedder{english, multilingual} {
				if got := embeddedBy(h, data, store, e); !slices.Equal(got, want[k]) {
					t.Errorf("%s has vectors of %q of %s, want %q", e.Fingerprint(), got, store, want[k])
				}
			}
		}
	})
}

// A process with only an English model has embedded a foreign entry, which also has vectors of
// the multilingual model. As no row says which model is to read the entry, a reindex also gives
// it vectors of the next model.
func TestAReindexEmbedsEntriesThatOnlyAnEnglishModelHasRead(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		english, _ := remote(t)
		multilingual := backendtest.Second(english)
		data, a := b.Open(t), agent("a", acl.Public)
		h := twoModels(t, data, data.Storage(t), multilingual, data.Model(t, english))
		h.put(a, "a", "german", inGerman)
		h.put(a, "a", "english", inEnglish)
		h.Index()
		alone := openOver(t, data, memory.Options{}, english)
		alone.put(a, "a", "also german", "Der erste Zug des Tages fährt schon um fünf Uhr morgens.")
		alone.Index()
		h.reindex()
		if got, want := embeddedBy(h, data, "a", multilingual), []string{"also german", "german"}; !slices.Equal(got, want) {
			t.Errorf("the multilingual model has vectors of %q, want %q", got, want)
		}
	})
}

// beforeSwitch is a database that calls a function once: before the first transaction that
// follows a transaction that saved vectors of a model. That is before the switch.
type beforeSwitch struct {
	storage.Storage
	of    string
	saved bool
	call  func()
}

// ForIndexer implements storage.Storage.
func (b *beforeSwitch) ForIndexer() indexer.Storage {
	return beforeSwitchVectors{b.Storage.ForIndexer(), b}
}

type beforeSwitchVectors struct {
	indexer.Storage
	b *beforeSwitch
}

func (v beforeSwitchVectors) Update(ctx context.Context, fn func(indexer.Tx) error) error {
	if v.b.saved && v.b.call != nil {
		v.b.call()
		v.b.call = nil
	}
	return v.Storage.Update(ctx, func(tx indexer.Tx) error { return fn(savingTx{tx, v.b}) })
}

type savingTx struct {
	indexer.Tx
	b *beforeSwitch
}

func (s savingTx) SaveVectors(ctx context.Context, id uuid.UUID, revision int64, fingerprint string, records []vector.Record) (bool, error) {
	s.b.saved = s.b.saved || fingerprint == s.b.of
	return s.Tx.SaveVectors(ctx, id, revision, fingerprint, records)
}

// Just before the switch, both serving models embed an entry. It then has vectors, but none of
// the next model: the reindex must embed it again.
func TestAnEntryThatTwoModelsEmbedAtTheSwitchGetsVectorsOfTheNextOne(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		before, _ := remote(t)
		next, multilingual := coder{before}, backendtest.Second(before)
		data, a := b.Open(t), agent("a", acl.Public)
		h := twoModels(t, data, data.Storage(t), multilingual, data.Model(t, before))
		h.put(a, "a", "k", inEnglish)
		h.Index()
		h.askInGerman(a)
		rows := &beforeSwitch{Storage: data.Storage(t), of: next.Fingerprint(), call: func() {
			_, err := h.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: text("The last train leaves before midnight.")})
			must(h, err)
			h.put(a, "a", "new", "The first train leaves at five in the morning.")
			h.Index()
		}}
		changed := twoModels(t, data, rows, multilingual, data.Model(t, next), data.Model(t, before))
		changed.reindex()
		if rows.call != nil {
			t.Fatal("nothing was written before the switch")
		}
		for _, e := range []embed.Embedder{next, multilingual} {
			if got := embeddedBy(changed, data, "a", e); !slices.Equal(got, []string{"k", "new"}) {
				t.Errorf("%s has vectors of %q", e.Fingerprint(), got)
			}
		}
		must(changed, data.Storage(t).ForIndexer().View(background, func(tx indexer.ReadTx) error {
			lacking, err := tx.CountUnembedded(background, indexer.Unembedded{Fingerprint: next.Fingerprint(), Now: time.Now()})
			if lacking > 0 {
				t.Errorf("%d entries lack vectors of their revision", lacking)
			}
			return err
		}))
	})
}

// An entry that the next model has embedded, but can no longer read because its text changed,
// must have none of its vectors. The change may be found at the switch; or the reindex embeds
// once more before, because of another change.
func TestAnEntryThatTheNextModelNoLongerReadsHasNoneOfItsVectors(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		for _, english := range []string{"stays", "more stays"} {
			before, _ := remote(t)
			next, multilingual := coder{before}, backendtest.Second(before)
			data, a := b.Open(t), agent("a", acl.Public)
			h := twoModels(t, data, data.Storage(t), multilingual, data.Model(t, before))
			h.put(a, "a", "k", inEnglish)
			h.put(a, "a", "stays", inEnglish)
			h.Index()
			rows := &beforeSwitch{Storage: data.Storage(t), of: next.Fingerprint(), call: func() {
				_, err := h.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: text(inGerman)})
				must(h, err)
				if english != "stays" {
					h.put(a, "a", "more", inEnglish)
				}
				h.Index()
			}}
			changed := twoModels(t, data, rows, multilingual, data.Model(t, next), data.Model(t, before))
			changed.reindex()
			if rows.call != nil {
				t.Fatal("nothing was written before the switch")
			}
			for e, want := range map[embed.Embedder]string{next: english, multilingual: "k"} {
				if got := strings.Join(embeddedBy(changed, data, "a", e), " "); got != want {
					t.Errorf("%s has vectors of %q, want %q", e.Fingerprint(), got, want)
				}
			}
		}
	})
}

// As the previous test, but the text changes while no reindex runs: an interrupted reindex
// notices changes only when it is called again.
func TestAResumedReindexLeavesNoVectorsOfFormerTexts(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		before, _ := remote(t)
		next, multilingual := coder{before}, backendtest.Second(before)
		data, a := b.Open(t), agent("a", acl.Public)
		h := twoModels(t, data, data.Storage(t), multilingual, data.Model(t, before))
		h.put(a, "a", "k", inEnglish)
		h.put(a, "a", "stays", inEnglish)
		h.Index()
		ctx, interrupt := context.WithCancel(background)
		rows := &beforeSwitch{Storage: data.Storage(t), of: next.Fingerprint(), call: interrupt}
		changed := twoModels(t, data, rows, multilingual, data.Model(t, next), data.Model(t, before))
		if err := changed.Reindex(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
		_, err := h.Put(background, a, memory.PutRequest{Path: path("a", "k"), Value: text(inGerman)})
		must(h, err)
		h.Index()
		changed.reindex()
		for e, want := range map[embed.Embedder]string{next: "stays", multilingual: "k"} {
			if got := strings.Join(embeddedBy(changed, data, "a", e), " "); got != want {
				t.Errorf("%s has vectors of %q, want %q", e.Fingerprint(), got, want)
			}
		}
	})
}

func TestNoEntryIsLostWhileTheEmbedderIsDown(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		e, down := remote(t)
		c := backendtest.NewClock()
		h := openOver(t, b.Open(t), memory.Options{Now: c.Now}, e)
		a := agent("a", acl.Public)
		down.Store(true)
		for i := range 40 {
			h.put(a, "a", fmt.Sprint("k", i), fmt.Sprint("note ", i))
		}
		ctx, stop := context.WithCancel(background)
		done := make(chan error, 1)
		go func() { done <- h.Run(ctx) }()
		queue := func() int64 { return h.Status(background).Queue }
		answer := h.search(a, search.Request{Query: "note"})
		if len(answer.Hits) == 0 || len(answer.Degraded) != 1 {
			t.Errorf("while the embedder is down: %d hits, degraded %v", len(answer.Hits), answer.Degraded)
		}
		if queue() != 40 {
			t.Errorf("%d entries are queued, want 40", queue())
		}
		down.Store(false)
		wait.Until(t, "the queue is empty after the embedder is back", func() error {
			n := queue()
			if n == 0 {
				return nil
			}
			c.Advance(time.Minute) // ends the backoff
			return fmt.Errorf("%d entries are queued", n)
		})
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if answer := h.search(a, search.Request{Query: "note"}); len(answer.Degraded) != 0 {
			t.Errorf("degraded %v after the embedder is back", answer.Degraded)
		}
	})
}

func TestPutCanWaitUntilItIsIndexed(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		e, down := remote(t)
		h := openOver(t, b.Open(t), memory.Options{}, e)
		ctx, stop := context.WithCancel(background)
		defer stop()
		go h.Run(ctx) //nolint:errcheck // ends with the test
		a := agent("a", acl.Public)
		if r := h.put(a, "a", "k", "a stork", func(r *memory.PutRequest) { r.Wait = true }); !r.Indexed {
			t.Error("not indexed after waiting for it")
		}
		down.Store(true)
		waiting, cancel := context.WithCancel(background)
		defer cancel()
		answered := make(chan error, 1)
		go func() {
			r, err := h.Put(waiting, a, memory.PutRequest{Path: path("a", "late"), Value: text("x"), Wait: true})
			if err == nil && r.Indexed {
				err = errors.New("indexed while the embedder is down")
			}
			answered <- err
		}()
		wait.Until(t, "the entry is stored", func() error {
			_, err := h.Get(background, a, path("a", "late"))
			return err
		})
		cancel()
		if err := wait.For(t, "a wait that was cancelled ends", answered); err != nil {
			t.Error(err)
		}
	})
}
