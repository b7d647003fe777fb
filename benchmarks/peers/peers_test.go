// Package peers_test runs the benchmark scripts, so that they stay executable.
package peers_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runScript runs a script with Python's standard library, and returns its standard
// output and standard error.
func runScript(t *testing.T, script string, args ...string) (string, error) {
	t.Helper()
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import sys, sqlite3; sys.exit(sys.version_info < (3, 11))").Run(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no Python 3.11 with sqlite3: %v", err)
		}
		t.Skip("no Python 3.11 with sqlite3 (variable PYTHON chooses the interpreter)")
	}
	cmd := exec.Command(python, append([]string{script}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "MNEME_POSTGRES_DSN=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestSelfTestPassesAndReportsEverySystem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.json")
	if out, err := runScript(t, "run.py", "--self-test", "--json", file); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Sets []struct {
			Systems map[string]map[string]any
			Absent  map[string]string
		}
	}
	if err := json.Unmarshal(text, &report); err != nil || len(report.Sets) != 1 {
		t.Fatalf("%d sets, want 1: %v", len(report.Sets), err)
	}
	set := report.Sets[0]
	for _, name := range []string{"mneme", "LanceDB hybrid", "Qdrant Edge hybrid", "PostgreSQL full text"} {
		if set.Absent[name] == "" {
			t.Errorf("%s needs what the test does not give, but is not reported as absent", name)
		}
	}
	for _, name := range []string{"SQLite FTS5", "plain BM25"} {
		if set.Systems[name] == nil {
			t.Errorf("%s is missing: %s", name, set.Absent[name])
		}
	}
}

func TestMissingDatasetIsNamed(t *testing.T) {
	out, err := runScript(t, "run.py", "--data", "testdata/absent")
	if err == nil || !strings.Contains(out, filepath.Join("testdata/absent", "corpus.jsonl")) || strings.Contains(out, "Traceback") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The script checks recall, times and the page itself. The test checks that the page names
// the systems that are not installed or were excluded, and that no table has an excluded
// one.
func TestSpeedSelfTestPasses(t *testing.T) {
	if out, err := runScript(t, "speed.py", "--help"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := runScript(t, "speed.py", "--self-test", "--without", "Qdrant Edge")
	if err != nil && strings.Contains(out, "No module named 'numpy'") && os.Getenv("CI") == "" {
		t.Skip("no numpy (variable PYTHON chooses the interpreter)")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"mneme", "Weaviate", "Hindsight"} {
		if !strings.Contains(out, "| "+name+" | absent: no --"+strings.ToLower(name)) {
			t.Errorf("%s needs what the test does not give, but is not reported as absent", name)
		}
	}
	if strings.Contains(out, "| Qdrant") {
		t.Error("a system that was left out is in a table")
	}
	if !strings.Contains(out, "- left out: Qdrant Edge.") {
		t.Error("the page does not say what was left out")
	}
}
