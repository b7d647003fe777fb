package indexer

import (
	"context"
	"errors"
	"sync"

	"github.com/google/uuid"
)

// unsettled knows the entries of this process whose vectors in a shared index may differ
// from their rows, although the queue may be empty: a write to the index can end after
// that of another worker, who has since removed the queue row, and then fail to read the
// rows again.
type unsettled struct {
	mu      sync.Mutex
	writing int                  // entries that are being written
	failed  map[uuid.UUID]string // those whose rows were not read after a write, with the fingerprint of the model
}

// begin notes that entries are being written. The write has ended when the function that
// it returns is called, with its error. What the index itself refused is tried again by
// the queue, with a backoff.
func (u *unsettled) begin(fingerprint string, ids []uuid.UUID) (end func(error)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.writing += len(ids)
	return func(err error) {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.writing -= len(ids)
		if err == nil || errors.Is(err, errIndex) {
			return
		}
		if u.failed == nil {
			u.failed = make(map[uuid.UUID]string)
		}
		for _, id := range ids {
			u.failed[id] = fingerprint
		}
	}
}

// take removes and returns the entries whose write failed, by fingerprint.
func (u *unsettled) take() map[string][]uuid.UUID {
	u.mu.Lock()
	defer u.mu.Unlock()
	by := make(map[string][]uuid.UUID)
	for id, fingerprint := range u.failed {
		by[fingerprint] = append(by[fingerprint], id)
	}
	u.failed = nil
	return by
}

// len returns how many entries are unsettled.
func (u *unsettled) len() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.writing + len(u.failed)
}

// settle makes the serving shared indexes hold what the rows say of the entries whose
// write failed. Those of a model that no longer serves are forgotten.
func (ix *Indexer) settle(ctx context.Context) error {
	failed := ix.unsettled.take()
	var errs []error
	for _, now := range ix.serving() {
		if now != nil && len(failed[now.fingerprint]) > 0 {
			errs = append(errs, ix.repair(ctx, now, failed[now.fingerprint]))
		}
	}
	return errors.Join(errs...)
}
