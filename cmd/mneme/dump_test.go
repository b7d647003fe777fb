package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTruncatedDumpIsRejected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "", "import", sampleMemories)
	whole := must(t, dir, "", "export", "--full")
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	for name, part := range map[string]string{
		"within a line":     whole[:len(whole)/2],
		"between two lines": strings.Join(lines[:len(lines)/2], ""),
		"before its end":    strings.Join(lines[:len(lines)-1], ""),
		"a line missing":    strings.Join(append(append([]string{}, lines[:5]...), lines[6:]...), ""),
		"header only":       lines[0],
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "part.dump")
			if err := os.WriteFile(file, []byte(part), 0o600); err != nil {
				t.Fatal(err)
			}
			empty := t.TempDir()
			if r := mneme(t, empty, "", "import", "--full", file); r.status != exitFailed || !strings.Contains(r.err, "dump") {
				t.Errorf("got %+v", r)
			}
			if rest := must(t, empty, "", "export", "--full"); strings.Count(rest, "\n") != 2 {
				t.Errorf("part of the dump was loaded: %s", rest)
			}
		})
	}
}
