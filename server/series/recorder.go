// Package series keeps what a server did over the last hour, minute by minute:
// counts, levels, the durations of the steps of searches, and the searches that were
// slow. It takes a fixed 250 kB of memory and holds no text, store, agent, key or
// label.
package series

import (
	"sync"
	"time"
)

const (
	// Step is the length of a bucket, and Buckets is how many there are.
	Step    = time.Minute
	Buckets = 60
)

// Phase is a step of a search.
type Phase int

// The steps, by their names in /metrics. Whole is the search from its call to its
// answer.
const (
	Whole Phase = iota
	Queue
	Filter
	Embed
	Lexical
	Vector
	Fetch
	Rank
	Rerank
	phases
)

var phaseNames = [phases]string{"search", "queue", "filter", "embed", "lexical", "vector", "fetch", "rank", "rerank"}

// String returns the name of a step.
func (p Phase) String() string { return phaseNames[p] }

// Phases returns all steps.
func Phases() []Phase {
	all := make([]Phase, phases)
	for i := range all {
		all[i] = Phase(i)
	}
	return all
}

// Times are how long the steps of a search took; 0: it had none of that kind.
type Times [phases]time.Duration

// Counts are what happened within some time.
type Counts struct {
	Searches, Degraded, Incomplete int64
	Requests                       int64 // answered, of any kind
	Limited                        int64 // refused by a limit: 429, and tools that say so
	Failed                         int64 // answered with 5xx, and tools that failed
	Written, Indexed, IndexFailed  int64 // entries
}

// Totals are what a process did since it started, and how much waits now.
type Totals struct {
	Written, Indexed, IndexFailed int64
	QueueDepth                    int64
	OldestWait                    time.Duration
}

// Recorder records the last hour. It is safe for concurrent use; recording takes a
// short lock and allocates nothing.
type Recorder struct {
	now     func() time.Time
	started time.Time

	mu      sync.Mutex
	buckets [Buckets]bucket
	totals  Totals
	slow    slowList
}

// bucket is one minute. Its number is that of the minute since 1970.
type bucket struct {
	number  int64
	counts  Counts
	sampled bool
	depth   int64 // the largest of the samples
	wait    time.Duration
	times   [phases]histogram
}

// New returns an empty Recorder. Searches that take slow or longer are kept by their
// shapes.
func New(slow time.Duration, now func() time.Time) *Recorder {
	return &Recorder{now: now, started: now(), slow: slowList{least: slow}}
}

// current returns the bucket of the present minute. The caller holds the lock.
func (r *Recorder) current(now time.Time) *bucket {
	number := now.Unix() / int64(Step/time.Second)
	b := &r.buckets[number%Buckets]
	if b.number < number { // a clock that was set back goes on with the newer minute
		*b = bucket{number: number}
	}
	return b
}

// Search records an answered search.
func (r *Recorder) Search(shape Shape, times *Times, incomplete bool) {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.current(now)
	b.counts.Searches++
	if shape.Degraded {
		b.counts.Degraded++
	}
	if incomplete {
		b.counts.Incomplete++
	}
	for phase, took := range times {
		if took > 0 {
			b.times[phase].add(took)
		}
	}
	r.slow.add(shape, times, now)
}

// Request records an answered request.
func (r *Recorder) Request(status int) {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.current(now).counts
	c.Requests++
	switch {
	case status == 429:
		c.Limited++
	case status >= 500:
		c.Failed++
	}
}

// ToolCall records what the answer to a request does not say: a tool that was refused by
// a limit, or that failed, is answered with 200. outcome is that of tool.Meter.
func (r *Recorder) ToolCall(outcome string) {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.current(now).counts
	switch outcome {
	case "limited":
		c.Limited++
	case "failed":
		c.Failed++
	}
}

// Sample records what a process has done by now, and how much waits.
func (r *Recorder) Sample(now Totals) {
	at := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.current(at)
	b.counts.Written += now.Written - r.totals.Written
	b.counts.Indexed += now.Indexed - r.totals.Indexed
	b.counts.IndexFailed += now.IndexFailed - r.totals.IndexFailed
	b.sampled = true
	b.depth, b.wait = max(b.depth, now.QueueDepth), max(b.wait, now.OldestWait)
	r.totals = now
}
