package relevance

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"testing"
)

// testdata/figures.json is the output of testdata/trec_figures.py for
// testdata/qrels.tsv and testdata/run.trec (generated: graded, negative and
// missing judgements, ties, ties in single precision only, a query without
// relevant documents, one without an answer) with pytrec_eval-terrier 0.5.11,
// which is trec_eval 9 itself.
func TestEvaluateMatchesTrecEval(t *testing.T) {
	golden, err := os.ReadFile("testdata/figures.json")
	if err != nil {
		t.Fatal(err)
	}
	checkFigures(t, golden)
}

// This compares Evaluate with pytrec_eval, if it is installed, instead of its recorded
// figures.
func TestEvaluateMatchesInstalledTrecEval(t *testing.T) {
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if exec.Command(python, "-c", "import pytrec_eval").Run() != nil {
		t.Skip("no Python with PyPI's pytrec_eval-terrier (variable PYTHON chooses the interpreter)")
	}
	live, err := exec.Command(python, "testdata/trec_figures.py", "testdata/qrels.tsv", "testdata/run.trec").Output()
	if err != nil {
		t.Fatal(err)
	}
	checkFigures(t, live)
}

func checkFigures(t *testing.T, figures []byte) {
	t.Helper()
	var want Metrics
	decoder := json.NewDecoder(bytes.NewReader(figures))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&want); err != nil {
		t.Fatal(err)
	}
	qrels, err := LoadQrels("testdata/qrels.tsv")
	if err != nil {
		t.Fatal(err)
	}
	run, _, err := ReadRun("testdata/run.trec")
	if err != nil {
		t.Fatal(err)
	}
	got := Evaluate(qrels, run)
	if got.Queries != want.Queries {
		t.Errorf("%d queries, want %d", got.Queries, want.Queries)
	}
	for _, measure := range Measures {
		got, want := measure.Of(got), measure.Of(want)
		// trec_eval prints 4 digits; pytrec_eval returns doubles, which it sums in a
		// different order.
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %.12f, want %.12f", measure.Name, got, want)
		}
	}
}

func TestEqualScoresAreOrderedByDescendingID(t *testing.T) {
	// By hand: "b" ranks before "a", so the only relevant document is second.
	m, ok := EvaluateQuery(map[string]int{"a": 1}, []Scored{{"a", 1}, {"b", 1}})
	if !ok || m.MRR10 != 0.5 || m.NDCG10 != 1/math.Log2(3) {
		t.Errorf("got %+v", m)
	}
}

func TestQueriesWithoutRelevantDocumentsDoNotCount(t *testing.T) {
	m := Evaluate(Qrels{"x": {"a": 0}, "y": {"a": 1}}, Run{"x": {{"a", 1}}, "y": {{"a", 1}}})
	if m.Queries != 1 || m.NDCG10 != 1 {
		t.Errorf("got %+v", m)
	}
	if m := Evaluate(nil, nil); m != (Metrics{}) {
		t.Errorf("no judgements: got %+v", m)
	}
}

func TestRecallAllIsTheShareOfQueriesWithAllEvidence(t *testing.T) {
	answer := func(n int) (answer []Scored) {
		for i := range n {
			answer = append(answer, Scored{ID: string(rune('a' + i)), Score: -float64(i)})
		}
		return answer
	}
	m := Evaluate(
		Qrels{"all": {"a": 1, "j": 1}, "eleventh": {"a": 1, "k": 1}, "none": {"z": 1}, "first": {"a": 2}},
		Run{"all": answer(12), "eleventh": answer(12), "none": answer(12), "first": answer(1)})
	if m.RecallAll10 != .5 || m.Recall10 != (1+.5+0+1)/4 || m.Recall5 != (.5+.5+0+1)/4 {
		t.Errorf("got %+v", m)
	}
}

func TestDuplicateDocumentCountsOnce(t *testing.T) {
	m, _ := EvaluateQuery(map[string]int{"a": 1, "b": 1}, []Scored{{"a", 3}, {"a", 2}, {"b", 1}})
	if m.NDCG10 != 1 || m.MAP != 1 || m.Recall10 != 1 {
		t.Errorf("got %+v", m)
	}
}
