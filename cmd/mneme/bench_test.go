package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/milvus-io/milvus-sdk-go/v2/client"

	"mneme/benchmarks/load"
	"mneme/benchmarks/relevance"
	"mneme/benchmarks/speed"
)

func TestBenchRelevanceMeasuresEachLeg(t *testing.T) {
	t.Parallel()
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
	out := t.TempDir()
	jsonFile, page := filepath.Join(out, "figures.json"), filepath.Join(out, "page.html")
	args := []string{"bench", "relevance", "--data", dir, "--runs", out, "--json", jsonFile, "--html", page, "--cache", filepath.Join(out, "cache"), "--wrong-store"}
	table := must(t, "", "", args...)
	if strings.Count(table, "1.0000") < 3 || strings.Contains(table, "found instead") {
		t.Errorf("got\n%s", table)
	}
	set := filepath.Base(dir)
	first := decode[relevance.Report](t, readFile(t, jsonFile))
	for _, run := range first.Sets[0].Runs {
		if m := run.Metrics; m.Queries != 2 || m.NDCG10 != 1 {
			t.Errorf("%s: got %+v", run.Name, m)
		}
	}
	if first.Vectors.Embedded == 0 || first.Sets[0].Nothing[0].Kind != relevance.KindWrongStore {
		t.Errorf("got %+v", first)
	}
	if html := readFile(t, page); !strings.Contains(html, set) || !strings.Contains(html, "<svg") {
		t.Errorf("got\n%s", html)
	}
	runFile := filepath.Join(out, set+".relevance.trec")
	run, tag, err := relevance.ReadRun(runFile)
	if err != nil || tag != "mneme-relevance" {
		t.Fatal(err, tag)
	}
	if len(run["q1"]) == 0 || run["q1"][0].ID != "d1" {
		t.Errorf("got %+v", run)
	}
	for _, one := range run["q1"] {
		if one.ID == "d3" {
			t.Error("a query found a document of another store")
		}
	}

	// The second run embeds nothing and reports the same. A run that was written and read
	// again gives the same measurements.
	must(t, "", "", append(args, "--run-in", runFile)...)
	second := decode[relevance.Report](t, readFile(t, jsonFile))
	if second.Vectors.Embedded != 0 || second.Vectors.Reused == 0 {
		t.Errorf("the second run: %+v", second.Vectors)
	}
	runs := second.Sets[0].Runs
	if len(runs) != 5 || runs[4].Name != "mneme-relevance" || !runs[4].Imported || runs[4].Metrics != runs[3].Metrics {
		t.Errorf("got %+v", runs)
	}
	if !reflect.DeepEqual(runs[:4], first.Sets[0].Runs) {
		t.Errorf("got %+v, then %+v", first.Sets[0].Runs, runs)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Without arguments the command measures the built-in samples. With a reranking service
// configured, the report shows the ranking with and without it.
func TestBenchRelevanceMeasuresTheReranker(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Texts []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		items := make([]map[string]any, len(asked.Texts))
		for i, text := range asked.Texts {
			items[i] = map[string]any{"index": i, "score": 0.001}
			if strings.Contains(text, "boiler") { // whatever the question
				items[i]["score"] = 0.999
			}
		}
		_ = json.NewEncoder(w).Encode(items)
	}))
	t.Cleanup(service.Close)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"corpus.jsonl":  "{\"_id\":\"d1\",\"text\":\"The eastern hive swarmed in June.\"}\n{\"_id\":\"d2\",\"text\":\"The boiler loses pressure in autumn.\"}\n",
		"queries.jsonl": "{\"_id\":\"q1\",\"text\":\"When did the hive swarm?\"}\n",
		"qrels.tsv":     "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
		"mneme.yaml":    "rerank:\n  url: " + service.URL + "/rerank\n  timeout: 10m\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runs := filepath.Join(dir, "runs")
	args := []string{"bench", "relevance", "--config", filepath.Join(dir, "mneme.yaml"), "--data", dir, "--no-cache", "--runs", runs, "--json", "-"}
	report := decode[relevance.Report](t, firstLine(must(t, "", "", args...)))
	found := make(map[string]float64)
	for _, run := range report.Sets[0].Runs {
		found[run.Name] = run.Metrics.NDCG10
		if run.Imported {
			t.Errorf("%s is imported", run.Name)
		}
	}
	if report.Reranker != "tei" || len(found) != 5 || found[relevance.SystemRelevance] != 1 || found[relevance.SystemRerank] <= 0 || found[relevance.SystemRerank] >= 1 {
		t.Errorf("reranker %s, nDCG@10 %v", report.Reranker, found)
	}
	if _, err := os.Stat(filepath.Join(runs, filepath.Base(dir)+".rerank.trec")); err != nil {
		t.Error(err)
	}
	table := must(t, "", "", args[:len(args)-4]...)
	if !strings.Contains(table, "rerank is relevance with tei") {
		t.Errorf("got\n%s", table)
	}
	down.Store(true)
	if r := mneme(t, "", "", args...); r.status != exitFailed || !strings.Contains(r.err, "the reranking service failed") {
		t.Errorf("got %+v", r)
	}
}

func TestBenchRelevanceMeasuresTheSamples(t *testing.T) {
	t.Parallel()
	report := decode[relevance.Report](t, firstLine(must(t, "", "", "bench", "relevance", "--no-cache", "--json", "-")))
	set := report.Sets[0]
	if set.Queries < 40 || len(set.Slices) == 0 || len(set.Nothing) != 2 || set.Reliability.Count == 0 {
		t.Errorf("got %+v", set)
	}
	for _, run := range set.Runs {
		if run.Metrics.NDCG10 < .8 {
			t.Errorf("%s: got %+v", run.Name, run.Metrics)
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func TestBenchRelevanceRejectsInvalidFlags(t *testing.T) {
	adi := filepath.Join("testdata", "none")
	for _, args := range [][]string{
		{"--data-dir", t.TempDir()}, {"--cache", "x", "--no-cache"}, {"--losses", "-1"},
		{"--run", "x", "--data", adi, "--data", adi + "2"},
	} {
		if r := mneme(t, "", "", append([]string{"bench", "relevance"}, args...)...); r.status != exitUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
	}
}

// On servers the benchmark runs in a sandbox that it removes, so that it leaves nothing in
// a database of memories.
func TestBenchRelevanceCleansUpServers(t *testing.T) {
	dsn, addr := benchServers(t)
	t.Setenv("MNEME_POSTGRES_DSN", dsn)
	t.Setenv("MNEME_MILVUS_ADDR", addr)
	before := leftOnServers(t, dsn, addr)
	report := decode[relevance.Report](t, firstLine(must(t, "", "", "bench", "relevance", "--no-cache", "--json", "-", "--storage", "postgres", "--vector", "milvus")))
	if report.Backend != "postgres+milvus" || report.Sets[0].Runs[3].Metrics.NDCG10 < .9 {
		t.Errorf("got %+v", report)
	}
	if after := leftOnServers(t, dsn, addr); !slices.Equal(after, before) {
		t.Errorf("the servers hold %v, before the run %v", after, before)
	}
}

func TestBenchSpeedMeasuresEverySizeAndStep(t *testing.T) {
	t.Parallel()
	report := decode[speed.Report](t, must(t, "", "", "bench", "speed", "--backends", "sqlite+flat", "--vectors", "model",
		"--entries", "50,20", "--stores", "7", "--questions", "5", "--program", binary, "--json"))
	if len(report.Cases) != 2 || report.Cases[0].Entries != 20 || report.Cases[1].Entries != 50 {
		t.Fatalf("got %+v, want the sizes 20 and 50", report)
	}
	if report.Vectors != speed.VectorsModel || report.Model.TextsPerS <= 0 || report.Model.Fingerprint == "" {
		t.Errorf("got %+v", report)
	}
	for _, c := range report.Cases {
		checkCase(t, c, "sqlite+flat")
		for _, scope := range c.Scopes {
			if scope.Recall != nil {
				t.Errorf("recall %+v is reported for an exact index", scope)
			}
		}
	}
}

func checkCase(t *testing.T, c speed.Case, backend string) {
	t.Helper()
	if c.Backend != backend || c.WriteS <= 0 || c.VectorsS <= 0 || c.DiskBytes == 0 || c.HeapBytes == 0 || c.Degraded > 0 {
		t.Errorf("got %+v", c)
	}
	if c.Put.P50 <= 0 || c.Put.P99 < c.Put.P50 || c.ReadyMS <= 0 {
		t.Errorf("a write took %+v, a start %g ms", c.Put, c.ReadyMS)
	}
	for _, step := range []string{"embed", "lexical", "vector", "fetch", "total", speed.WithoutEmbedding} {
		// The clock of Windows may not advance during a step.
		if s := c.Steps[step]; s.P50 < 0 || s.P50 == 0 && runtime.GOOS != "windows" || s.P99 < s.P50 {
			t.Errorf("%s: got %+v", step, s)
		}
	}
	percents := []int{1, 10, 100}
	if len(c.Scopes) != len(percents) {
		t.Fatalf("got the scopes %+v", c.Scopes)
	}
	for i, scope := range c.Scopes {
		if scope.Percent != percents[i] || scope.Stores < 1 || scope.Search.P50 <= 0 {
			t.Errorf("got %+v", scope)
		}
	}
}

// The benchmark drops its schemas and collections when it ends, even if it was
// interrupted.
func TestBenchSpeedCleansUpServers(t *testing.T) {
	dsn, addr := benchServers(t)
	args := []string{
		"bench", "speed", "--backends", "postgres+milvus", "--vectors", "model",
		"--entries", "60", "--stores", "3", "--questions", "5", "--program", binary, "--json",
	}
	t.Setenv("MNEME_POSTGRES_DSN", dsn)
	t.Setenv("MNEME_MILVUS_ADDR", addr)
	before := leftOnServers(t, dsn, addr)
	report := decode[speed.Report](t, must(t, "", "", args...))
	if len(report.Cases) != 1 {
		t.Fatalf("got %+v", report)
	}
	checkCase(t, report.Cases[0], "postgres+milvus")
	for _, scope := range report.Cases[0].Scopes {
		// Milvus scans so few vectors instead of searching a graph.
		if scope.Recall == nil || scope.Recall.At10 < .99 || scope.Recall.At200 < .99 {
			t.Errorf("got %+v", scope)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		defer interrupt()
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			// The collection is created after the schema, so both exist.
			if t.Context().Err() != nil || len(leftOnServers(t, dsn, addr)) >= len(before)+2 {
				return
			}
		}
	}()
	args[slices.Index(args, "60")] = "20000" // enough that it is interrupted long before it ends
	if r := mnemeUntil(ctx, "", "", args...); r.status != exitFailed || !strings.Contains(r.err, "interrupted") {
		t.Errorf("status %d\n%s", r.status, r.err)
	}
	if after := leftOnServers(t, dsn, addr); !slices.Equal(after, before) {
		t.Errorf("the servers hold %v, before the runs %v", after, before)
	}
}

// The servers to test with. TestMain removes these variables from the environment.
var benchDSN, benchAddr = os.Getenv("MNEME_POSTGRES_DSN"), os.Getenv("MNEME_MILVUS_ADDR")

func benchServers(t *testing.T) (dsn, addr string) {
	t.Helper()
	if benchDSN == "" || benchAddr == "" {
		const missing = "MNEME_POSTGRES_DSN or MNEME_MILVUS_ADDR is not set"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return benchDSN, benchAddr
}

// leftOnServers returns the names of the benchmark's schemas and collections on
// the servers. It may be called from any goroutine.
func leftOnServers(t *testing.T, dsn, addr string) []string {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'mneme\\_bench\\_%' ORDER BY 1")
	if err != nil {
		t.Error(err)
		return nil
	}
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Error(err)
	}
	milvus, err := client.NewClient(ctx, client.Config{Address: addr})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer milvus.Close()
	collections, err := milvus.ListCollections(ctx)
	if err != nil {
		t.Error(err)
	}
	for _, c := range collections {
		if strings.HasPrefix(c.Name, "mneme_bench_") {
			left = append(left, c.Name)
		}
	}
	slices.Sort(left)
	return left
}

func TestBenchSpeedRejectsInvalidFlags(t *testing.T) {
	for _, args := range [][]string{
		{"--entries", "0"}, {"--stores", "0"}, {"--questions", "-1"}, {"--vectors", "none"},
		{"--backends", "sqlite"}, {"--backends", "sqlite+flat,mysql+flat"},
	} {
		if r := mneme(t, "", "", append([]string{"bench", "speed"}, args...)...); r.status != exitUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
	}
}

// The server runs in a process of its own, and callers use REST.
func TestBenchLoadMeasuresEachNumberOfCallers(t *testing.T) {
	t.Parallel()
	report := decode[load.Report](t, must(t, "", "", "bench", "load", "--callers", "3,1", "--searches", "12", "--program", binary, "--json"))
	if len(report.Cases) != 2 || report.Cases[0].Callers != 1 || report.Cases[1].Callers != 3 {
		t.Fatalf("got %+v, want 1 and 3 callers", report)
	}
	for _, c := range report.Cases {
		for _, l := range []load.Load{c.First, c.Again} {
			if l.Searches != 12 || l.PerS <= 0 || l.P50 <= 0 || l.P95 < l.P50 || l.P99 < l.P95 || l.SlowestToFastest < l.SlowestToMedian || l.Degraded > 0 || l.Refused > 0 {
				t.Errorf("%d callers: got %+v", c.Callers, l)
			}
		}
	}
}

func TestBenchLoadAsksAsOftenOfEachCaller(t *testing.T) {
	t.Parallel()
	report := decode[load.Report](t, must(t, "", "", "bench", "load", "--callers", "1,3", "--each", "4", "--program", binary, "--json"))
	for _, c := range report.Cases {
		if c.First.Searches != 4*c.Callers || c.Again.Searches != 4*c.Callers {
			t.Errorf("%d callers: got %+v, want 4 searches of each", c.Callers, c)
		}
	}
	if len(report.Cases) != 2 {
		t.Errorf("got %d cases, want 2", len(report.Cases))
	}
}

func TestBenchLoadRejectsInvalidFlags(t *testing.T) {
	for _, args := range [][]string{{"--callers", "0"}, {"--callers", ""}, {"--searches", "0"}, {"--each", "-1"}, {"--data-dir", t.TempDir()}} {
		if r := mneme(t, "", "", append([]string{"bench", "load"}, args...)...); r.status != exitUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
	}
}

func TestBenchLoadSaysWhyTheServerDidNotStart(t *testing.T) {
	fails := "/bin/false"
	if runtime.GOOS == "windows" {
		fails = "reg.exe" // it ignores serve and its flags
	}
	if r := mneme(t, "", "", "bench", "load", "--program", fails); r.status != exitFailed || !strings.Contains(r.err, "the server did not start") {
		t.Errorf("got %+v", r)
	}
}
