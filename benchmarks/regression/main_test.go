package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPageListsSlowerBenchmarksFirst(t *testing.T) {
	rows, err := parseComparison(strings.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	rows[0].TestsChanged = true
	report := Report{
		Base: commit{"1111111", "2026-01-01", "A title | with a bar"}, Head: commit{"2222222", "2026-01-02", "Another"},
		Rounds: 10, Threshold: 5, Alpha: .001, Date: time.Unix(0, 0), Processor: "some", CPUs: 2, Rows: rows,
		Left: []string{"meter/Sale$: 1111111 has no such package"},
	}
	page := report.Markdown()
	at := -1
	for _, text := range []string{
		`A title \| with a bar`, "**1 slower, 1 faster, 1 unchanged, 1 too noisy to tell.**",
		"| memory | `Put-2` | 1.00 µs ± 2% | 1.21 µs ± 3% | +20.8 % | **slower** |",
		"| embed/e5 | `Where/{\"tags\":\"a,b\"}-2` | 1.00 ms ± 0% | 500 µs ± 1% | -50.0 % | faster |",
		"| memory * | `Search/one-2` | 1.00 µs ± 2% | 1.01 µs ± 3% | ~ |  |",
		"| memory | `Get-2` | 2.00 µs ± ∞ | 2.02 µs ± 0% | +1.0 % | too noisy |",
		"| memory | `OnlyOld-2` | 5.00 ns ± 0% | – |  | not compared |",
		"- meter/Sale$: 1111111 has no such package",
	} {
		next := strings.Index(page, text)
		if next <= at {
			t.Errorf("%q is missing or too early in\n%s", text, page)
		}
		at = next
	}
}

func TestTooFewRoundsAreRefused(t *testing.T) {
	for alpha, want := range map[float64]int{.05: 4, .01: 5, .001: 7} {
		if got := leastRounds(alpha); got != want {
			t.Errorf("p is below %g from %d rounds on, want %d", alpha, got, want)
		}
	}
	if _, err := parse([]string{"-rounds", "6"}); err == nil {
		t.Error("6 rounds were accepted, which can fail for nothing")
	}
	if _, err := parse([]string{"-rounds", "7", "-only", "memory/"}); err != nil {
		t.Error(err)
	}
}

func TestBenchmarksSeeNoServersOrSettings(t *testing.T) {
	got := environment([]string{"CI=true", "MNEME_POSTGRES_DSN=x", "PATH=/bin", "CIRCLE=1"})
	if want := []string{"PATH=/bin", "CIRCLE=1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEveryCaseNamesABenchmark(t *testing.T) {
	for _, c := range cases {
		files, err := filepath.Glob(filepath.Join("..", "..", c.pkg, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no tests: %v", c.pkg, err)
		}
		names, _, _ := strings.Cut(c.bench, "/")
		for name := range strings.SplitSeq(names, "|") {
			declared := "func Benchmark" + strings.TrimSuffix(name, "$") + "("
			if !slices.ContainsFunc(files, func(file string) bool {
				text, err := os.ReadFile(file)
				return err == nil && strings.Contains(string(text), declared)
			}) {
				t.Errorf("%s has no Benchmark%s", c.pkg, name)
			}
		}
	}
}

// A repository of two commits, the second with an additional benchmark.
func TestTwoCommitsOfARepositoryAreCompared(t *testing.T) {
	program := benchstatProgram(t)
	t.Chdir(t.TempDir())
	const benchmark = "package a\n\nimport \"testing\"\n\nfunc BenchmarkOne(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n"
	commitFiles := func(files map[string]string) {
		for path, text := range files {
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "A change"}} {
			if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	}
	if _, err := git(t.Context(), "init", "-q"); err != nil {
		t.Fatal(err)
	}
	commitFiles(map[string]string{"go.mod": "module mneme\n\ngo 1.26\n", "a/a_test.go": benchmark})
	commitFiles(map[string]string{"b/b_test.go": strings.Replace(benchmark, "package a", "package b", 1)})

	o, err := parse([]string{"-base", "HEAD^", "-rounds", "7", "-benchstat", program, "-markdown", "page.md"})
	if err != nil {
		t.Fatal(err)
	}
	o.cases = []benchCase{{pkg: "a", bench: "One$", time: "10x"}, {pkg: "b", bench: "One$", time: "10x"}}
	report, err := run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Rows) != 2 { // the benchmark and its CPU time
		t.Errorf("rows %+v, want two", report.Rows)
	}
	for _, row := range report.Rows {
		if row.Package != "a" || row.Base == 0 || !strings.Contains(row.P, "n=7") {
			t.Errorf("row %+v, want one of package a with seven runs", row)
		}
	}
	if len(report.Left) != 1 || !strings.Contains(report.Left[0], "no such package") {
		t.Errorf("left out %q, want package b, which the base does not have", report.Left)
	}
	if page, err := os.ReadFile("page.md"); err != nil || string(page) != report.Markdown() {
		t.Errorf("the page is not the report: %v", err)
	}
	if said, err := git(t.Context(), "worktree", "list"); err != nil || strings.Contains(said, "\n") {
		t.Errorf("worktrees are left: %s %v", said, err)
	}
	if _, err := lastRelease(t.Context(), "HEAD"); err == nil || !strings.Contains(err.Error(), "-base") {
		t.Errorf("without a tag: %v, want an error that names -base", err)
	}
	if _, err := git(t.Context(), "tag", "v1", "HEAD^"); err != nil {
		t.Fatal(err)
	}
	if tag, err := lastRelease(t.Context(), "HEAD"); err != nil || tag != "v1" {
		t.Errorf("last release %q, %v, want v1", tag, err)
	}
}
