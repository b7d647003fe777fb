package compose_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/configs"
	"mneme/embed"
	"mneme/embed/e5"
	"mneme/indexer"
	"mneme/internal/compose"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/storage/sqlite/sqlitetest"
	"mneme/test/backendtest"
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
	check := func(want ...string) []indexer.Model {
		t.Helper()
		models, err := compose.OpenModels(config, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range models {
			got = append(got, m.Embedder.Fingerprint())
		}
		if !slices.Equal(got[len(got)-2:], want) {
			t.Errorf("models are %v, want %v", got, want)
		}
		return models
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
	if models := check(coded, plain); len(models) != 3 || models[2].Lacks != "" {
		t.Errorf("%d models; the last lacks %q", len(models), models[2].Lacks)
	}
}

// A database without codes is served without them, and the log says what is
// missing and what to do.
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
		ix, err = indexer.New(t.Context(), rows.ForIndexer(), indexer.Options{Models: models, Log: slog.New(slog.NewTextHandler(&log, nil))})
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

// A database that the first version of mneme wrote has no codes. It answers
// without them, and has them after a reindex.
func TestDatabasesOfTheFirstVersionGainCodes(t *testing.T) {
	encoder, err := e5.New(e5.Options{})
	if err != nil {
		t.Fatal(err)
	}
	encoderWithCodes, err := encoder.WithCodes()
	if err != nil {
		t.Fatal(err)
	}
	plain, coded := backendtest.NewCachingEmbedder(encoder), backendtest.NewCachingEmbedder(encoderWithCodes)
	for name, open := range map[string]func(t *testing.T) storage.Storage{"sqlite": openFirstSQLite, "postgres": openFirstPostgres} {
		t.Run(name, func(t *testing.T) {
			rows := open(t)
			data := backendtest.Embedded().Open(t)
			data.Storage = func(testing.TB) storage.Storage { return rows }
			f := first{backendtest.OpenOver(t, data, backendtest.Options{}, coded, plain), t, rows}
			f.checkSearch()
			if withCodes, without := f.countCodes(plain); withCodes != 0 || without == 0 {
				t.Errorf("before the reindex %d chunks have codes, %d have none", withCodes, without)
			}
			if f.Status(t.Context()).Serving != plain.Fingerprint() {
				t.Error("another model serves before the reindex")
			}
			f.ok(f.Reindex(t.Context(), nil))
			if withCodes, without := f.countCodes(coded); withCodes == 0 || without != 0 {
				t.Errorf("after the reindex %d chunks have codes, %d have none", withCodes, without)
			}
			if f.Status(t.Context()).Serving != coded.Fingerprint() {
				t.Error("another model serves after the reindex")
			}
			answer, err := f.Search(t.Context(), agent("alice", acl.Public), search.Request{Query: "green tea", Limit: 10})
			if err != nil || len(answer.Hits) == 0 || answer.Hits[0].Key != "tea" || len(answer.Degraded) > 0 {
				t.Errorf("after the reindex: %d hits, degraded %v, %v", len(answer.Hits), answer.Degraded, err)
			}
		})
	}
}

// countCodes counts the chunks of alice's store with and without codes.
func (f first) countCodes(e embed.Embedder) (withCodes, without int) {
	f.t.Helper()
	f.ok(f.storage.View(f.t.Context(), func(tx memory.ReadTx) error {
		scope, err := acl.NewScope(f.t.Context(), tx, acl.Principal{Agent: "alice", Taint: acl.Restricted}, acl.ScopeRequest{}, time.Now())
		if err != nil {
			return err
		}
		var chunks []vector.ChunkID
		err = tx.(indexer.ReadTx).AllVectors(f.t.Context(), e.Fingerprint(), func(r vector.Record) error {
			if a, ok := scope.Access("alice"); ok && r.Store == a.Number {
				chunks = append(chunks, vector.ChunkID{Entry: r.Entry, Chunk: r.Chunk})
			}
			return nil
		})
		if err != nil {
			return err
		}
		codes, err := tx.ChunkCodes(f.t.Context(), scope, e.Fingerprint(), chunks)
		for _, c := range codes {
			if len(c) > 0 {
				withCodes++
			} else {
				without++
			}
		}
		return err
	}))
	return withCodes, without
}
