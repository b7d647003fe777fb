// Package series records what a server did over the last hour, minute by minute:
// counts, levels, the durations of search steps, and the slow searches. It takes a
// fixed 250 kB of memory and holds no text, store, agent, key or label.
package series

import (
	"sync"
	"time"
)

const (
	// Step is the length of a bucket, and Buckets is the number of buckets.
	Step    = time.Minute
	Buckets = 60
)

// Phase is a step of a search.
type Phase int

// The steps, by their names in /metrics. Whole is the search from call to answer.
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

// Times holds the durations of a search's steps; 0 means that the step did not
// occur.
type Times [phases]time.Duration

// Counts holds the events of a period.
type Counts struct {
	Searches, Degraded, Incomplete int64
	Requests                       int64 // answered, of any kind
	Limited                        int64 // refused by a limit: 429, and tools that say so
	Failed                         int64 // answered with 5xx, and tools that failed
	Written, Indexed, IndexFailed  int64 // entries
}

// Totals holds a process's counts since its start, and its current queue.
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

// bucket holds one minute. Its number is the minute since 1970.
type bucket struct {
	number  int64
	counts  Counts
	sampled bool
	depth   int64 // largest sample
	wait    time.Duration
	times   [phases]histogram
}

// New returns an empty Recorder. It records the shapes of searches that take slow or
// longer.
func New(slow time.Duration, now func() time.Time) *Recorder {
	return &Recorder{now: now, started: now(), slow: slowList{least: slow}}
}

// current returns the bucket of the current minute. The caller holds the lock.
func (r *Recorder) current(now time.Time) *bucket {
	number := now.Unix() / int64(Step/time.Second)
	b := &r.buckets[number%Buckets]
	if b.number < number { // if the clock was set back, stay in the newer minute
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

// ToolCall records a tool's outcome, which the status does not show: a tool that failed
// or was refused by a limit is answered with 200. outcome is as in tool.Meter.
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

// Sample records a process's totals and current queue.
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
