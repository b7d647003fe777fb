package limit

import (
	"testing"
	"time"
)

// buckets returns buckets of 500 requests a second in bursts of 1,000, and their
// clock.
func buckets() (*Buckets[string], *time.Time) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return NewBuckets[string]("agent", Rate{PerSecond: 500, Burst: 1000}, func() time.Time { return now }), &now
}

func TestABurstAndThenTheRate(t *testing.T) {
	b, now := buckets()
	for range 1000 {
		if state := b.Take("ada", 1); !state.OK {
			t.Fatalf("within the burst: %+v", state)
		}
	}
	if state := b.Take("ada", 1); state.OK || state.RetryAfter != 2*time.Millisecond || state.Remaining != `"agent";r=0;t=1` {
		t.Errorf("after the burst: %+v", state)
	}
	if state := b.Take("bob", 1); !state.OK || state.Policy != `"agent";q=1000;w=2` || state.Remaining != `"agent";r=999;t=1` {
		t.Errorf("another's: %+v", state)
	}
	*now = now.Add(time.Second)
	for range 500 {
		if state := b.Take("ada", 1); !state.OK {
			t.Fatalf("a second later: %+v", state)
		}
	}
	if b.Take("ada", 1).OK {
		t.Error("more than the rate")
	}
}

func TestSeveralAreTakenAtOnceOrNone(t *testing.T) {
	b, _ := buckets()
	if !b.Take("ada", 990).OK || b.Take("ada", 11).OK || !b.Take("ada", 10).OK || b.Take("ada", 1).OK {
		t.Error("990, not 11, 10, not 1")
	}
	if b, _ := buckets(); !b.Take("ada", 5000).OK || b.Take("ada", 1).OK {
		t.Error("more than a full bucket is not a full one")
	}
}

func TestEmptyTakesNothing(t *testing.T) {
	b, now := buckets()
	if b.Empty("ada") || !b.Take("ada", 1000).OK || !b.Empty("ada") {
		t.Error("a bucket is empty when all is taken")
	}
	*now = now.Add(2 * time.Millisecond)
	for range 2 {
		if b.Empty("ada") {
			t.Error("a bucket with one request is not empty")
		}
	}
	if !b.Take("ada", 1).OK {
		t.Error("asking took the request")
	}
}

func TestARateOfZeroIsNoLimit(t *testing.T) {
	b := NewBuckets[string]("agent", Rate{}, nil)
	for range 10_000 {
		if state := b.Take("ada", 100); !state.OK || state.Policy != "" || b.Empty("ada") {
			t.Fatalf("%+v", state)
		}
	}
}

func TestManyKeysTakeBoundedMemory(t *testing.T) {
	b := NewBuckets[int]("address", Rate{PerSecond: 20}, nil)
	for i := range 100_000 {
		b.Take(i, 1)
	}
	if b.buckets.Bytes() > bucketBytes {
		t.Errorf("%d bytes", b.buckets.Bytes())
	}
}

func BenchmarkTake(b *testing.B) {
	buckets := NewBuckets[string]("agent", Rate{PerSecond: 500, Burst: 1000}, nil)
	b.ReportAllocs()
	for b.Loop() {
		buckets.Take("ada", 1)
	}
}
