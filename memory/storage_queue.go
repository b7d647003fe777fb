package memory

import (
	"context"
	"time"

	"mneme/acl"
)

// QueueReader reads which entries wait for their vectors.
type QueueReader interface {
	// WaitingIn reports whether a searchable entry within a scope that is live at now has been
	// in the queue since before a time. If no entry of any store has been in the queue for that
	// long, the cost does not depend on the number of stores or rows.
	WaitingIn(ctx context.Context, scope acl.Scope, before, now time.Time) (bool, error)
}
