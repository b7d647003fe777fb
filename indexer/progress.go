package indexer

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"mneme/embed"
)

// Progress counts this process's background work since it started.
type Progress struct {
	Indexed int64 // entries finished and removed from the queue
	// The number of times that entries were returned to the queue, by cause: the vector index,
	// the embedder, or a time limit.
	IndexFailed, EmbedderFailed, TimedOut int64
	// What reconciliations repaired, and when the last one succeeded; zero if none has.
	Removed, Restored int64
	Reconciled        time.Time
	LastReconciled    Reconciled // what the last reconciliation found and repaired
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

// failed counts an entry that was returned to the queue. It returns the text to store in the
// queue row: the class of the error, or the embedder's reason if it refused the text.
func (p *progress) failed(err error) string {
	switch {
	case errors.Is(err, errIndex):
		p.indexFailed.Add(1)
		return "vector index"
	case errors.Is(err, context.DeadlineExceeded):
		p.timedOut.Add(1)
		return "timeout"
	}
	p.embedderFailed.Add(1)
	if errors.Is(err, embed.ErrText) {
		return reasonOf(err)
	}
	return "embedder"
}

// reasonOf returns an embedder's reason for refusing a text: the part of the error from
// RefusedReason on. The reason does not quote the text.
func reasonOf(err error) string {
	_, said, _ := strings.Cut(err.Error(), RefusedReason)
	return RefusedReason + said
}

// RefusedReason begins the Failure.Reason of an entry that its embedder refused.
var RefusedReason = embed.ErrText.Error()

// Refused is an entry that its embedder refused.
type Refused struct {
	Store, Namespace, Key string
	Reason                string
}

func (p *progress) repaired(report Reconciled) {
	p.removed.Add(report.Removed)
	p.restored.Add(report.Restored)
}
