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
// rows again or to write them.
type unsettled struct {
	mu      sync.Mutex
	writing int                  // entries that are being written
	failed  map[uuid.UUID]string // those whose write was not followed up, with the fingerprint of the model
}

// begin notes that entries are being written. The write has ended when the function that
// it returns is called, with its error. What the index itself refused at first is tried
// again by the queue, with a backoff.
func (u *unsettled) begin(fingerprint string, ids []uuid.UUID) (end func(error)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.writing += len(ids)
	return func(err error) {
		if err != nil && !errors.Is(err, errIndex) && !errors.Is(err, errReplaced) {
			u.add(fingerprint, ids)
		}
		u.mu.Lock()
		defer u.mu.Unlock()
		u.writing -= len(ids)
	}
}

// add notes entries whose write failed.
func (u *unsettled) add(fingerprint string, ids []uuid.UUID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failed == nil {
		u.failed = make(map[uuid.UUID]string)
	}
	for _, id := range ids {
		u.failed[id] = fingerprint
	}
}

// take removes and returns the entries whose write failed, by fingerprint. They count as
// being written until end is called.
func (u *unsettled) take() (by map[string][]uuid.UUID, end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	by = make(map[string][]uuid.UUID)
	for id, fingerprint := range u.failed {
		by[fingerprint] = append(by[fingerprint], id)
	}
	n := len(u.failed)
	u.writing += n
	u.failed = nil
	return by, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.writing -= n
	}
}

// len returns how many entries are unsettled.
func (u *unsettled) len() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.writing + len(u.failed)
}

// settle makes the serving shared indexes hold what the rows say of the entries whose
// write failed. Those of a model that no longer serves are forgotten. What fails is tried
// again, even if the index refused it: no queue row may bring it back.
func (ix *Indexer) settle(ctx context.Context) error {
	failed, end := ix.unsettled.take()
	defer end()
	var errs []error
	for _, now := range ix.serving() {
		if now == nil || len(failed[now.fingerprint]) == 0 {
			continue
		}
		if err := ix.repair(ctx, now, failed[now.fingerprint]); err != nil && !errors.Is(err, errReplaced) {
			ix.unsettled.add(now.fingerprint, failed[now.fingerprint])
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
