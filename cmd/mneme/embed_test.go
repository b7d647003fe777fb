package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEmbedPrintsOneUnitVectorPerLine(t *testing.T) {
	out := must(t, "", "", "embed", "one text", "another")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 2 || lines[0] == lines[1] {
		t.Fatalf("got %d lines", len(lines))
	}
	for _, line := range lines {
		vector := decode[[]float64](t, line)
		var square float64
		for _, x := range vector {
			square += x * x
		}
		if len(vector) != 384 || math.Abs(square-1) > 1e-3 {
			t.Errorf("%d elements, length² %g", len(vector), square)
		}
	}
	if got := must(t, "", "one text\nanother\n", "embed"); got != out {
		t.Error("standard input and arguments give different vectors")
	}
}

func TestEmbedByTheMultilingualModel(t *testing.T) {
	out := must(t, "", "", "embed", "--multilingual", "El perro duerme")
	if len(decode[[]float64](t, out)) != 384 || out == must(t, "", "", "embed", "El perro duerme") {
		t.Error("not a vector of its own")
	}
	file := filepath.Join(t.TempDir(), "mneme.yaml")
	err := os.WriteFile(file, []byte("embedder: openai\nopenai: {base_url: http://127.0.0.1:9/v1, model: m, dim: 3}\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	result := mneme(t, "", "", "embed", "--multilingual", "--config", file, "El perro duerme")
	if result.status != exitUsage || !strings.Contains(result.err, "--multilingual") {
		t.Errorf("status %d: %s", result.status, result.err)
	}
}
