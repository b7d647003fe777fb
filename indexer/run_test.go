package indexer

import (
	"testing"
	"time"
)

func TestASharedIndexIsReconciledTwiceAtTheStartAndThenEveryHour(t *testing.T) {
	for _, test := range []struct {
		times int
		ago   time.Duration
		due   bool
	}{
		{0, 0, true},
		{1, reconcileAgain - 1, false},
		{1, reconcileAgain, true},
		{2, reconcileAgain, false},
		{2, reconcileEvery, true},
		{9, reconcileEvery - 1, false},
	} {
		if got := reconcileDue(test.times, test.ago); got != test.due {
			t.Errorf("after %d times, %v ago: %v", test.times, test.ago, got)
		}
	}
}
