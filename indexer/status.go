package indexer

import (
	"context"
	"time"
)

// Status tells how the service is.
type Status struct {
	Storage    bool          // it answers
	Vector     bool          // a model serves questions, and its index is not known to be away
	Serving    string        // fingerprint of the vectors that serve; "" if no embedder here made them
	Configured string        // fingerprint of the configured embedder: where it differs, reindex
	Queue      int64         // entries whose vectors are not in step
	QueueLag   time.Duration // how long the oldest of them has waited
	Progress   Progress      // of this process
}

// Status looks at the storage and the model that serves.
func (ix *Indexer) Status(ctx context.Context) Status {
	status := Status{Configured: ix.models.wanted(), Progress: ix.progress.now()}
	if now := ix.models.serving(); now != nil {
		status.Vector, status.Serving = !ix.away.Load(), now.fingerprint
	}
	var err error
	status.Queue, status.QueueLag, err = ix.depth(ctx)
	status.Storage = err == nil
	return status
}
