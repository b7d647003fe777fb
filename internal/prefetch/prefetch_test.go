package prefetch

import (
	"slices"
	"testing"
)

// Nothing changes, whatever the memory is: it may be empty, and begin and end anywhere.
func TestNothingChanges(t *testing.T) {
	memory := make([]byte, 1000)
	for i := range memory {
		memory[i] = byte(i)
	}
	want := slices.Clone(memory)
	for start := range 130 {
		for _, n := range []int{0, 1, 63, 64, 65, 128, 700} {
			Slice(memory[start:][:n])
		}
		Of(&memory[start])
	}
	Slice[uint64](nil)
	if !slices.Equal(memory, want) {
		t.Error("the memory has changed")
	}
}
