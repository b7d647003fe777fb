package series

import "time"

// Duration holds the durations of one step.
type Duration struct {
	Phase    Phase
	Count    int64
	P50, P99 time.Duration
}

// Minute summarizes one minute.
type Minute struct {
	Start time.Time
	Counts
	// QueueDepth and OldestWait are the largest of the minute's samples.
	Sampled    bool
	QueueDepth int64
	OldestWait time.Duration
	Durations  []Duration // of the steps that occurred
}

// Hour is the recorded series.
type Hour struct {
	Started   time.Time // when recording began
	Minutes   []Minute  // since then or within the last hour, oldest first; the last one is in progress
	Durations []Duration
	Slow      []Slow // the slowest first
	SlowFrom  time.Duration
}

// Read returns the recorded series.
func (r *Recorder) Read() Hour {
	now := r.now()
	r.mu.Lock()
	buckets, slow := r.buckets, r.slow.list(now)
	r.mu.Unlock()

	hour := Hour{Started: r.started, Slow: slow, SlowFrom: r.slow.least}
	var whole [phases]histogram
	last := now.Unix() / int64(Step/time.Second)
	first := max(last-Buckets+1, r.started.Unix()/int64(Step/time.Second))
	for number := first; number <= last; number++ {
		minute := Minute{Start: time.Unix(number*int64(Step/time.Second), 0).UTC()}
		if b := &buckets[number%Buckets]; b.number == number {
			minute.Counts, minute.Sampled, minute.QueueDepth, minute.OldestWait = b.counts, b.sampled, b.depth, b.wait
			minute.Durations = durations(&b.times)
			for phase := range whole {
				whole[phase].merge(&b.times[phase])
			}
		}
		hour.Minutes = append(hour.Minutes, minute)
	}
	hour.Durations = durations(&whole)
	return hour
}

// durations returns the percentiles of the steps that occurred.
func durations(times *[phases]histogram) (all []Duration) {
	for phase := range times {
		h := &times[phase]
		if n := h.count(); n > 0 {
			all = append(all, Duration{Phase: Phase(phase), Count: n, P50: h.percentile(.5), P99: h.percentile(.99)})
		}
	}
	return all
}
