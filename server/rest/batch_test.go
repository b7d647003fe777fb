package rest

import (
	"testing"
	"time"
)

func TestBatchesFollowTheTimeOfTheirTransactions(t *testing.T) {
	for _, c := range []struct {
		size int
		took time.Duration
		want int
	}{
		{minBatch, time.Millisecond, 2 * minBatch},
		{maxBatch, time.Millisecond, maxBatch},
		{256, 150 * time.Millisecond, 256},
		{256, time.Second, 128},
		{minBatch, time.Second, minBatch},
		{10, time.Second, minBatch}, // cut short by batchBytes
	} {
		if got := nextSize(c.size, c.took); got != c.want {
			t.Errorf("after %d lines in %v: %d, want %d", c.size, c.took, got, c.want)
		}
	}
}
