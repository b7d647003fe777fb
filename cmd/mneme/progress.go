package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// newBar returns a progress bar on stderr. It is hidden unless stderr is a
// terminal. A negative total is unknown.
func (p *program) newBar(total int64, task string) *progressbar.ProgressBar {
	if !onTerminal(p.err) {
		return progressbar.NewOptions64(total, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetVisibility(false))
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(p.err),
		progressbar.OptionSetDescription(task),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("entries"),
		progressbar.OptionSetPredictTime(total >= 0),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionFullWidth(),
		progressbar.OptionSetRenderBlankState(true),
		// Completion is signaled twice: at the last entry and by Exit.
		progressbar.OptionOnCompletion(sync.OnceFunc(func() { fmt.Fprintln(p.err) })),
	)
}

// rate formats n per second.
func rate(n int64, took time.Duration) string {
	if took <= 0 {
		return "0/s"
	}
	return fmt.Sprintf("%.0f/s", float64(n)/took.Seconds())
}
