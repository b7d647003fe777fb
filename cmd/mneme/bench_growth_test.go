package main

import (
	"path/filepath"
	"strings"
	"testing"

	"mneme/benchmarks/speed"
)

// A backend that fails, here for lack of a server, does not lose the cases of the others.
// Reports are drawn again, together, without measuring.
func TestBenchGrowthKeepsFinishedCasesAndDrawsThemAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept, plot := filepath.Join(dir, "growth.json"), filepath.Join(dir, "growth.svg")
	r := mneme(t, "", "", "bench", "growth", "--backends", "postgres+flat,sqlite+flat", "--entries", "60,30", "--stores", "3", "--each", "10",
		"--questions", "5", "--program", binary, "--report", kept, "--plot", plot, "--json")
	if r.status != exitUsage || !strings.Contains(r.err, "postgres+flat with 30 entries in 1 store") {
		t.Errorf("status %d\n%s", r.status, r.err)
	}
	report := decode[speed.Report](t, r.out)
	if len(report.Cases) != 3 {
		t.Fatalf("got %+v", report)
	}
	for i, want := range []speed.Shape{{Stores: 1, Entries: 30}, {Stores: 1, Entries: 60}, {Stores: 3, Entries: 30}} {
		c := report.Cases[i]
		if c.Stores != want.Stores || c.Entries != want.Entries || c.Put.P50 <= 0 || c.ReadyMS <= 0 || c.Steps[speed.WithoutEmbedding].P50 <= 0 {
			t.Errorf("got %+v, want %+v", c, want)
		}
		if c.Steps[speed.WithoutEmbedding].P50 > c.Steps["total"].P50 {
			t.Errorf("without embedding a search took longer: %+v", c.Steps)
		}
	}
	if got := readFile(t, kept); got != r.out {
		t.Errorf("the file has\n%s\nnot\n%s", got, r.out)
	}
	again := filepath.Join(dir, "again.svg")
	must(t, "", "", "bench", "growth", "--from", kept, "--plot", again)
	if readFile(t, again) != readFile(t, plot) {
		t.Error("the report is drawn differently")
	}
	both := decode[speed.Report](t, must(t, "", "", "bench", "growth", "--from", kept+","+kept, "--json"))
	if len(both.Cases) != 6 {
		t.Errorf("got %d cases of two reports", len(both.Cases))
	}
}

func TestBenchGrowthRejectsInvalidFlags(t *testing.T) {
	for _, args := range [][]string{
		{"--entries", "0"}, {"--stores", "-1"}, {"--each", "0"}, {"--questions", "0"}, {"--backends", "sqlite"},
		{"--data-dir", t.TempDir()},
	} {
		if r := mneme(t, "", "", append([]string{"bench", "growth"}, args...)...); r.status != exitUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
	}
}
