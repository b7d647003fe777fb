package main

import (
	"bytes"
	"context"
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

// stopping is an output that cancels a context once it contains a text.
type stopping struct {
	bytes.Buffer
	text string
	stop context.CancelFunc
}

func (s *stopping) Write(p []byte) (int, error) {
	n, err := s.Buffer.Write(p)
	if strings.Contains(s.String(), s.text) {
		s.stop()
	}
	return n, err
}

// If vectors cannot be computed after a restore, the command still says that all records
// are restored: otherwise an operator would load the dump again, which fails.
func TestARestoreThatMakesNoVectorsSaysThatItIsComplete(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	must(t, from, "", "import", "--no-wait", sampleMemories)
	dump := must(t, from, "", "export", "--full")
	setMilvusDown(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, errOut := &stopping{text: "restored ", stop: stop}, &bytes.Buffer{}
	status := run(ctx, []string{"import", "--full", "-", "--data-dir", to}, strings.NewReader(dump), out, errOut)
	if status != exitFailed || !strings.HasPrefix(out.String(), "restored ") || !strings.Contains(errOut.String(), "the restore is complete except for vectors") {
		t.Errorf("status %d\n%s%s", status, out, errOut)
	}
	if strings.Contains(errOut.String(), "no embedder here") {
		t.Error("the embedder is said to be missing")
	}
	if got := must(t, to, "", "export", "--full", "--vector", "flat"); got != dump {
		t.Error("the dump of the restored database differs")
	}
}
