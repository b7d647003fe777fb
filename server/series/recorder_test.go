package series_test

import (
	"testing"
	"time"

	"mneme/server/series"
)

// clock is a time that tests advance.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(least time.Duration) (*series.Recorder, *clock) {
	c := &clock{time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)}
	return series.New(least, c.now), c
}

func took(whole time.Duration) *series.Times {
	return &series.Times{series.Whole: whole, series.Lexical: whole / 2}
}

func TestAPercentileIsOffByATenthAtMost(t *testing.T) {
	for want := 5 * time.Microsecond; want < time.Minute; want = want * 17 / 16 {
		r, _ := open(time.Hour)
		for range 3 {
			r.Search(series.Shape{}, took(want), false)
		}
		got := r.Read().Durations[0].P50
		if off := float64(got-want) / float64(want); off < -.13 || off > .13 {
			t.Fatalf("%s is reported as %s", want, got)
		}
	}
}

func TestPercentilesSplitRecordedDurations(t *testing.T) {
	r, _ := open(time.Hour)
	for i := 1; i <= 1000; i++ {
		r.Search(series.Shape{}, took(time.Duration(i)*time.Millisecond), false)
	}
	d := r.Read().Durations
	if len(d) != 2 || d[0].Phase != series.Whole || d[1].Phase != series.Lexical || d[0].Count != 1000 {
		t.Fatalf("%+v", d)
	}
	if d[0].P50 < 430*time.Millisecond || d[0].P50 > 570*time.Millisecond || d[0].P99 < 880*time.Millisecond || d[0].P99 > 1120*time.Millisecond {
		t.Errorf("%+v", d[0])
	}
}

func TestAMinuteHoldsItsOwnCounts(t *testing.T) {
	r, c := open(time.Hour)
	r.Search(series.Shape{Degraded: true}, took(time.Millisecond), true)
	r.Request(200)
	r.Request(429)
	r.Request(503)
	r.Sample(series.Totals{Written: 5, Indexed: 3, QueueDepth: 2, OldestWait: time.Second})
	c.at = c.at.Add(time.Minute)
	r.Sample(series.Totals{Written: 6, Indexed: 6, QueueDepth: 1})
	r.Sample(series.Totals{Written: 6, Indexed: 6})
	hour := r.Read()
	if len(hour.Minutes) != 2 {
		t.Fatalf("%d minutes", len(hour.Minutes))
	}
	first, second := hour.Minutes[0], hour.Minutes[1]
	want := series.Counts{Searches: 1, Degraded: 1, Incomplete: 1, Requests: 3, Limited: 1, Failed: 1, Written: 5, Indexed: 3}
	if first.Counts != want || first.QueueDepth != 2 || first.OldestWait != time.Second || len(first.Durations) != 2 {
		t.Errorf("%+v", first)
	}
	if second.Counts != (series.Counts{Written: 1, Indexed: 3}) || second.QueueDepth != 1 || second.OldestWait != 0 {
		t.Errorf("%+v", second)
	}
	if !first.Start.Equal(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) {
		t.Error(first.Start)
	}
}

func TestARefusalInAToolIsOne(t *testing.T) {
	r, _ := open(time.Hour)
	for _, outcome := range []string{"ok", "refused", "limited", "failed", "failed", "canceled"} {
		r.Request(200)
		r.ToolCall(outcome)
	}
	if got, want := r.Read().Minutes[0].Counts, (series.Counts{Requests: 6, Limited: 1, Failed: 2}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestOnlyTheLastHourIsRetained(t *testing.T) {
	r, c := open(time.Millisecond)
	for range 150 {
		r.Search(series.Shape{}, took(time.Second), false)
		c.at = c.at.Add(time.Minute)
	}
	hour := r.Read()
	if len(hour.Minutes) != series.Buckets {
		t.Errorf("%d minutes", len(hour.Minutes))
	}
	if n := hour.Durations[0].Count; n != series.Buckets-1 { // none in the present minute
		t.Errorf("%d searches", n)
	}
	c.at = c.at.Add(2 * time.Hour)
	if hour = r.Read(); len(hour.Durations) != 0 || len(hour.Slow) != 0 || hour.Minutes[0].Searches != 0 {
		t.Errorf("%+v", hour.Durations)
	}
}

func TestSlowSearchesAreAggregatedByShape(t *testing.T) {
	r, c := open(100 * time.Millisecond)
	r.Search(series.Shape{Limit: 1}, took(99*time.Millisecond), false)
	if got := r.Read().Slow; len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	for limit := 1; limit <= 50; limit++ {
		r.Search(series.Shape{Limit: limit}, took(time.Duration(100+limit)*time.Millisecond), false)
	}
	c.at = c.at.Add(time.Second)
	r.Search(series.Shape{Limit: 50}, took(120*time.Millisecond), false)
	got := r.Read().Slow
	if len(got) != 20 || got[0].Limit != 50 || got[0].Searches != 2 || got[0].Times[series.Whole] != 150*time.Millisecond || !got[0].Last.Equal(c.at) {
		t.Errorf("%d: %+v", len(got), got[0])
	}
	if got[19].Limit != 31 {
		t.Errorf("the quickest is of limit %d", got[19].Limit)
	}
}

func TestRecordingAllocatesNothing(t *testing.T) {
	r, c := open(100 * time.Millisecond)
	quick, slow := took(time.Millisecond), took(time.Second)
	limit := 0
	if n := testing.AllocsPerRun(1000, func() {
		limit++
		c.at = c.at.Add(time.Second)
		r.Search(series.Shape{}, quick, false)
		r.Search(series.Shape{Limit: limit}, slow, false)
		r.Request(200)
		r.Sample(series.Totals{})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSearch(b *testing.B) {
	r := series.New(100*time.Millisecond, time.Now)
	times := &series.Times{series.Whole: 7 * time.Millisecond, series.Embed: 5 * time.Millisecond, series.Lexical: time.Millisecond, series.Vector: 5 * time.Millisecond, series.Fetch: time.Millisecond, series.Rank: time.Microsecond}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r.Search(series.Shape{Mode: "hybrid", Limit: 10}, times, false)
		}
	})
}
