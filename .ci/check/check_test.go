package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A fixture is a repository with its own steps. Each step that runs appends its name to
// the file ran.
type fixture struct {
	root, ran string
	cache     *cache
	plan      plan
	all       bool
}

const scripts = `
LIMIT=1
ran() { echo "$1" >>"$ran"; }
install() { ran install; mkdir -p "$tools/made"; }
served() { ran served; exec sleep 600; }
ready() { ran ready; }
first() { ran first; }
second() { ran second; other; }
other() { echo "$LIMIT"; }
failing() { ran failing; seq 100; ! test -f broken; }
leaving() { sleep 600 & echo $! >"$left"; }
counted() { ran counted; echo "3 passed, 0 failed"; }
`

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{root: t.TempDir(), ran: filepath.Join(t.TempDir(), "ran")}
	var err error
	if f.cache, err = openCache(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	f.write(t, ".ci/steps/all.sh", scripts)
	for _, file := range []string{"a/one", "a/two/three", "b", "c", "set-up", "service", "neither"} {
		f.write(t, file, file)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "-C", f.root, "init", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("git: %v: %s", err, out)
	}
	f.plan = plan{
		{name: "install", run: "install", made: "made", inputs: []string{"set-up"}},
		{name: "served", run: "served", ready: "ready", inputs: []string{"service"}},
		{name: "first", run: "first", inputs: []string{"a", "b"}, needs: []string{"install"}},
		{name: "second", run: "second", inputs: []string{"c"}, tools: []string{"cat " + filepath.Join(f.root, "neither")}, needs: []string{"served"}},
		{name: "counted", run: "counted", last: true},
	}
	return f
}

func (f *fixture) write(t *testing.T, file, text string) {
	t.Helper()
	path := filepath.Join(f.root, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs all checks. It returns the sorted names of the functions that ran, without
// duplicates, and the output.
func (f *fixture) run(t *testing.T, more ...string) (ran []string, printed string, err error) {
	t.Helper()
	if err := f.plan.verify(); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(f.ran) // there is none yet
	var out bytes.Buffer
	r := &run{
		root: f.root, plan: f.plan, cache: f.cache, work: t.TempDir(), out: &out, all: f.all, workers: 2,
		environ: append(os.Environ(), append(more, "ran="+f.ran, "tools="+f.cache.tools())...),
	}
	checks, err := f.plan.choose(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	err = r.steps(context.WithoutCancel(t.Context()), checks)
	text, _ := os.ReadFile(f.ran) // there is none if nothing ran
	ran = strings.Fields(string(text))
	slices.Sort(ran)
	return slices.Compact(ran), out.String(), err
}

func (f *fixture) wantRan(t *testing.T, want ...string) {
	t.Helper()
	ran, printed, err := f.run(t)
	slices.Sort(want)
	if err != nil || !slices.Equal(ran, want) {
		t.Fatalf("ran %v, %v; want %v\n%s", ran, err, want, printed)
	}
}

func TestAStepRunsAgainOnlyWhenAnInputHasChanged(t *testing.T) {
	f := newFixture(t)
	f.wantRan(t, "install", "first", "served", "ready", "second", "counted")
	f.wantRan(t, "counted")
	for file, want := range map[string][]string{
		"a/one":       {"first"},
		"a/two/three": {"first"},
		"a/new":       {"first"},
		"b":           {"first"},
		"c":           {"served", "ready", "second"},
		"set-up":      {"install", "first"},
		"service":     {"served", "ready", "second"},
		"neither":     {"served", "ready", "second"}, // the version of a tool
	} {
		f.write(t, file, "changed")
		f.wantRan(t, append(want, "counted")...)
		f.wantRan(t, "counted")
	}
	f.write(t, ".ci/steps/all.sh", strings.Replace(scripts, "LIMIT=1", "LIMIT=2", 1))
	f.wantRan(t, "served", "ready", "second", "counted")
	if err := os.Remove(filepath.Join(f.root, "a", "one")); err != nil {
		t.Fatal(err)
	}
	f.wantRan(t, "first", "counted")
	if err := os.Chmod(filepath.Join(f.root, "b"), 0o700); err != nil { //nolint:gosec // what is tested
		t.Fatal(err)
	}
	f.wantRan(t, "first", "counted")
}

func TestEarlierInputsThatPassedAreRemembered(t *testing.T) {
	f := newFixture(t)
	f.wantRan(t, "install", "first", "served", "ready", "second", "counted")
	f.write(t, "b", "changed")
	f.wantRan(t, "first", "counted")
	f.write(t, "b", "b")
	f.wantRan(t, "counted")
}

func TestStampsCanBeIgnored(t *testing.T) {
	f := newFixture(t)
	f.wantRan(t, "install", "first", "served", "ready", "second", "counted")
	f.all = true
	f.wantRan(t, "first", "served", "ready", "second", "counted") // installed tools stay
}

func TestASetUpRunsAgainWhenItsOutputIsGone(t *testing.T) {
	f := newFixture(t)
	f.wantRan(t, "install", "first", "served", "ready", "second", "counted")
	if err := os.Remove(filepath.Join(f.cache.tools(), "made")); err != nil {
		t.Fatal(err)
	}
	f.wantRan(t, "counted")
	f.write(t, "b", "changed")
	f.wantRan(t, "install", "first", "counted")
}

func TestAFailedStepLeavesNoStamp(t *testing.T) {
	f := newFixture(t)
	f.plan = plan{{name: "failing", run: "failing", inputs: []string{"b"}}, {name: "counted", run: "counted", last: true}}
	f.wantRan(t, "failing", "counted")
	f.write(t, "broken", "it fails now, with the same inputs")
	f.all = true
	_, _, err := f.run(t)
	if err == nil {
		t.Fatal("a step failed, and the run did not")
	}
	f.all = false
	for range 2 {
		ran, printed, err := f.run(t)
		if err == nil || !slices.Equal(ran, []string{"failing"}) {
			t.Fatalf("ran %v, %v after a failure\n%s", ran, err, printed)
		}
		want := "40\n"
		if strings.Count(printed, "\n") != failedLines+3 || !strings.Contains(printed, "\n41\n") || strings.Contains(printed, "\n"+want) {
			t.Errorf("not the last %d lines:\n%s", failedLines, printed)
		}
		if !strings.Contains(printed, ".ci/run failing\n") {
			t.Errorf("no command for the step:\n%s", printed)
		}
	}
	if err := os.Remove(filepath.Join(f.root, "broken")); err != nil {
		t.Fatal(err)
	}
	f.wantRan(t, "failing", "counted")
}

func TestProcessesThatAStepLeavesAreEnded(t *testing.T) {
	f := newFixture(t)
	f.plan = plan{{name: "leaving", run: "leaving", inputs: []string{"b"}}}
	left := filepath.Join(t.TempDir(), "left")
	if _, printed, err := f.run(t, "left="+left); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	text, err := os.ReadFile(left)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(err)
	}
	if !ends(pid) {
		t.Errorf("process %d is still there", pid)
	}
}

// ends reports whether a process ends, within two minutes.
func ends(pid int) bool {
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(status), ") Z ") || syscall.Kill(pid, 0) != nil {
			return true
		}
	}
	return false
}

func TestADeclarationIsChecked(t *testing.T) {
	check := &step{name: "a", run: "a", inputs: []string{"x"}}
	for reason, p := range map[string]plan{
		"twice":          {check, check},
		"no function":    {{name: "a", inputs: []string{"x"}}},
		"needs a check":  {check, {name: "b", run: "b", inputs: []string{"x"}, needs: []string{"a"}}},
		"needs nothing":  {{name: "b", run: "b", inputs: []string{"x"}, needs: []string{"a"}}},
		"without inputs": {{name: "a", run: "a"}},
	} {
		if p.verify() == nil {
			t.Errorf("accepted: %s", reason)
		}
	}
	if _, err := (plan{check}).choose([]string{"b"}, false); err == nil {
		t.Error("a step that does not exist was chosen")
	}
}
