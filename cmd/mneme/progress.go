package main

import (
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// bar is the progress bar of one task, with its speed and the remaining time. It
// implements harness.Bar.
type bar struct {
	*progressbar.ProgressBar
	task     string
	unit     string // plural noun for the steps; "entries" by default
	total    int64  // negative: unknown
	done     int64
	drawn    bool // whether there was something to do
	estimate estimate
}

// newBar returns a progress bar on stderr. It is hidden unless stderr is a terminal, and
// while the total is 0. A negative total is unknown.
func (p *program) newBar(total int64, task string) *bar {
	b := &bar{task: task, unit: "entries", total: total, drawn: total != 0, estimate: estimate{now: time.Now}}
	b.estimate.set(0)
	if !onTerminal(p.err) {
		b.ProgressBar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetVisibility(false))
		return b
	}
	b.ProgressBar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(p.err),
		progressbar.OptionSetDescription(task),
		progressbar.OptionShowCount(),
		// The library shows 0s until it has an estimate; text has its own.
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionFullWidth(),
		progressbar.OptionSetRenderBlankState(total != 0),
		// Completion is signaled twice: at the last entry and by Exit.
		progressbar.OptionOnCompletion(sync.OnceFunc(func() {
			if b.drawn {
				fmt.Fprintln(p.err)
			}
		})),
	)
	return b
}

// Set64 sets the number of completed steps.
func (b *bar) Set64(done int64) error {
	b.done = done
	b.estimate.set(done)
	if b.total == 0 {
		return nil
	}
	b.drawn = true
	b.Describe(b.text())
	return b.ProgressBar.Set64(done)
}

// Add adds to the number of completed steps.
func (b *bar) Add(steps int) error { return b.Set64(b.done + int64(steps)) }

// setTotal changes the total number of steps.
func (b *bar) setTotal(total int64) {
	if total != b.total {
		b.total = total
		b.ChangeMax64(total)
	}
}

// text returns the task, its speed, and the remaining time if it is known.
func (b *bar) text() string {
	perSecond := b.estimate.rate()
	if perSecond == 0 || b.done == b.total {
		return b.task
	}
	text := b.task + ", " + formatRate(perSecond, b.unit)
	if b.total > b.done {
		text += ", " + formatLeft(time.Duration(float64(b.total-b.done)/perSecond*float64(time.Second))) + " left"
	}
	return text
}

// estimate measures the speed of a task over its last seconds, since entries differ in
// length and a process may share the machine.
type estimate struct {
	now    func() time.Time
	points []point // oldest first
}

type point struct {
	at   time.Time
	done int64
}

const (
	// estimateWindow is the time over which the speed is measured, pointEvery the minimum
	// time between two points.
	estimateWindow = 20 * time.Second
	pointEvery     = 100 * time.Millisecond
)

// set records the current number of completed steps. If the number is smaller than before,
// the measurement starts over.
func (e *estimate) set(done int64) {
	now := e.now()
	if n := len(e.points); n > 0 && done < e.points[n-1].done {
		e.points = e.points[:0]
	}
	for len(e.points) > 1 && now.Sub(e.points[1].at) >= estimateWindow {
		e.points = e.points[1:]
	}
	if n := len(e.points); n > 1 && now.Sub(e.points[n-2].at) < pointEvery {
		e.points[n-1] = point{now, done}
		return
	}
	e.points = append(e.points, point{now, done})
}

// rate returns the steps per second; 0 while it is unknown.
func (e *estimate) rate() float64 {
	first, last := e.points[0], e.points[len(e.points)-1]
	took := last.at.Sub(first.at)
	if took <= 0 {
		return 0
	}
	return float64(last.done-first.done) / took.Seconds()
}

// formatRate formats a speed per second, minute or hour: the shortest that gives at least
// two digits, or else per hour.
func formatRate(perSecond float64, unit string) string {
	switch {
	case perSecond >= 10:
		return fmt.Sprintf("%.0f %s/s", perSecond, unit)
	case perSecond*60 >= 10:
		return fmt.Sprintf("%.0f %s/min", perSecond*60, unit)
	default:
		return fmt.Sprintf("%.0f %s/h", perSecond*3600, unit)
	}
}

// formatLeft formats a time in one or two units, rounded up.
func formatLeft(left time.Duration) string {
	s := int64(math.Ceil(left.Seconds()))
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", max(1, s))
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		m := (s + 59) / 60
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
}

// rate formats n per second.
func rate(n int64, took time.Duration) string {
	if took <= 0 {
		return "0/s"
	}
	return fmt.Sprintf("%.0f/s", float64(n)/took.Seconds())
}
