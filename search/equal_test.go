package search_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/e5/e5test"
	"mneme/indexer"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/storage/postgres/postgrestest"
	"mneme/test/backendtest"
	"mneme/vector"
)

// line is a line of LoCoMo's corpus or queries file.
type line struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Store string `json:"store"`
}

// conversations reads the first three conversations of LoCoMo and their
// queries.
func conversations(t *testing.T) (turns, queries []line) {
	t.Helper()
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	dir := filepath.Join(shared, "data", "locomo")
	turns = readLines(t, filepath.Join(dir, "corpus.jsonl"))
	var stores []string
	for _, turn := range turns {
		if !slices.Contains(stores, turn.Store) {
			stores = append(stores, turn.Store)
		}
	}
	other := func(l line) bool { return !slices.Contains(stores[:3], l.Store) }
	return slices.DeleteFunc(turns, other), slices.DeleteFunc(readLines(t, filepath.Join(dir, "queries.jsonl")), other)
}

func readLines(t *testing.T, path string) (lines []line) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("LoCoMo is missing (MNEME_SHARED names the folder above data): %v", err)
		}
		t.Skip("LoCoMo is missing (MNEME_SHARED names the folder above data)")
	}
	defer func() { _ = f.Close() }()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

// comparedHit is a hit without IDs and times, which differ between any two databases.
type comparedHit struct {
	Key             string
	Score           uint64 // math.Float64bits
	Relevance       uint64 // likewise; 0 for a hit of a leg
	Lexical, Vector search.LegRank
}

// TestAnswersEqualThoseOfSQLite imports the same conversations into every backend
// and compares all answers: those of the lexical leg, of the vector leg over an exact index
// (in process or in Milvus), and the hits of searches. Hits, their order and the bits of
// scores and relevance must be equal.
func TestAnswersEqualThoseOfSQLite(t *testing.T) {
	turns, queries := conversations(t)
	postgrestest.DSN(t) // skip before the work
	if testing.Short() {
		t.Skip("embeds some 2,000 texts")
	}
	embedder, err := e5test.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	want := answersOf(t, backendtest.Embedded(), embedder, turns, queries)
	for _, b := range backendtest.Shared() {
		t.Run(b.Name, func(t *testing.T) {
			got, hits := answersOf(t, b.Exact().Serving(), embedder, turns, queries), 0
			for i, q := range queries {
				if !slices.Equal(got[i].lexical, want[i].lexical) {
					t.Fatalf("query %s: the lexical legs differ:\nsqlite   %v\npostgres %v", q.ID, want[i].lexical, got[i].lexical)
				}
				if !slices.Equal(got[i].fused, want[i].fused) {
					t.Fatalf("query %s: the answers differ:\nsqlite   %v\npostgres %v", q.ID, want[i].fused, got[i].fused)
				}
				hits += len(got[i].fused)
			}
			t.Logf("%d entries, %d queries, %d equal hits", len(turns), len(queries), hits)
		})
	}
}

// answer holds the hits of the lexical leg and of a whole search for one query.
type answer struct{ lexical, fused []comparedHit }

// answersOf imports turns into a fresh database of a backend and runs the
// queries.
func answersOf(t *testing.T, b backendtest.Backend, embedder embed.Embedder, turns, queries []line) []answer {
	t.Helper()
	data := b.Open(t)
	rows, model := data.Storage(t), data.Model(t, embedder)
	searcher := fill(t, rows, model, turns)
	settle(t, model)
	answers := make([]answer, len(queries))
	for i, q := range queries {
		answers[i] = answer{lexicalHits(t, rows, q), fusedHits(t, searcher, q)}
	}
	return answers
}

func owner(store string) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: store, Taint: acl.Public}}
}

// fill imports the turns and embeds them.
func fill(t *testing.T, rows storage.Storage, model indexer.Model, turns []line) *search.Searcher {
	t.Helper()
	service := backendtest.OpenProcess(t, rows, backendtest.Options{}, model)
	requests := make(map[string][]memory.PutRequest)
	for _, turn := range turns {
		value, err := json.Marshal(turn.Title + "\n" + turn.Text)
		if err != nil {
			t.Fatal(err)
		}
		requests[turn.Store] = append(requests[turn.Store], memory.PutRequest{Path: memory.Path{Store: turn.Store, Key: turn.ID}, Value: value})
	}
	for store, all := range requests {
		for batch := range slices.Chunk(all, 100) {
			outcomes, err := service.PutAll(t.Context(), owner(store), batch)
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
	return service.Searcher
}

// settle waits until searches of a shared index see all writes.
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

// fusedHits searches with the service and returns the hits with their ranks in
// each leg.
func fusedHits(t *testing.T, searcher *search.Searcher, q line) (hits []comparedHit) {
	t.Helper()
	answer, err := searcher.Search(t.Context(), owner(q.Store), search.Request{Query: q.Text, Limit: 100, Explain: true})
	if err != nil || len(answer.Degraded) > 0 {
		t.Fatal(err, answer.Degraded)
	}
	for _, hit := range answer.Hits {
		p := comparedHit{Key: hit.Key, Score: math.Float64bits(hit.Score), Relevance: math.Float64bits(hit.Relevance)}
		if hit.Explain.Lexical != nil {
			p.Lexical = *hit.Explain.Lexical
		}
		if hit.Explain.Vector != nil {
			p.Vector = *hit.Explain.Vector
		}
		hits = append(hits, p)
	}
	return hits
}
