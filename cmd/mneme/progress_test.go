package main

import (
	"testing"
	"time"
)

// clockedBar returns a hidden bar and its clock.
func clockedBar(total int64) (*bar, *time.Time) {
	p := &program{}
	b := p.newBar(total, "making vectors")
	now := time.Unix(0, 0)
	b.estimate = estimate{now: func() time.Time { return now }}
	b.estimate.set(0)
	return b, &now
}

func TestProgressShowsTheTimeLeftFromTheFirstSecond(t *testing.T) {
	b, now := clockedBar(1000)
	for _, step := range []struct {
		after time.Duration
		done  int64
		want  string
	}{
		{0, 0, "making vectors"},
		{100 * time.Millisecond, 0, "making vectors"},
		{400 * time.Millisecond, 50, "making vectors, 100 entries/s, 10 s left"},
		{500 * time.Millisecond, 100, "making vectors, 100 entries/s, 9 s left"},
		{19 * time.Second, 120, "making vectors, 360 entries/min, 2 min 27 s left"},
		{20 * time.Second, 140, "making vectors, 60 entries/min, 14 min 20 s left"},
		{time.Second, 1000, "making vectors"},
	} {
		*now = now.Add(step.after)
		if err := b.Set64(step.done); err != nil {
			t.Fatal(err)
		}
		if got := b.text(); got != step.want {
			t.Errorf("%d done: %q, want %q", step.done, got, step.want)
		}
	}
}

func TestProgressOfAnUnknownTotalShowsTheSpeed(t *testing.T) {
	b, now := clockedBar(-1)
	*now = now.Add(2 * time.Second)
	if err := b.Add(500); err != nil {
		t.Fatal(err)
	}
	if got, want := b.text(), "making vectors, 250 entries/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAnEmptyTaskDrawsNoProgress(t *testing.T) {
	b, _ := clockedBar(0)
	if err := b.Set64(0); err != nil || b.drawn {
		t.Errorf("drawn %v, error %v", b.drawn, err)
	}
	b.setTotal(2)
	if err := b.Set64(1); err != nil || !b.drawn {
		t.Errorf("of two: drawn %v, error %v", b.drawn, err)
	}
}

func TestAGrowingTotalRestartsTheEstimate(t *testing.T) {
	b, now := clockedBar(100)
	*now = now.Add(time.Second)
	b.Set64(90) //nolint:errcheck // a hidden bar
	b.setTotal(500)
	*now = now.Add(time.Second)
	b.Set64(0) //nolint:errcheck // a hidden bar
	*now = now.Add(time.Second)
	b.Set64(100) //nolint:errcheck // a hidden bar
	if got, want := b.text(), "making vectors, 100 entries/s, 4 s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestProgressNamesSensibleUnits(t *testing.T) {
	for perSecond, want := range map[float64]string{215.4: "215 entries/s", 10: "10 entries/s", 9.5: "570 entries/min", 0.01: "36 entries/h"} {
		if got := formatRate(perSecond, "entries"); got != want {
			t.Errorf("%g/s: %q, want %q", perSecond, got, want)
		}
	}
	for left, want := range map[time.Duration]string{
		time.Millisecond: "1 s", 59*time.Second + 1: "1 min 0 s", 95 * time.Second: "1 min 35 s",
		time.Hour - time.Second: "59 min 59 s", 26*time.Hour + 61*time.Second: "26 h 2 min",
	} {
		if got := formatLeft(left); got != want {
			t.Errorf("%v: %q, want %q", left, got, want)
		}
	}
}
