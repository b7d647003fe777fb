package search_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/choice"
	"mneme/indexer"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/vector"
)

// openTwo opens a service with two models. The second reads texts that are not English.
func openTwo(t testing.TB, b backendtest.Backend) *harness {
	t.Helper()
	return openWith(t, b, backendtest.Options{Second: backendtest.Second(encoder(t))})
}

// readings returns which models read a store.
func (h *harness) readings(store string) choice.Reading {
	h.t.Helper()
	infos, err := h.Stores(background, agent(store, acl.Public), "", "")
	must(h, err)
	i := slices.IndexFunc(infos, func(info memory.StoreInfo) bool { return info.Store == store })
	if i < 0 {
		h.t.Fatalf("%s is not among %v", store, infos)
	}
	return infos[i].Reading
}

// cosines returns, by key, whether each hit has a cosine.
func (h *harness) cosines(store, query string) map[string]bool {
	h.t.Helper()
	answer, err := h.Search(background, agent(store, acl.Public), search.Request{Query: query, Stores: []string{store}, Limit: 10, Explain: true})
	must(h, err)
	found := make(map[string]bool)
	for _, hit := range answer.Hits {
		found[hit.Key] = hit.Explain.Parts.Cosine != nil
	}
	return found
}

func TestEachEntryIsReadByTheModelThatCanReadIt(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := openTwo(t, b)
		h.PutText(agent("a", acl.Public), "a", "english", "The night train arrives after midnight.", 0)
		h.Index()
		if got := h.readings("a"); got != (choice.Reading{}) {
			t.Errorf("English alone: %+v", got)
		}
		if serving := h.Serving(); len(serving) != 1 {
			t.Errorf("%d models serve before the second is needed", len(serving))
		}
		h.PutText(agent("a", acl.Public), "a", "german", "Der Nachtzug kommt erst nach Mitternacht an.", 0)
		h.Index()
		if got := h.readings("a"); got != (choice.Reading{Multilingual: acl.Public}) {
			t.Errorf("with German: %+v", got)
		}
		if serving := h.Serving(); len(serving) != 2 {
			t.Errorf("%d models serve", len(serving))
		}
		if got := h.cosines("a", "when does the night train arrive?"); !got["english"] || !got["german"] {
			t.Errorf("both have a cosine with an English question: %v", got)
		}
		if got := h.readings("a"); got.Asked {
			t.Error("an English question asks for no other language")
		}
		h.cosines("a", "Wann kommt der Nachtzug denn an?")
		if got := h.readings("a"); !got.Asked {
			t.Errorf("a German question: %+v", got)
		}
		h.Index()
		if got := h.cosines("a", "Wann kommt der Nachtzug denn an?"); !got["english"] || !got["german"] {
			t.Errorf("both have a cosine with a German question: %v", got)
		}
	})
}

// Questions of readers and buyers do not change which models read a store, and a question does
// not affect stores that it does not search.
func TestOnlyQuestionsOfWritersAddTheMultilingualModel(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openTwo(t, b)
		h.SetUpAccess()
		for _, store := range []string{"lender", "seller", "reader"} {
			h.PutText(agent(store, acl.Public), store, "k", "The night train arrives after midnight.", 0)
		}
		h.Index()
		_, err := h.Search(background, agent("reader", acl.Public), search.Request{Query: "Wann kommt der Nachtzug denn an?", Limit: 10})
		must(h, err)
		for store, asked := range map[string]bool{"lender": false, "seller": false, "reader": true} {
			if got := h.readings(store); got.Asked != asked {
				t.Errorf("%s: %+v", store, got)
			}
		}
	})
}

// A question of a session above PUBLIC has no effect on sessions below it: the multilingual
// model additionally reads only the entries with that session's label.
func TestAQuestionAtAHigherLabelDoesNotAffectLowerSessions(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openTwo(t, b)
		low, high := agent("a", acl.Public), agent("a", acl.Confidential)
		h.PutText(low, "a", "low", "The night train arrives after midnight.", 0)
		h.PutText(high, "a", "high", "The night train is late.", 0)
		// A foreign entry makes both models serve.
		h.PutText(agent("b", acl.Public), "b", "german", "Der Nachtzug kommt erst nach Mitternacht an.", 0)
		h.Index()
		const question, english = "Wann kommt der Nachtzug denn an?", "when does the night train arrive?"
		before, found := h.readings("a"), h.MustSearch(low, search.Request{Query: english, Explain: true})
		h.MustSearch(high, search.Request{Query: question})
		h.Index()
		infos, err := h.Stores(background, high, "", "")
		must(h, err)
		if reading := infos[0].Reading; reading.Mixed != acl.Confidential || reading.Asked {
			t.Errorf("above it is read as %+v", reading)
		}
		if after := h.readings("a"); after != before {
			t.Errorf("below it was read as %+v, and is as %+v", before, after)
		}
		again := h.MustSearch(low, search.Request{Query: english, Explain: true})
		if len(again.Hits) != 1 || again.Hits[0].Score != found.Hits[0].Score || again.Explanation.Readers != nil {
			t.Errorf("below: %+v", again)
		}
		h.MustSearch(low, search.Request{Query: question})
		if !h.readings("a").Asked {
			t.Error("a question at PUBLIC does not count")
		}
	})
}

// failingReadings is a storage that cannot record readings while it is broken.
type failingReadings struct {
	storage.Storage
	broken bool
	tries  int
}

func (u *failingReadings) Update(ctx context.Context, fn func(memory.Tx) error) error {
	return u.Storage.Update(ctx, func(tx memory.Tx) error { return fn(failingReadingsTx{tx, u}) })
}

type failingReadingsTx struct {
	memory.Tx
	of *failingReadings
}

func (tx failingReadingsTx) PutReading(ctx context.Context, change memory.ReadingChange) error {
	if tx.of.tries++; tx.of.broken {
		return memory.ErrUnavailable
	}
	return tx.Tx.PutReading(ctx, change)
}

// An answer waits for the attempt to record its question, so a failed attempt is not repeated
// with each question.
func TestAFailureToRecordAQuestionIsNotRetriedForAMinute(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data, clock := b.Open(t), backendtest.NewClock()
		rows := &failingReadings{Storage: data.Storage(t), broken: true}
		second := []indexer.Model{data.Model(t, backendtest.Second(encoder(t)))}
		options := backendtest.Options{Memory: memory.Options{Now: clock.Now}, Multilingual: second}
		h := &harness{backendtest.Wrap(t, backendtest.OpenProcess(t, rows, options, data.Model(t, encoder(t)))), t}
		for _, store := range []string{"a", "b"} {
			h.PutText(agent(store, acl.Public), store, "k", "The night train arrives after midnight.", 0)
		}
		h.Index()
		ask := func(store string, tries int, asked bool) {
			t.Helper()
			h.cosines(store, "Wann kommt der Nachtzug denn an?")
			if got := h.readings(store); got.Asked != asked || rows.tries != tries {
				t.Errorf("after %d tries: %+v", rows.tries, got)
			}
		}
		ask("a", 1, false)
		ask("a", 1, false)
		rows.broken = false
		ask("a", 1, false)
		ask("b", 2, true) // another store is not affected
		clock.Advance(time.Minute)
		ask("a", 3, true)
		ask("a", 3, true)
	})
}

// valueReads is a storage that counts the values that snapshots read.
type valueReads struct {
	storage.Storage
	mu    sync.Mutex
	times map[uuid.UUID]int
	most  int // largest number of bytes in one call
}

func (v *valueReads) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	return v.Storage.View(ctx, func(tx memory.ReadTx) error { return fn(valueReadsTx{tx, v}) })
}

type valueReadsTx struct {
	memory.ReadTx
	of *valueReads
}

func (tx valueReadsTx) Contents(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error) {
	found, err := tx.ReadTx.Contents(ctx, ids)
	tx.count(found)
	return found, err
}

func (tx valueReadsTx) History(ctx context.Context, query memory.HistoryQuery) ([]memory.Entry, error) {
	found, err := tx.ReadTx.History(ctx, query)
	tx.count(found)
	return found, err
}

func (tx valueReadsTx) Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error) {
	found, err := tx.ReadTx.Get(ctx, ids)
	tx.count(found)
	return found, err
}

func (tx valueReadsTx) count(found []memory.Entry) {
	tx.of.mu.Lock()
	defer tx.of.mu.Unlock()
	bytes := 0
	for _, e := range found {
		tx.of.times[e.ID]++
		bytes += len(e.Value)
	}
	tx.of.most = max(tx.of.most, bytes)
}

// To detect the language of entries that both models have read, a search reads the text of each
// entry once, a batch of values at a time.
func TestTheTextsOfEntriesAreReadOnceForAllWordings(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		reads := &valueReads{Storage: data.Storage(t), times: make(map[uuid.UUID]int)}
		options := backendtest.Options{Multilingual: []indexer.Model{data.Model(t, backendtest.Second(encoder(t)))}}
		h := &harness{backendtest.Wrap(t, backendtest.OpenProcess(t, reads, options, data.Model(t, encoder(t)))), t}
		a := agent("a", acl.Public)
		space := strings.Repeat(" ", memory.BatchBytes/8)
		for i := range 10 {
			h.PutText(a, "a", fmt.Sprint(i), fmt.Sprintf("The night train %d arrives after midnight.", i)+space, 201)
		}
		h.Index()
		german := []string{"Wann kommt der Nachtzug denn an?", "Wann fährt denn der Nachtzug heute ab?"}
		h.MustSearch(a, search.Request{Queries: german}) // makes both models read the store
		h.Index()
		reads.most = 0
		clear(reads.times)
		answer := h.MustSearch(a, search.Request{Queries: german, Limit: 1})
		reads.times[answer.Hits[0].EntryID()]-- // not counting the read to show it
		for id, times := range reads.times {
			if times != 1 {
				t.Errorf("%s is read %d times", id, times)
			}
		}
		if len(reads.times) != 10 || reads.most > memory.BatchBytes {
			t.Errorf("%d entries are read, up to %d bytes at once", len(reads.times), reads.most)
		}
	})
}

// An agent that sets the language learns no more about the store than a reader with the same
// taint.
func TestChoosingALanguageRevealsNoHiddenEntries(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openTwo(t, b)
		h.PutText(agent("a", acl.Restricted), "a", "german", "Der Nachtzug kommt erst nach Mitternacht an.", 0)
		h.Index()
		for taint, want := range map[acl.Label]acl.Label{acl.Public: 0, acl.Restricted: acl.Restricted} {
			c := agent("a", taint)
			c.Platform = taint != acl.Public // other agents above PUBLIC may not set it
			info, err := h.SetLanguage(background, c, "a", choice.LanguageAuto)
			must(h, err)
			if info.Reading.Multilingual != want {
				t.Errorf("%s is told %+v", taint, info.Reading)
			}
		}
	})
}

func TestAnOwnerChoosesTheModels(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openTwo(t, b)
		h.SetUpAccess()
		a := agent("a", acl.Public)
		h.PutText(agent("a", acl.Public), "a", "english", "The night train arrives after midnight.", 0)
		h.PutText(agent("a", acl.Public), "a", "german", "Der Nachtzug kommt erst nach Mitternacht an.", 0)
		h.Index()
		for _, language := range []choice.Language{choice.LanguageEnglish, choice.LanguageMultilingual, choice.LanguageAuto} {
			info, err := h.SetLanguage(background, a, "a", language)
			must(h, err)
			if info.Reading.Language != language || h.readings("a").Language != language {
				t.Errorf("%s: %+v", language, info.Reading)
			}
			h.Index()
			if got := h.cosines("a", "when does the night train arrive?"); !got["english"] || !got["german"] {
				t.Errorf("%s: with cosines are %v", language, got)
			}
		}
		for name, try := range map[string]func() error{
			"a stranger": func() error {
				_, err := h.SetLanguage(background, agent("stranger", acl.Public), "a", choice.LanguageEnglish)
				return err
			},
			"a reader by a grant": func() error {
				_, err := h.SetLanguage(background, agent("reader", acl.Public), "lender", choice.LanguageEnglish)
				return err
			},
			"a session above PUBLIC": func() error {
				_, err := h.SetLanguage(background, agent("a", acl.Internal), "a", choice.LanguageEnglish)
				return err
			},
			"an unknown language": func() error {
				_, err := h.SetLanguage(background, a, "a", 9)
				return err
			},
		} {
			if err := try(); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	})
}

// distracted is a second model that mistakes every question for another.
type distracted struct{ embed.Embedder }

func (d distracted) Query(ctx context.Context, _ string) (embed.Query, error) {
	return d.Embedder.Query(ctx, "What was noted on day 300?")
}

// English entries that get vectors of a second model keep their order for English questions,
// even those that are not in the first model's list.
func TestASecondModelDoesNotReorderEnglishHits(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		h := openWith(t, b, backendtest.Options{Second: distracted{backendtest.Second(encoder(t))}})
		a := agent("a", acl.Public)
		subjects := []string{"The night train", "A red bicycle", "The old library", "My neighbour's cat", "The harbour ferry", "A cup of coffee", "The piano lesson"}
		ends := []string{"leaves at seven.", "costs four francs.", "is closed on Sunday.", "needs a new lamp.", "was late again.", "smells of rain."}
		for i := range 7 * 6 * 8 {
			text := fmt.Sprintf("%s %s It was noted on day %d.", subjects[i%7], ends[i/7%6], i)
			h.PutText(a, "a", fmt.Sprintf("note/%d", i), text, 0)
		}
		h.Index()
		ask := func(query string) []string {
			return keys(h.MustSearch(a, search.Request{Query: query, Stores: []string{"a"}, Mode: search.ModeVector, Ranking: search.RankingRRF, Limit: 20}))
		}
		const english = "When does the night train leave?"
		want := ask(english)
		ask("Wann fährt denn der Nachtzug heute ab?")
		h.Index()
		if got := h.readings("a"); !got.Asked {
			t.Fatalf("the German question is not recorded: %+v", got)
		}
		if got := ask(english); !slices.Equal(got, want) {
			t.Errorf("with a second model\n%v, before\n%v", got, want)
		}
	})
}

// staged is a model for which each text has a given cosine with every question.
type staged struct {
	embed.Embedder
	cosine func(text string) float64
}

func (s staged) Query(context.Context, string) (embed.Query, error) {
	return embed.Query{Vector: s.vector(1)}, nil
}

func (s staged) Passages(_ context.Context, texts []string) ([]embed.Passage, error) {
	passages := make([]embed.Passage, len(texts))
	for i, text := range texts {
		passages[i].Vector = s.vector(s.cosine(text))
	}
	return passages, nil
}

func (s staged) vector(cosine float64) []float32 {
	v := make([]float32, s.Dim())
	v[0], v[1] = float32(cosine), float32(math.Sqrt(1-cosine*cosine))
	return v
}

// countedIndex counts its searches.
type countedIndex struct {
	vector.Index
	searches *atomic.Int64
}

func (c countedIndex) Search(ctx context.Context, scope acl.Scope, query vector.Query) ([]vector.Hit, error) {
	c.searches.Add(1)
	return c.Index.Search(ctx, scope, query)
}

// openStaged opens a service with two models for which English and German texts have given
// cosines; german returns that of a German text by its number. searches counts the searches of
// both indexes.
func openStaged(t *testing.T, b backendtest.Backend, main func(text string) float64, english float64, german func(number int) float64) (h *harness, searches *atomic.Int64) {
	t.Helper()
	data := b.Open(t)
	searches = new(atomic.Int64)
	counted := func(e embed.Embedder) indexer.Model {
		model := data.Model(t, e)
		open := model.Open
		model.Open = func(ctx context.Context) (vector.Index, error) {
			index, err := open(ctx)
			return countedIndex{index, searches}, err
		}
		return model
	}
	second := counted(staged{backendtest.Second(encoder(t)), func(text string) float64 {
		_, after, isGerman := strings.Cut(text, "Nummer ")
		if !isGerman {
			return english
		}
		number, _, _ := strings.Cut(after, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Error(err)
		}
		return german(n)
	}})
	options := backendtest.Options{Multilingual: []indexer.Model{second}}
	return &harness{backendtest.Wrap(t, backendtest.OpenProcess(t, data.Storage(t), options, counted(staged{encoder(t), main}))), t}, searches
}

// putTrains writes 300 English notes outside of the namespace de, and German notes in it, except
// for the first 20.
func (h *harness) putTrains(german int) {
	h.t.Helper()
	requests := make([]memory.PutRequest, 300+german)
	for i := range requests {
		requests[i] = memory.PutRequest{Path: path("a", fmt.Sprint("note/", i)), Value: text("The night train arrives after midnight.")}
		if n := i - 300; n >= 0 {
			requests[i].Value = text(fmt.Sprintf("Der Nachtzug Nummer %d kommt erst nach Mitternacht an.", n))
			if n >= 20 {
				requests[i].Path.Namespace = "de"
			}
		}
	}
	for batch := range slices.Chunk(requests, 500) {
		_, err := h.PutAll(background, agent("a", acl.Public), batch)
		must(h, err)
	}
}

const (
	englishTrains = "When does the night train arrive?"
	germanTrains  = "Wann kommt der Nachtzug denn an?"
)

// A filter may drop all the first hits of one model, so that only hits of the other fill the
// list.
func TestAFilterLosesNoHitsOfEitherModel(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many entries")
	}
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		main := func(text string) float64 {
			if strings.Contains(text, "seven") {
				return .82
			}
			return .85
		}
		h, _ := openStaged(t, b, main, .7, func(int) float64 { return .7 })
		a, space := agent("a", acl.Public), "de"
		h.putTrains(1030) // more pass the filter than fit in Only
		h.PutText(a, "a", "answer", "The night train arrives at seven in the morning.", 201, func(r *memory.PutRequest) { r.Path.Namespace = space })
		h.Index()
		answer := h.MustSearch(a, search.Request{Query: englishTrains, Mode: search.ModeVector, Ranking: search.RankingRRF, Filter: memory.Filter{Namespace: &space}})
		if got := keys(answer); len(got) != 10 || got[0] != "answer" || answer.Incomplete {
			t.Errorf("hits %v, incomplete %v", got, answer.Incomplete)
		}
	})
}

// Hits of the other model that the preferred model has read move down in the list. That does
// not make the search ask for more.
func TestAStoreThatBothModelsReadIsSearchedOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many entries")
	}
	space := "de"
	for name, c := range map[string]struct {
		main, english float64 // of English notes by each model
		german        func(number int) float64
		notes         int
		request       search.Request
	}{
		"all visible":                   {.82, .76, func(int) float64 { return .78 }, 50, search.Request{Query: englishTrains}},
		"some of the first not visible": {.95, .3, func(n int) float64 { return .99 - .0005*float64(n) }, 1030, search.Request{Query: germanTrains, Filter: memory.Filter{Namespace: &space}}},
	} {
		t.Run(name, func(t *testing.T) {
			onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
				h, searches := openStaged(t, b, func(string) float64 { return c.main }, c.english, c.german)
				a := agent("a", acl.Public)
				h.putTrains(c.notes)
				h.Index()
				h.MustSearch(a, search.Request{Query: germanTrains})
				h.Index()
				if got := h.readings("a"); !got.Asked {
					t.Fatalf("the German question is not recorded: %+v", got)
				}
				before := searches.Load()
				r := c.request
				r.Mode, r.Limit = search.ModeVector, 100
				if hits, n := h.MustSearch(a, r).Hits, searches.Load()-before; len(hits) != 100 || n != 2 {
					t.Errorf("%d hits in %d searches, want one of each model", len(hits), n)
				}
			})
		})
	}
}

// Vectors of a model that no longer reads a store do not count: how many remain depends on
// entries above the caller's ceiling.
func TestVectorsOfAFormerModelDoNotCount(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		h := &harness{backendtest.OpenOver(t, data, backendtest.Options{Second: backendtest.Second(encoder(t))}, encoder(t)), t}
		h.SetUpAccess()
		a := agent("a", acl.Public)
		left := h.PutText(a, "a", "left", "The ferry leaves in the morning.", 0)
		h.PutText(agent("lender", acl.Public), "lender", "english", "The night train arrives after midnight.", 0)
		h.Lend("lender", "a", acl.Read)
		h.Index()
		_, err := h.SetLanguage(background, a, "a", choice.LanguageMultilingual)
		must(h, err)
		h.Index()
		if got := h.readings("a"); !got.OnlyMultilingual() {
			t.Fatalf("read as %+v", got)
		}
		request := search.Request{Query: englishTrains, Mode: search.ModeVector, Explain: true}
		before := h.MustSearch(a, request)
		asked, err := encoder(t).Query(background, englishTrains)
		must(h, err)
		must(h, data.Storage(t).ForIndexer().Update(background, func(tx indexer.Tx) error {
			saved, err := tx.SaveVectors(background, left.ID, left.Revision, encoder(t).Fingerprint(), []vector.Record{
				{Entry: left.ID, Store: 1, Label: acl.Public, Vector: vector.ToHalf(asked.Vector)},
			})
			if err == nil && !saved {
				t.Error("the vectors are refused")
			}
			return err
		}))
		h.Index()
		after := h.MustSearch(a, request)
		if len(before.Hits) != 2 || len(after.Hits) != 2 {
			t.Fatalf("%v, then %v", keys(before), keys(after))
		}
		for i, hit := range after.Hits {
			if was := before.Hits[i]; hit.Key != was.Key || hit.Score != was.Score || hit.Explain.Model != was.Explain.Model {
				t.Errorf("%d: %s %v by %s, then %s %v by %s", i, was.Key, was.Score, was.Explain.Model, hit.Key, hit.Score, hit.Explain.Model)
			}
		}
	})
}
