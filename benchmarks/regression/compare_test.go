package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// benchstatProgram returns the program installed by .ci/run.
func benchstatProgram(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("benchstat")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no benchstat in PATH")
		}
		t.Skip("no benchstat in PATH: go install " + benchstatModule)
	}
	return program
}

// planted is the name of the benchmark that is slowed down.
const planted, benchmarks = "7-2", 40

// write writes the output of ten runs of benchmarks, whose times vary by 3 % around a
// microsecond. It multiplies the times of the planted one by factor.
func write(t *testing.T, seed uint64, factor float64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	var out strings.Builder
	for range 10 {
		fmt.Fprint(&out, "goos: linux\ngoarch: amd64\npkg: memory\ncpu: some\n")
		for i := range benchmarks {
			name, took := fmt.Sprint(i, "-2"), 1000*(1+.03*r.NormFloat64())
			if name == planted {
				took *= factor
			}
			fmt.Fprintf(&out, "Benchmark%s \t 100\t %.1f ns/op\t 12 B/op\n", name, took)
		}
		fmt.Fprint(&out, "PASS\n")
	}
	path := filepath.Join(t.TempDir(), "output.txt")
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// outcomes compares two outputs, and returns the names of benchmarks that differ.
func outcomes(t *testing.T, program, base, head string) map[string]Outcome {
	t.Helper()
	rows, err := compare(t.Context(), program, .001, base, head)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != benchmarks {
		t.Fatalf("%d rows, want %d", len(rows), benchmarks)
	}
	found := map[string]Outcome{}
	for _, row := range rows {
		if outcome := row.Outcome(5); outcome != Same {
			found[row.Name] = outcome
		}
	}
	return found
}

func TestPlantedSlowdownIsCaught(t *testing.T) {
	program := benchstatProgram(t)
	base, head := write(t, 1, 1), write(t, 2, 1.15)
	if got, want := outcomes(t, program, base, head), map[string]Outcome{planted: Slower}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := outcomes(t, program, head, base), map[string]Outcome{planted: Faster}; !maps.Equal(got, want) {
		t.Errorf("the other way round: %v, want %v", got, want)
	}
}

func TestNoiseAloneIsNoSlowdown(t *testing.T) {
	program := benchstatProgram(t)
	for seed := range uint64(3) {
		if got := outcomes(t, program, write(t, 10+seed, 1), write(t, 20+seed, 1)); len(got) > 0 {
			t.Errorf("seed %d: %v, but only noise differs", seed, got)
		}
	}
}

// recorded is benchstat's output for an input in which Put was slowed down by a
// fifth, one commit lacked a benchmark, and a small difference was significant.
const recorded = `goos: linux
goarch: amd64
pkg: memory
cpu: some
,base,,head,,,
,sec/op,CI,sec/op,CI,vs base,P
Search/one-2,1.00335e-06,2%,1.0081000000000001e-06,3%,~,p=0.739 n=10
Put-2,1.00255e-06,2%,1.2111000000000001e-06,3%,+20.80%,p=0.000 n=10
Get-2,2e-06,∞,2.02e-06,0%,+1.00%,p=0.000 n=10
OnlyOld-2,5e-09,0%
geomean,1.713337157242983e-07,,1.104947921849713e-06,,+10.17%,

pkg: embed/e5
,base,,head,,,
,sec/op,CI,sec/op,CI,vs base,P
"Where/{""tags"":""a,b""}-2",1e-03,0%,5e-04,1%,-50.00%,p=0.000 n=10
OnlyNew-2,,,9.932e-07,1%
geomean,7.080430777855268e-08,,9.931999999999994e-07,,-0.94%,
`

func TestOutputOfBenchstatIsRead(t *testing.T) {
	rows, err := parseComparison(strings.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows {
		got = append(got, fmt.Sprint(row.Package, " ", row.Name, " ", row.Outcome(5)))
	}
	want := []string{
		"memory Search/one-2 0", "memory Put-2 1", "memory Get-2 4", "memory OnlyOld-2 3",
		`embed/e5 Where/{"tags":"a,b"}-2 2`, "embed/e5 OnlyNew-2 3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if _, err := parseComparison(strings.NewReader("pkg: memory\nPut-2,fast,2%\n")); err == nil {
		t.Error("a time that is no number was accepted")
	}
}
