package indexer

import (
	"testing"
	"time"

	"mneme/vector"
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

// losing is an index that may have lost its contents.
type losing struct {
	vector.Index
	lost bool
}

func (l *losing) Lost() bool {
	was := l.lost
	l.lost = false
	return was
}

func TestIndexesAreReconciledWhenOneBeginsToServeAndWhenOneIsLost(t *testing.T) {
	first, second := &losing{}, &losing{}
	one := &serving{index: first}
	both := []*serving{one, {index: second}}
	now := time.Unix(0, 0)
	var done reconciliations
	due := func(want bool, indexes ...*serving) {
		t.Helper()
		if got := done.due(indexes, now); got != want {
			t.Fatalf("due: %v, want %v", got, want)
		}
		if want { // as at the start: until it is due no more
			done.add(now)
			done.add(now)
		}
	}
	due(false)
	due(true, one)
	due(false, one)
	due(true, both...)
	due(false, both...)
	second.lost = true
	due(true, both...)
	first.lost, second.lost = true, true
	due(true, both...)
	due(false, both...)
}
