package indexer

import (
	"slices"
	"testing"
	"time"
)

// A worker that takes long entries takes the oldest rows of all every fourth
// time, so that neither a long entry nor a dear one of a busy store waits for ever.
// One worker takes short entries alone.
func TestOneWorkerIsLeftToShortEntries(t *testing.T) {
	long, short := &worker{}, &worker{short: true}
	for turn := range 12 {
		want := []Work{Long, Short}
		if turn%4 == 3 {
			want = []Work{Oldest}
		}
		if got := long.kinds(); !slices.Equal(got, want) {
			t.Errorf("turn %d: %v, want %v", turn, got, want)
		}
		if got := short.kinds(); !slices.Equal(got, []Work{Short}) {
			t.Errorf("turn %d of the worker for short entries: %v", turn, got)
		}
	}
}

func TestBudgetFollowsTheEmbedder(t *testing.T) {
	b := newBudget()
	for range 20 {
		b.took(b.chunks(), 10*time.Millisecond)
	}
	if b.chunks() != maxBudget {
		t.Errorf("a fast embedder gets %d chunks", b.chunks())
	}
	b.took(b.chunks(), 600*time.Millisecond)
	if b.chunks() != maxBudget {
		t.Errorf("after a batch of the right length %d chunks", b.chunks())
	}
	for range 20 {
		b.took(b.chunks(), 2*time.Second)
	}
	if b.chunks() != minBudget {
		t.Errorf("a slow embedder gets %d chunks", b.chunks())
	}
	b.took(1, time.Millisecond)
	if b.chunks() != minBudget {
		t.Errorf("a batch of one chunk says nothing of larger ones, but the budget is %d", b.chunks())
	}
}
