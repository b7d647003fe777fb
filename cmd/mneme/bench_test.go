package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/milvus-io/milvus-sdk-go/v2/client"

	"mneme/benchmarks/relevance"
	"mneme/benchmarks/speed"
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
	report := decode[relevance.Report](t, string(text))
	for _, leg := range []string{"lexical", "vector", "fused"} {
		if m := report.Legs[leg]; m.Queries != 2 || m.NDCG10 != 1 {
			t.Errorf("%s: got %+v", leg, m)
		}
	}
	run, _, err := relevance.ReadRun(runFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(run["q1"]) == 0 || run["q1"][0].ID != "d1" {
		t.Errorf("got %+v", run)
	}
	for _, one := range run["q1"] {
		if one.ID == "d3" {
			t.Error("a query found a document of another store")
		}
	}
}

func TestBenchSpeedMeasuresEverySizeAndStep(t *testing.T) {
	report := decode[speed.Report](t, must(t, "", "", "bench", "speed", "--backends", "sqlite+flat", "--vectors", "model",
		"--entries", "50,20", "--stores", "7", "--questions", "5", "--json"))
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
	for _, step := range []string{"embed", "lexical", "vector", "fetch", "total"} {
		if s := c.Steps[step]; s.P50 <= 0 || s.P99 < s.P50 {
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

// The schemas and collections of the benchmark are dropped when it ends, even if
// it was interrupted.
func TestBenchSpeedCleansUpServers(t *testing.T) {
	dsn, addr := benchServers(t)
	args := []string{
		"bench", "speed", "--backends", "postgres+milvus", "--vectors", "model",
		"--entries", "60", "--stores", "3", "--questions", "5", "--json",
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
		// Milvus scans so few vectors instead of walking a graph.
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
			// The collection is created after the schema: both exist.
			if t.Context().Err() != nil || len(leftOnServers(t, dsn, addr)) >= len(before)+2 {
				return
			}
		}
	}()
	if r := mnemeUntil(ctx, "", "", args...); r.status != exitFailed || !strings.Contains(r.err, "interrupted") {
		t.Errorf("status %d\n%s", r.status, r.err)
	}
	if after := leftOnServers(t, dsn, addr); !slices.Equal(after, before) {
		t.Errorf("the servers hold %v, before the runs %v", after, before)
	}
}

// The servers to test with. TestMain removes the variables from the environment.
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
