package memory

import (
	"context"
	"time"

	"mneme/acl"
)

// QueueReader reads which entries wait for their vectors.
type QueueReader interface {
	// WaitingIn reports whether an entry within a scope that is live at now and searchable
	// has waited since before a time. The answer takes no longer for more stores or rows
	// while nothing at all waits that long.
	WaitingIn(ctx context.Context, scope acl.Scope, before, now time.Time) (bool, error)
}
