package postgres_test

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/e5"
	"mneme/memory"
	"mneme/storage/postgres"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlite"
	"mneme/vector"
	"mneme/vector/flat"
)

// turn is a line of LoCoMo's corpus or of its questions.
type turn struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Store string `json:"store"`
}

// conversations reads the first three conversations of LoCoMo and their
// questions.
func conversations(t *testing.T) (turns, questions []turn) {
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

// remembering embeds each text once: both services ask for the same ones.
type remembering struct {
	embed.Embedder
	mu   sync.Mutex
	seen map[string][]float32
}

func (r *remembering) Query(ctx context.Context, text string) ([]float32, error) {
	vectors, err := r.all([]string{text}, func(texts []string) ([][]float32, error) {
		v, err := r.Embedder.Query(ctx, texts[0])
		return [][]float32{v}, err
	}, "query")
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func (r *remembering) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	return r.all(texts, func(texts []string) ([][]float32, error) { return r.Embedder.Passages(ctx, texts) }, "passage")
}

func (r *remembering) all(texts []string, make func([]string) ([][]float32, error), kind string) ([][]float32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var missing []string
	for _, text := range texts {
		if r.seen[kind+text] == nil {
			missing = append(missing, text)
		}
	}
	if len(missing) > 0 {
		made, err := make(missing)
		if err != nil {
			return nil, err
		}
		for i, v := range made {
			r.seen[kind+missing[i]] = v
		}
	}
	vectors := [][]float32{}
	for _, text := range texts {
		vectors = append(vectors, r.seen[kind+text])
	}
	return vectors, nil
}

// place is one hit as an answer shows it, less what differs between any two
// databases (ids and times).
type place struct {
	Key             string
	Score           uint64 // bits
	Lexical, Vector memory.LegRank
}

// TestAnswersAreThoseOfSQLite imports the same conversations into both
// storages and compares every answer: the lexical leg, the vector leg over a
// flat index and the fused list, in hits, order and scores to the bit.
func TestAnswersAreThoseOfSQLite(t *testing.T) {
	turns, questions := conversations(t)
	dsn := postgrestest.Database(t)
	if testing.Short() {
		t.Skip("embeds some 2,000 texts")
	}
	encoder, err := e5.New(e5.Options{})
	if err != nil {
		t.Fatal(err)
	}
	embedder := &remembering{Embedder: encoder, seen: make(map[string][]float32)}
	embedded, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mneme.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = embedded.Close() })
	storages := [2]memory.Storage{embedded, postgres.OpenAt(t, dsn)}
	var services [2]*memory.Service
	for i, storage := range storages {
		services[i] = fill(t, storage, embedder, turns)
	}
	hits := 0
	for _, q := range questions {
		var lexical, fused [2][]place
		for i := range services {
			lexical[i] = askLeg(t, storages[i], q)
			fused[i] = askAll(t, services[i], q)
		}
		if !slices.Equal(lexical[0], lexical[1]) {
			t.Fatalf("question %s: the lexical legs differ:\nsqlite   %v\npostgres %v", q.ID, lexical[0], lexical[1])
		}
		if !slices.Equal(fused[0], fused[1]) {
			t.Fatalf("question %s: the answers differ:\nsqlite   %v\npostgres %v", q.ID, fused[0], fused[1])
		}
		hits += len(fused[0])
	}
	t.Logf("%d entries, %d questions, %d hits alike", len(turns), len(questions), hits)
}

func owner(store string) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: store, Taint: acl.Public}}
}

// fill imports the turns and embeds them.
func fill(t *testing.T, storage memory.Storage, embedder embed.Embedder, turns []turn) *memory.Service {
	t.Helper()
	service, err := memory.New(t.Context(), storage, memory.Options{Models: []memory.Model{{
		Embedder: embedder, Local: true,
		Open: func(context.Context) (vector.Index, error) { return flat.New(embedder.Dim()), nil },
	}}})
	if err != nil {
		t.Fatal(err)
	}
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
	return service
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
