package indexer

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Progress counts the background work of this process since it started.
type Progress struct {
	Indexed int64 // entries finished and removed from the queue
	// How often entries were returned to the queue, by what failed.
	IndexFailed, EmbedderFailed, TimedOut int64
	// What reconciliations repaired, and when the last one succeeded; zero:
	// none has.
	Removed, Restored int64
	Reconciled        time.Time
	LastReconciled    Reconciled // what that one found and repaired
}

// progress is the running count of Progress.
type progress struct {
	indexed, indexFailed, embedderFailed, timedOut, removed, restored atomic.Int64
	reconciled                                                        atomic.Pointer[reconciliation]
}

// reconciliation is the outcome of a reconciliation that succeeded.
type reconciliation struct {
	at     time.Time
	report Reconciled
}

func (p *progress) now() Progress {
	now := Progress{
		Indexed: p.indexed.Load(), IndexFailed: p.indexFailed.Load(), EmbedderFailed: p.embedderFailed.Load(),
		TimedOut: p.timedOut.Load(), Removed: p.removed.Load(), Restored: p.restored.Load(),
	}
	if last := p.reconciled.Load(); last != nil {
		now.Reconciled, now.LastReconciled = last.at, last.report
	}
	return now
}

// failed counts entries that were returned to the queue. It returns the class of
// the error, which is all that a queue row keeps of it.
func (p *progress) failed(entries int, err error) string {
	switch {
	case errors.Is(err, errIndex):
		p.indexFailed.Add(int64(entries))
		return "vector index"
	case errors.Is(err, context.DeadlineExceeded):
		p.timedOut.Add(int64(entries))
		return "timeout"
	}
	p.embedderFailed.Add(int64(entries))
	return "embedder"
}

func (p *progress) repaired(report Reconciled) {
	p.removed.Add(report.Removed)
	p.restored.Add(report.Restored)
}
