package indexer

import (
	"context"
	"errors"
	"sync"

	"github.com/google/uuid"
)

// unsettled tracks the entries that this process is writing to a shared index or failed to
// write there. Their vectors in the index may differ from the rows although the queue is empty:
// another worker may have written an entry and removed its queue row before an older write of
// this process ended or failed.
type unsettled struct {
	mu      sync.Mutex
	writing int                  // entries that are being written
	failed  map[uuid.UUID]string // the entries whose write failed, with the fingerprint of the model
}

// begin records that entries are being written. The caller calls end with the write's error
// when the write has ended. end records the entries as failed, unless the index itself refused
// the write, which the queue then retries with a backoff, or the model was replaced.
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

// add records entries whose write failed.
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

// take removes and returns the entries whose write failed, by fingerprint. They count as being
// written until end is called.
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

// settle retries the failed writes: it writes the vectors of these entries from the rows to the
// serving shared indexes. It forgets entries whose model no longer serves. A write that fails
// again stays recorded, even if the index refused it: there may be no queue row to retry it.
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
