package main

import (
	"math"
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
