package relevance_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mneme/benchmarks/relevance"
	"mneme/lexical"
	"mneme/test/size"
)

var update = flag.Bool("update", false, "write the measured figures to testdata/lexical.json")

// shared returns the folder of the datasets, which are not part of the repository.
// Without them a test is skipped, or fails if CI is set.
func shared(t testing.TB) string {
	t.Helper()
	root := os.Getenv("MNEME_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(root, "data")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no datasets: MNEME_SHARED must name the parent of their folder, data: %v", err)
		}
		t.Skip("no datasets: MNEME_SHARED must name the parent of their folder, data")
	}
	return dir
}

// figures are the measures of one dataset or language.
type figures struct {
	NDCG10    float64 `json:"ndcg_10"`
	Recall10  float64 `json:"recall_10"`
	Recall100 float64 `json:"recall_100"`
	MRR10     float64 `json:"mrr_10"`
	MAP       float64 `json:"map"`
}

// tolerance allows for rounding, but not for a change in relevance.
const tolerance = 0.002

// TestLexicalRelevanceIsAsRecorded ranks all documents of each dataset with the lexical
// leg's analyzer and scorer. A change in relevance shows in the diff of
// testdata/lexical.json (go test ./benchmarks/relevance -run Recorded -update). Only full
// runs include scifact, which has half of all text: cranfield covers scientific abstracts
// too.
func TestLexicalRelevanceIsAsRecorded(t *testing.T) {
	dir := shared(t)
	got := make(map[string]figures)
	names := []string{"locomo", "cranfield", "npl", "adi", "scifact"}
	left := 0
	if !size.Full() && !*update {
		left = 1
	}
	for _, name := range names[:len(names)-left] {
		dataset := load(t, dir, name)
		got[name] = judge(dataset.Qrels, rank(dataset, false))
		if name == "locomo" {
			got[name+", keys searched too"] = judge(dataset.Qrels, rank(dataset, true))
		}
	}
	dataset := load(t, dir, "xquad-r-dev")
	run := rank(dataset, false)
	for _, language := range []string{"es", "zh", "ar"} {
		qrels := relevance.Qrels{}
		for _, query := range dataset.Queries {
			if query.Store == language {
				qrels[query.ID] = dataset.Qrels[query.ID]
			}
		}
		got["xquad-r-dev "+language] = judge(qrels, run)
	}

	path := filepath.Join("testdata", "lexical.json")
	if *update {
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]figures
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(got)+left != len(want) {
		t.Errorf("measured %d sets, recorded %d", len(got)+left, len(want))
	}
	for name, g := range got {
		w := want[name]
		t.Logf("%-24s nDCG@10 %.3f  Recall@10 %.3f  Recall@100 %.3f  MRR@10 %.3f  MAP %.3f",
			name, g.NDCG10, g.Recall10, g.Recall100, g.MRR10, g.MAP)
		for _, d := range []float64{g.NDCG10 - w.NDCG10, g.Recall10 - w.Recall10, g.Recall100 - w.Recall100, g.MRR10 - w.MRR10, g.MAP - w.MAP} {
			if math.Abs(d) > tolerance {
				t.Errorf("%s: measured %+v, recorded %+v", name, g, w)
				break
			}
		}
	}
}

func load(t testing.TB, dir, name string) *relevance.Dataset {
	t.Helper()
	dataset, err := relevance.Load(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return dataset
}

func judge(qrels relevance.Qrels, run relevance.Run) figures {
	m := relevance.Evaluate(qrels, run)
	round := func(x float64) float64 { return math.Round(x*1000) / 1000 }
	return figures{round(m.NDCG10), round(m.Recall10), round(m.Recall100), round(m.MRR10), round(m.MAP)}
}

// store is an in-memory lexical index of one store.
type store struct {
	ids      []string
	lengths  []int
	stats    lexical.Stats
	postings map[string][]posting
}

type posting struct{ document, count int }

// rank scores all documents of each query's store, and keeps the first thousand.
func rank(dataset *relevance.Dataset, keys bool) relevance.Run {
	stores := make(map[string]*store)
	for _, document := range dataset.Documents {
		s := stores[document.Store]
		if s == nil {
			s = &store{postings: make(map[string][]posting)}
			stores[document.Store] = s
		}
		fields := []string{document.Body()}
		if keys {
			fields = append(fields, lexical.KeyWords(document.ID))
		}
		doc := lexical.Analyze(fields...)
		for _, term := range doc.Terms {
			s.postings[term.Text] = append(s.postings[term.Text], posting{len(s.ids), term.Count})
		}
		s.ids = append(s.ids, document.ID)
		s.lengths = append(s.lengths, doc.Length)
		s.stats.Documents++
		s.stats.Length += int64(doc.Length)
	}
	run := make(relevance.Run)
	for _, query := range dataset.Queries {
		if s := stores[query.Store]; s != nil {
			run[query.ID] = s.search(query.Text)
		}
	}
	return run
}

func (s *store) search(question string) []relevance.Scored {
	terms := lexical.ParseQuery(question)
	df := make([]int64, len(terms))
	for i, term := range terms {
		df[i] = int64(len(s.postings[term.Text]))
	}
	scorer := lexical.NewScorer(s.stats, terms, df)
	counts := make(map[int][]int)
	for i, term := range terms {
		for _, p := range s.postings[term.Text] {
			if counts[p.document] == nil {
				counts[p.document] = make([]int, len(terms))
			}
			counts[p.document][i] = p.count
		}
	}
	answer := make([]relevance.Scored, 0, len(counts))
	for document, of := range counts {
		answer = append(answer, relevance.Scored{ID: s.ids[document], Score: scorer.Score(of, s.lengths[document])})
	}
	slices.SortFunc(answer, func(x, y relevance.Scored) int {
		if c := cmp.Compare(y.Score, x.Score); c != 0 {
			return c
		}
		return strings.Compare(y.ID, x.ID)
	})
	return answer[:min(len(answer), 1000)]
}

// BenchmarkAnalyze measures text analysis on real documents.
func BenchmarkAnalyze(b *testing.B) {
	dir := shared(b)
	for _, name := range []string{"locomo", "scifact", "xquad-r-dev"} {
		b.Run(name, func(b *testing.B) {
			dataset := load(b, dir, name)
			size := 0
			for _, document := range dataset.Documents {
				size += len(document.Body())
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, document := range dataset.Documents {
					lexical.Analyze(document.Body())
				}
			}
		})
	}
}
