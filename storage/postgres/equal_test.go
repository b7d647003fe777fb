package postgres_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mneme/acl"
	"mneme/backend/backendtest"
	"mneme/embed"
	"mneme/indexer"
	"mneme/memory"
	"mneme/storage"
	"mneme/storage/postgres/postgrestest"
	"mneme/vector"
)

// turn is a line of LoCoMo's corpus or of its queries.
type turn struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Store string `json:"store"`
}

// conversations reads the first three conversations of LoCoMo and their
// queries.
func conversations(t *testing.T) (turns, queries []turn) {
	t.Helper()
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(shared, "data", "locomo")
	turns = readLines(t, filepath.Join(dir, "corpus.jsonl"))
	var stores []string
	for _, one := range turns {
		if !slices.Contains(stores, one.Store) {
			stores = append(stores, one.Store)
		}
	}
	other := func(one turn) bool { return !slices.Contains(stores[:3], one.Store) }
	return slices.DeleteFunc(turns, other), slices.DeleteFunc(readLines(t, filepath.Join(dir, "queries.jsonl")), other)
}

func readLines(t *testing.T, path string) (lines []turn) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("LoCoMo is missing (MNEME_SHARED names the folder above data): %v", err)
		}
		t.Skip("no LoCoMo here (MNEME_SHARED names the folder above data)")
	}
	defer func() { _ = f.Close() }()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var line turn
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// place is one hit as an answer shows it, less what differs between any two
// databases (ids and times).
type place struct {
	Key             string
	Score           uint64 // bits
	Lexical, Vector memory.LegRank
}

// TestAnswersAreThoseOfSQLite imports the same conversations everywhere and
// compares every answer: the lexical leg, the vector leg over an exact index,
// in the process or in Milvus, and the fused list, in hits, order and scores
// to the bit.
func TestAnswersAreThoseOfSQLite(t *testing.T) {
	turns, queries := conversations(t)
	postgrestest.DSN(t) // before the work
	if testing.Short() {
		t.Skip("embeds some 2,000 texts")
	}
	embedder, err := backendtest.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	want := answersOf(t, backendtest.Embedded(), embedder, turns, queries)
	for _, b := range backendtest.Shared() {
		t.Run(b.Name, func(t *testing.T) {
			got, hits := answersOf(t, b.Exact().Serving(), embedder, turns, queries), 0
			for i, q := range queries {
				if !slices.Equal(got[i].lexical, want[i].lexical) {
					t.Fatalf("question %s: the lexical legs differ:\nsqlite   %v\npostgres %v", q.ID, want[i].lexical, got[i].lexical)
				}
				if !slices.Equal(got[i].fused, want[i].fused) {
					t.Fatalf("question %s: the answers differ:\nsqlite   %v\npostgres %v", q.ID, want[i].fused, got[i].fused)
				}
				hits += len(got[i].fused)
			}
			t.Logf("%d entries, %d queries, %d hits alike", len(turns), len(queries), hits)
		})
	}
}

// said is what the lexical leg and a whole search answer to a question.
type said struct{ lexical, fused []place }

// answersOf fills a fresh database of a backend and asks it.
func answersOf(t *testing.T, b backendtest.Backend, embedder embed.Embedder, turns, queries []turn) []said {
	t.Helper()
	data := b.Open(t)
	rows, model := data.Storage(t), data.Model(t, embedder)
	service := fill(t, rows, model, turns)
	settle(t, model)
	answers := make([]said, len(queries))
	for i, q := range queries {
		answers[i] = said{askLeg(t, rows, q), askAll(t, service, q)}
	}
	return answers
}

func owner(store string) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: store, Taint: acl.Public}}
}

// fill imports the turns and embeds them.
func fill(t *testing.T, rows storage.Storage, model indexer.Model, turns []turn) *memory.Service {
	t.Helper()
	service := backendtest.OpenProcess(t, rows, memory.Options{VectorBudget: time.Minute}, model)
	requests := make(map[string][]memory.PutRequest)
	for _, one := range turns {
		value, err := json.Marshal(one.Title + "\n" + one.Text)
		if err != nil {
			t.Fatal(err)
		}
		requests[one.Store] = append(requests[one.Store], memory.PutRequest{Path: memory.Path{Store: one.Store, Key: one.ID}, Value: value})
	}
	for store, all := range requests {
		for portion := range slices.Chunk(all, 100) {
			outcomes, err := service.PutAll(t.Context(), owner(store), portion)
			if err != nil {
				t.Fatal(err)
			}
			for _, outcome := range outcomes {
				if outcome.Err != nil {
					t.Fatal(outcome.Err)
				}
			}
		}
	}
	if err := service.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return service.Service
}

// settle waits until searches of a shared index see all that was written.
func settle(t *testing.T, model indexer.Model) {
	t.Helper()
	index, err := model.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if settler, ok := index.(vector.Settler); ok {
		if err := settler.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// askAll asks the service, with what each leg said.
func askAll(t *testing.T, service *memory.Service, q turn) (places []place) {
	t.Helper()
	answer, err := service.Search(t.Context(), owner(q.Store), memory.SearchRequest{Query: q.Text, Limit: 100, Explain: true})
	if err != nil || len(answer.Degraded) > 0 {
		t.Fatal(err, answer.Degraded)
	}
	for _, hit := range answer.Hits {
		p := place{Key: hit.Key, Score: math.Float64bits(hit.Score)}
		if hit.Explain.Lexical != nil {
			p.Lexical = *hit.Explain.Lexical
		}
		if hit.Explain.Vector != nil {
			p.Vector = *hit.Explain.Vector
		}
		places = append(places, p)
	}
	return places
}
