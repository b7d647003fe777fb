package relevance

import (
	"encoding/json"
	"flag"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"mneme/benchmarks/harness"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/memory"
)

// fixedReport is a report on the runs defined here.
func fixedReport(t *testing.T) Report {
	t.Helper()
	dataset, err := Load(write(t, map[string]string{
		"corpus.jsonl": `{"_id":"d1","title":"Bees","text":"The eastern hive swarmed.","store":"a"}
{"_id":"d2","text":"The boiler <loses> pressure.","store":"a"}
{"_id":"d3","text":"Paper goes out on Tuesday.","store":"b"}
`,
		"queries.jsonl": `{"_id":"q1","text":"Which hive swarmed?","store":"a","category":"name"}
{"_id":"q2","text":"Why is it cold & damp?","store":"a","category":"cause"}
{"_id":"q3","text":"When is the paper collected?","store":"b"}
{"_id":"q4","text":"Nobody judged this.","store":"b"}
`,
		"qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\nq2\td2\t1\nq3\td3\t1\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	dataset.Name = "fixed"
	set := &Set{Dataset: dataset}
	rankings := map[string][]found{
		"q1": {{"d1", 3, .9}, {"d2", 2, .4}}, "q2": {{"d1", 3, .5}, {"d2", 2, .3}}, "q3": {{"d3", 3, .7}},
	}
	first, second := Run{}, Run{}
	for query, hits := range rankings {
		first[query] = scored(hits)
		second[query] = scored(hits[len(hits)-1:])
	}
	other := Run{"q2": {{"d2", 1}}, "q3": {{"unknown", 2}, {"d3", 1}}}
	b := Benchmark{Slices: []string{"category", SliceStoreSize}, Changes: 2, Seed: 1}
	return Report{
		Embedder: "fake/v1", Backend: "sqlite+flat", Seed: 1,
		Sets: []SetReport{b.evaluate(set, &answers{
			runs: []NamedRun{
				{SystemLexical, second}, {SystemVector, Run{"q1": first["q1"]}}, {SystemRRF, second}, {SystemRelevance, first}, {"other", other},
			},
			byRelevance: rankings, unanswerable: []float64{-1, .2, .6}, wrongStore: []float64{.1, .1, .1},
		})},
	}
}

// golden compares text with a file, which go test -update writes.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s differs; got\n%s", path, text)
	}
}

func TestReportMatchesGolden(t *testing.T) {
	report := fixedReport(t)
	var table strings.Builder
	if err := report.WriteTable(&table, true); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "table.txt"), table.String())
	text, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	// The last bits of a sum depend on the processor.
	rounded := regexp.MustCompile(`(\.\d{9})\d+`).ReplaceAllString(string(text), "$1")
	golden(t, filepath.Join("testdata", "report.json"), rounded+"\n")
}

func TestTableOfSeveralSetsEndsWithTheirMeans(t *testing.T) {
	report := fixedReport(t)
	second := report.Sets[0]
	second.Name = "second"
	report.Sets = append(report.Sets, second)
	var table strings.Builder
	if err := report.WriteTable(&table, false); err != nil {
		t.Fatal(err)
	}
	_, means, ok := strings.Cut(table.String(), "nDCG@10 of 2 datasets\n")
	lines := strings.Split(strings.TrimSpace(means), "\n")
	if !ok || len(lines) != 4 || !strings.Contains(lines[3], "mean") {
		t.Errorf("got\n%s", means)
	}
	if strings.Contains(table.String(), "found instead") {
		t.Error("the table shows losses")
	}
}

func TestScoredKeepsOrderAndScores(t *testing.T) {
	run := scored([]found{{"a", 7.25, 0}, {"b", 1. / 61, 0}, {"c", 1. / 61, 0}, {"d", 3, 0}, {"e", -2, 0}})
	for i := 1; i < len(run); i++ {
		if float32(run[i].Score) >= float32(run[i-1].Score) {
			t.Errorf("got %+v", run)
		}
	}
	if run[0].Score != 7.25 || run[1].Score != 1./61 || math.Abs(run[2].Score-1./61) > 1e-8 || run[4].Score != -2 {
		t.Errorf("got %+v", run)
	}
}

func TestNothingFindsThePointsAndTheArea(t *testing.T) {
	answers, qrels := make(map[string][]found), Qrels{}
	for i := range 20 { // relevance .05 to 1; the last question does not find its answer
		id := string(rune('a' + i))
		answers[id] = []found{{id, 1, float64(i+1) / 20}, {"x", 1, 0}}
		qrels[id] = map[string]int{id: 1}
	}
	qrels["t"] = map[string]int{"y": 1}
	n := nothing(KindUnanswerable, qrels, answers, []float64{-1, .075, .1, .2})
	if n.Answerable != 20 || n.Found != 19 || n.Unanswerable != 4 || len(n.Curve) != 101 {
		t.Errorf("got %+v", n)
	}
	if n.At95.Threshold != .1 || math.Abs(n.At95.KeptAny-.95) > 1e-12 || n.At95.Empty != .5 {
		t.Errorf("got %+v", n.At95)
	}
	if n.At95Relevant.Threshold != .05 || n.At95Relevant.KeptRelevant != 1 {
		t.Errorf("19 questions, of which none may be lost: got %+v", n.At95Relevant)
	}
	// By hand: 20 exceed −1, 19 exceed .075, 18 exceed .1 and one ties, 16 exceed .2
	// and one ties.
	if want := (20 + 19 + 18.5 + 16.5) / 80; math.Abs(n.AUC-want) > 1e-12 {
		t.Errorf("AUC %g, want %g", n.AUC, want)
	}
	if first, last := n.Curve[0], n.Curve[100]; first.KeptAny != 1 || first.Empty != .25 || last.Empty != 1 || last.KeptAny != .05 {
		t.Errorf("got %+v and %+v", first, last)
	}
}

func TestQuestionsAreAskedOfOtherStoresInTurn(t *testing.T) {
	stores := []string{"a", "b", "c"}
	var asked []string
	for i := range 4 {
		asked = append(asked, otherStore(stores, "b", i))
	}
	if !reflect.DeepEqual(asked, []string{"c", "a", "c", "a"}) {
		t.Errorf("got %v", asked)
	}
}

// openSandbox opens an instance without entries, and returns its configuration too.
func openSandbox(t *testing.T) (configs.Config, *compose.Instance) {
	t.Helper()
	embedders, err := compose.OpenEmbedders(configs.Default())
	if err != nil {
		t.Fatal(err)
	}
	sandbox, err := harness.NewSandbox(t.Context(), configs.Default(), embedders)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sandbox.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	})
	log := slog.New(slog.DiscardHandler)
	models, err := sandbox.Models(log)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := sandbox.Open(t.Context(), models, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := instance.Close(); err != nil {
			t.Error(err)
		}
	})
	return sandbox.Config, instance
}

// A question that first switches a store to the multilingual model would be measured
// while the store's entries wait for its vectors.
func TestNoQuestionMakesEntriesWaitForVectors(t *testing.T) {
	const german = "Wann kommt der Nachtzug denn an?"
	for name, set := range map[string]*Set{
		"wrong store":  {WrongStore: true},
		"unanswerable": {Unanswerable: []Query{{ID: "u", Text: german, Store: "english"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			set.Dataset, err = Load(write(t, map[string]string{
				"corpus.jsonl": `{"_id":"d1","text":"The night train arrives after midnight.","store":"english"}
{"_id":"d2","text":"Der Nachtzug kommt erst nach Mitternacht an.","store":"german"}
`,
				"queries.jsonl": `{"_id":"q1","text":"When does the night train arrive?","store":"english"}
{"_id":"q2","text":"` + german + `","store":"german"}
`,
				"qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n",
			}))
			if err != nil {
				t.Fatal(err)
			}
			config, instance := openSandbox(t)
			b := Benchmark{Log: slog.New(slog.DiscardHandler)}
			if _, err := b.measureOn(t.Context(), config, instance, set); err != nil {
				t.Fatal(err)
			}
			if waiting := instance.Status(t.Context()).Queue; waiting != 0 {
				t.Errorf("%d entries wait for their vectors", waiting)
			}
		})
	}
}

func TestAHitThatIsNoDocumentIsAnError(t *testing.T) {
	config, instance := openSandbox(t)
	b := Benchmark{Log: slog.New(slog.DiscardHandler)}
	set := &Set{Dataset: &Dataset{Documents: []Document{{ID: "d", Text: "The night train arrives after midnight."}}}}
	if err := b.load(t.Context(), instance, set); err != nil {
		t.Fatal(err)
	}
	s := newSearcher(config, instance, b.Log)
	if hits, err := s.search(t.Context(), SystemLexical, "", "train", set.ids()); err != nil || len(hits) != 1 || hits[0].id != "d" {
		t.Errorf("got %v and the error %v", hits, err)
	}
	if hits, err := s.search(t.Context(), SystemLexical, "", "train", map[memory.Path]string{}); err == nil {
		t.Errorf("got %v", hits)
	}
}

func TestSizeRanges(t *testing.T) {
	for n, want := range map[int]string{1: "1 document", 4: "2–4 documents", 5: "5–9 documents", 199: "100–199 documents", 200: "200–499 documents", 5000: "5000–9999 documents"} {
		if _, got := sizeRange(n); got != want {
			t.Errorf("%d: got %s", n, got)
		}
	}
}

func TestBenchmarkRejectsIndistinguishableRuns(t *testing.T) {
	dataset := func(category string) *Dataset {
		return &Dataset{
			Name: "set", Qrels: Qrels{"q": {"d": 1}}, documents: map[string]int{"d": 0},
			Queries: []Query{{ID: "q", fields: map[string]string{"category": category}}},
		}
	}
	many := dataset("")
	for i := range maxSlices + 1 {
		many.Queries = append(many.Queries, Query{fields: map[string]string{"category": strings.Repeat("x", i)}})
	}
	run := func(name, query string) NamedRun { return NamedRun{name, Run{query: {{"d", 1}}}} }
	for want, b := range map[string]Benchmark{
		"two datasets are called": {Sets: []*Set{{Dataset: dataset("")}, {Dataset: dataset("")}}},
		"two runs are called":     {Sets: []*Set{{Dataset: dataset(""), Imported: []NamedRun{run("a", "q"), run("a", "q")}}}},
		"two runs are called rrf": {Sets: []*Set{{Dataset: dataset(""), Imported: []NamedRun{run("rrf", "q")}}}},
		"none of the judged":      {Sets: []*Set{{Dataset: dataset(""), Imported: []NamedRun{run("a", "z")}}}},
		`no query has the field`:  {Sets: []*Set{{Dataset: dataset("")}}, Slices: []string{"none"}},
		"51 values, more than 50": {Sets: []*Set{{Dataset: many}}, Slices: []string{"category"}},
		"":                        {Sets: []*Set{{Dataset: dataset("x"), Imported: []NamedRun{run("a", "q")}}}, Slices: []string{"category"}},
	} {
		err := b.check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestTheSamplesCoverEveryMemory(t *testing.T) {
	set, _, err := Samples()
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Qrels.Answerable()) < 40 || len(set.Unanswerable) < 10 {
		t.Errorf("%d answerable, %d unanswerable", len(set.Qrels.Answerable()), len(set.Unanswerable))
	}
	asked := make(map[string]bool)
	for _, query := range set.Qrels.Answerable() {
		store := set.Queries[set.queries[query]].Store
		for _, document := range set.Qrels.relevant(query) {
			asked[document] = true
			if !strings.HasPrefix(document, store+"/") {
				t.Errorf("%s: %s is in another store", query, document)
			}
		}
	}
	for _, d := range set.Documents {
		if !asked[d.ID] {
			t.Errorf("no question about %s", d.ID)
		}
	}
}

func TestPairsPutRelevanceFirst(t *testing.T) {
	want := [][2]int{{3, 0}, {3, 1}, {3, 2}, {3, 4}, {1, 0}, {2, 0}, {2, 1}, {4, 0}, {4, 1}, {4, 2}}
	if got := pairs(5); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

// The mean of each interval in the report is the value of its measure.
func TestIntervalsIncludeTheirMeans(t *testing.T) {
	for _, run := range fixedReport(t).Sets[0].Runs {
		for _, m := range Measures {
			if e := run.Intervals[m.Key]; math.Abs(e.Mean-m.Of(run.Metrics)) > 1e-12 || e.Low > e.Mean || e.High < e.Mean {
				t.Errorf("%s %s: got %+v, want %g", run.Name, m.Name, e, m.Of(run.Metrics))
			}
		}
	}
}
