package e5

import (
	"fmt"
	"strings"
	"testing"
)

// textOf returns a text of n tokens, including either prefix.
func textOf(n int) string { return strings.TrimSpace(strings.Repeat("garden ", n-4)) }

func BenchmarkQuery(b *testing.B) {
	e := testEncoder(b)
	for _, n := range []int{12, 32, 128, 512} {
		b.Run(fmt.Sprintf("tokens=%d", n), func(b *testing.B) {
			text := textOf(n)
			for b.Loop() {
				if _, err := e.Query(b.Context(), text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPassages(b *testing.B) {
	texts := make([]string, 64)
	tokens := 0
	for i := range texts {
		n := 8 + i*7%90
		texts[i], tokens = textOf(n), tokens+n
	}
	for _, e := range []*Encoder{testEncoder(b), codedEncoder(b)} {
		b.Run(fmt.Sprintf("codes=%t", e.projector != nil), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Passages(b.Context(), texts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
