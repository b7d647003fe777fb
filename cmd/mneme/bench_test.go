package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mneme/benchmarks/relevance"
	"mneme/memory"
)

func TestBenchRelevanceMeasuresEachLeg(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"corpus.jsonl": `{"_id":"d1","title":"Bees","text":"The eastern hive swarmed in June.","store":"s1"}
{"_id":"d2","title":"","text":"The boiler loses pressure in autumn.","store":"s1"}
{"_id":"d3","title":"","text":"The eastern hive swarmed in June.","store":"s2"}
`,
		"queries.jsonl": `{"_id":"q1","text":"When did the hive swarm?","store":"s1"}
{"_id":"q2","text":"What is wrong with the boiler?","store":"s1"}
`,
		"qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runFile, jsonFile := filepath.Join(dir, "run.trec"), filepath.Join(dir, "figures.json")
	table := must(t, "", "", "bench", "relevance", "--data", dir, "--run", runFile, "--json", jsonFile)
	if strings.Count(table, "1.0000") < 3 {
		t.Errorf("got\n%s", table)
	}
	text, err := os.ReadFile(jsonFile)
	if err != nil {
		t.Fatal(err)
	}
	report := decode[relevanceReport](t, string(text))
	for _, leg := range benchLegs {
		if m := report.Legs[leg]; m.Queries != 2 || m.NDCG10 != 1 {
			t.Errorf("%s: got %+v", leg, m)
		}
	}
	f, err := os.Open(runFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	run, err := relevance.ReadRun(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(run["q1"]) == 0 || run["q1"][0].ID != "d1" {
		t.Errorf("got %+v", run)
	}
	for _, one := range run["q1"] {
		if one.ID == "d3" {
			t.Error("a question found something beyond its store")
		}
	}
}

func TestRunKeepsTheOrderOfTies(t *testing.T) {
	var hits []memory.Hit
	for _, key := range []string{"a", "b", "c"} {
		hit := memory.Hit{Score: 1. / 61}
		hit.Key = key
		hits = append(hits, hit)
	}
	run := scored(hits)
	for i := 1; i < len(run); i++ {
		if float32(run[i].Score) >= float32(run[i-1].Score) {
			t.Errorf("got %+v", run)
		}
	}
}

func TestBenchSpeedReportsEveryStep(t *testing.T) {
	report := decode[speedReport](t, must(t, "", "", "bench", "speed", "--entries", "50", "--stores", "7", "--questions", "5", "--json"))
	if report.Entries != 50 || report.DiskBytes == 0 || report.HeapBytes == 0 || report.Embedder == "" {
		t.Errorf("got %+v", report)
	}
	for _, step := range speedSteps {
		if s := report.Steps[step]; s.P50 <= 0 || s.P99 < s.P50 {
			t.Errorf("%s: got %+v", step, s)
		}
	}
}

func TestQuantileIsTheSmallestThatCovers(t *testing.T) {
	var all []time.Duration
	for i := range 100 {
		all = append(all, time.Duration(i+1)*time.Millisecond)
	}
	if p50, p99 := quantile(all, .5), quantile(all, .99); p50 != 50 || p99 != 99 {
		t.Errorf("got %g, %g", p50, p99)
	}
	if one := quantile(all[:1], .99); one != 1 {
		t.Errorf("got %g", one)
	}
}

func TestGeneratedMemoriesAreTheSameForASeed(t *testing.T) {
	one, again := newMemory(1, 5), newMemory(1, 5)
	if one != again || one == newMemory(2, 5) || one == newMemory(1, 6) {
		t.Error("a seed and a number do not decide")
	}
}
