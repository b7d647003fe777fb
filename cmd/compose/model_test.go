package compose_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/embed/e5"
	"mneme/indexer"
	"mneme/lexical/language"
	"mneme/memory"
	"mneme/search"
	"mneme/storage/sqlite/sqlitetest"
	"mneme/test/backendtest"
	"mneme/test/wait"
	"mneme/vector"
)

// builtIn returns the fingerprints of the built-in embedder with and without codes.
func builtIn(t *testing.T) (coded, plain string) {
	t.Helper()
	e, err := e5.New(e5.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.WithCodes()
	if err != nil {
		t.Fatal(err)
	}
	return c.Fingerprint(), e.Fingerprint()
}

func TestModelsAreTheConfiguredOneAndBothBuiltInOnes(t *testing.T) {
	coded, plain := builtIn(t)
	config := configs.Default()
	check := func(want ...string) (main []indexer.Model) {
		t.Helper()
		models, err := compose.OpenModels(config, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range models.Main {
			if !slices.Contains(e5Predecessors(t), m.Embedder.Fingerprint()) {
				got = append(got, m.Embedder.Fingerprint())
			}
		}
		if !slices.Equal(got[len(got)-2:], want) {
			t.Errorf("models are %v, want %v", got, want)
		}
		return models.Main
	}
	if models := check(coded, plain); models[0].Lacks != "" || models[1].Lacks == "" {
		t.Errorf("%q lacks nothing, %q lacks codes", models[0].Lacks, models[1].Lacks)
	}
	config.E5.Codes = false
	if models := check(plain, coded); models[0].Lacks != "" || models[1].Lacks != "" {
		t.Errorf("without codes nothing is lacking: %q, %q", models[0].Lacks, models[1].Lacks)
	}
	config.Embedder, config.E5.Codes = "openai", true
	config.OpenAI.BaseURL, config.OpenAI.Model, config.OpenAI.Dim = "http://127.0.0.1:1/v1", "m", 8
	config.OpenAI.MaxLabel = "INTERNAL"
	models := check(coded, plain)
	if len(models) != 5 || models[2].Lacks != "" {
		t.Errorf("%d models; the last lacks %q", len(models), models[2].Lacks)
	}
	for i, model := range models { // only the first, the remote one, has a maximum label
		if bounded := i == 0; bounded != (model.MaxLabel == acl.Internal) || !bounded && model.MaxLabel != 0 {
			t.Errorf("model %d has texts up to %v", i, model.MaxLabel)
		}
	}
}

// A database whose vectors have no token codes is served without them, and the log says
// what is missing and what to do.
func TestADatabaseWithoutCodesIsToldToReindex(t *testing.T) {
	rows := sqlitetest.Open(t)
	config := configs.Default()
	open := func(codes bool) (ix *indexer.Indexer, logged string) {
		t.Helper()
		config.E5.Codes = codes
		models, err := compose.OpenModels(config, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		ix, err = indexer.New(t.Context(), rows.ForIndexer(), indexer.Options{Models: models.Main, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ix.Close() })
		return ix, log.String()
	}
	coded, plain := builtIn(t)
	if _, logged := open(false); logged != "" {
		t.Errorf("a new database: %s", logged)
	}
	ix, logged := open(true)
	if !strings.Contains(logged, "mneme reindex") || !strings.Contains(logged, `lacks="ranking by token codes"`) || strings.Count(logged, "\n") != 1 {
		t.Errorf("logged %q", logged)
	}
	if status := ix.Status(t.Context()); status.Serving != plain || status.Configured != coded {
		t.Errorf("serving %s, configured %s", status.Serving, status.Configured)
	}
	if err := ix.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, logged := open(true); logged != "" {
		t.Errorf("after the reindex: %s", logged)
	}
	if _, logged := open(false); !strings.Contains(logged, "mneme reindex") || strings.Contains(logged, "lacks") {
		t.Errorf("logged %q", logged)
	}
}

// e5Predecessors returns the fingerprints of the earlier versions of the built-in model.
func e5Predecessors(t *testing.T) []string {
	t.Helper()
	e, err := e5.New(e5.Options{Lazy: true})
	if err != nil {
		t.Fatal(err)
	}
	return e.Predecessors()
}

// Vectors of an earlier version of the configured model answer searches, and are recomputed
// in the background.
func TestVectorsOfAnEarlierFormAreMadeAgain(t *testing.T) {
	rows := sqlitetest.Open(t)
	config := configs.Default()
	models, err := compose.OpenModels(config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(models.Main, func(m indexer.Model) bool { return m.Renew })
	if i < 0 {
		t.Fatal("no model has an earlier form")
	}
	open := func(main []indexer.Model) (*memory.Service, *indexer.Indexer) {
		ix, err := indexer.New(t.Context(), rows.ForIndexer(), indexer.Options{Models: main, Multilingual: models.Multilingual, Foreign: language.Foreign})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ix.Close() })
		service, err := memory.New(t.Context(), rows, memory.Options{Indexer: ix})
		if err != nil {
			t.Fatal(err)
		}
		return service, ix
	}
	service, ix := open(models.Main[i:])
	for key, value := range map[string]string{"a": "The night train arrives after midnight.", "b": "Der Nachtzug kommt erst nach Mitternacht an."} {
		c := memory.Caller{Principal: acl.Principal{Agent: "a", Taint: acl.Public}}
		if _, err := service.Put(t.Context(), c, memory.PutRequest{Path: memory.Path{Store: "a", Key: key}, Value: backendtest.Text(value)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ix.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	_, ix = open(models.Main)
	if got, want := ix.Serving()[0].Fingerprint, models.Main[i].Embedder.Fingerprint(); got != want {
		t.Fatalf("%s serves before vectors were made again, want %s", got, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running errgroup.Group
	running.Go(func() error { return ix.Run(ctx) })
	backendtest.Eventually(t, "the configured form serves", func() bool {
		serving := ix.Serving()
		return len(serving) == 2 && serving[0].Fingerprint == models.Main[0].Embedder.Fingerprint()
	})
	stop()
	if err := running.Wait(); err != nil {
		t.Error(err)
	}
}

// embeddings is an embedding service whose vectors all have one direction.
func embeddings(t *testing.T, dim int) *httptest.Server {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		vector := make([]float32, dim)
		vector[0] = 1
		items := []map[string]any{}
		for i := range asked.Input {
			items = append(items, map[string]any{"object": "embedding", "index": i, "embedding": vector})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "m", "data": items})
	}))
	t.Cleanup(service.Close)
	return service
}

// After a change to another embedder, the vectors of both built-in models answer searches
// until the reindex is complete.
func TestBothBuiltInModelsServeUntilAReindexToAnotherEmbedder(t *testing.T) {
	config := configs.Default()
	config.DataDir, config.Search.VectorBudget = t.TempDir(), wait.Limit
	c := memory.Caller{Principal: acl.Principal{Agent: "a", Taint: acl.Public}}
	open := func() (*compose.Instance, func()) {
		instance, err := compose.Open(t.Context(), config, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return instance, func() {
			if err := instance.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	put := func(instance *compose.Instance, key, value string) {
		t.Helper()
		if _, err := instance.Put(t.Context(), c, memory.PutRequest{Path: memory.Path{Store: "a", Key: key}, Value: backendtest.Text(value)}); err != nil {
			t.Fatal(err)
		}
		if err := instance.Drain(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	first, end := open()
	put(first, "english", "The garden needs water in the evening.")
	put(first, "german", "Der Nachtzug kommt erst nach Mitternacht an.")
	built := first.Serving()
	end()
	if len(built) != 2 {
		t.Fatalf("%d models serve", len(built))
	}

	config.Embedder, config.OpenAI.Model, config.OpenAI.Dim = "openai", "m", 8
	config.OpenAI.BaseURL = embeddings(t, config.OpenAI.Dim).URL + "/v1"
	changed, end := open()
	defer end()
	put(changed, "also german", "Die Rechnung wird am Ersten des Monats bezahlt.")
	serving := changed.Serving()
	if len(serving) != 2 || serving[0].Fingerprint != built[0].Fingerprint || serving[1].Fingerprint != built[1].Fingerprint {
		t.Fatalf("%d models serve", len(serving))
	}
	answer, err := changed.Search(t.Context(), c, search.Request{Query: "Wann trifft die späte Bahn ein?", Limit: 1})
	if err != nil || len(answer.Hits) != 1 || answer.Hits[0].Key != "german" || len(answer.Degraded) > 0 {
		t.Errorf("found %+v, error %v", answer.Hits, err)
	}
	read := make(map[uuid.UUID]bool)
	err = changed.Storage.ForIndexer().View(t.Context(), func(tx indexer.ReadTx) error {
		return tx.AllVectors(t.Context(), built[1].Fingerprint, func(r vector.Record) error { read[r.Entry] = true; return nil })
	})
	if err != nil || len(read) < 2 {
		t.Errorf("the multilingual model has read %d entries, error %v", len(read), err)
	}

	if err := changed.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	status := changed.Indexer.Status(t.Context())
	if serving := changed.Serving(); len(serving) != 1 || status.Serving != status.Configured || status.Multilingual != "" {
		t.Errorf("%d models serve after the reindex: %+v", len(serving), status)
	}
}
