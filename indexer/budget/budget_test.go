package budget

import (
	"testing"
	"time"
)

func TestBudgetFollowsTheEmbedder(t *testing.T) {
	b := New()
	for range 20 {
		b.Took(b.Limit(), 10*time.Millisecond)
	}
	if b.Limit() != highest {
		t.Errorf("a fast embedder gets %d chunks", b.Limit())
	}
	b.Took(b.Limit(), 600*time.Millisecond)
	if b.Limit() != highest {
		t.Errorf("after a batch of the right length %d chunks", b.Limit())
	}
	for range 20 {
		b.Took(b.Limit(), 2*time.Second)
	}
	if b.Limit() != lowest {
		t.Errorf("a slow embedder gets %d chunks", b.Limit())
	}
	b.Took(1, time.Millisecond)
	if b.Limit() != lowest {
		t.Errorf("a batch of one chunk says nothing of larger ones, but the budget is %d", b.Limit())
	}
}
