package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mneme/memory"
)

// Group commit. A commit waits for the disk, and writes every page that its transaction changed
// to the log. Callers that wait for the writing connection share one transaction: the first of
// them leads it, and the others run in it one after another, each in a savepoint. The leader
// does not wait for further callers, and writes the index once for all of them.

const (
	// maxBatch bounds the number of callers in a shared transaction, and batchTime the time
	// after its start at which one may still begin.
	maxBatch  = 64
	batchTime = 10 * time.Millisecond
)

// batchQueue is the queue of the callers of UpdateBatched.
type batchQueue struct {
	bound   time.Duration // batchTime
	mu      sync.Mutex
	led     bool      // a caller is the leader: it waits for the connection or has it
	waiting []*member // first come, first served
}

// member is a waiting caller.
type member struct {
	turn chan *shared // receives the transaction to join; nil: the member leads the next one
}

// shared is a transaction of several callers.
type shared struct {
	session *session
	last    *writer       // of the last successful turn: it holds the index changes still to be written
	back    chan struct{} // receives when a member's turn is over
	broken  error         // the transaction cannot commit; set before back
	ended   chan struct{}
	err     error // of the commit, if any; set before ended is closed
}

// UpdateBatched implements memory.Storage.
func (s *Storage) UpdateBatched(ctx context.Context, fn func(memory.Tx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	t, err := s.batches.enter(ctx)
	switch {
	case err != nil:
		return err
	case t != nil:
		return s.ended(t.join(ctx, func(w *writeTx) error { return fn(w) }))
	}
	defer s.batches.leave()
	return s.committed(s.ended(s.writers.with(ctx, func(c *session) error {
		return s.batches.lead(ctx, c, func(w *writeTx) error { return fn(w) })
	})))
}

// enter waits until the caller may join a transaction. If it returns nil, the caller leads the
// next one, and must call leave afterwards.
func (q *batchQueue) enter(ctx context.Context) (*shared, error) {
	q.mu.Lock()
	if !q.led {
		q.led = true
		q.mu.Unlock()
		return nil, nil
	}
	m := &member{turn: make(chan *shared, 1)}
	q.waiting = append(q.waiting, m)
	q.mu.Unlock()
	select {
	case t := <-m.turn:
		return t, nil
	case <-ctx.Done():
		q.cancel(m)
		return nil, ctx.Err()
	}
}

// cancel removes a member from the queue. If its turn has just come, the next member gets it.
func (q *batchQueue) cancel(m *member) {
	q.mu.Lock()
	i := slices.Index(q.waiting, m)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i >= 0 {
		return
	}
	if t := <-m.turn; t != nil {
		t.back <- struct{}{}
	} else {
		q.leave()
	}
}

// leave makes the next member the leader.
func (q *batchQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.led = len(q.waiting) > 0; q.led {
		q.pop().turn <- nil
	}
}

// pop returns the first member. The caller holds the mutex.
func (q *batchQueue) pop() *member {
	m := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return m
}

// next returns the first member, or nil if nobody waits.
func (q *batchQueue) next() *member {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	return q.pop()
}

// lead runs fn in a new transaction, and then the functions of the waiting members. If fn
// fails, no member has joined.
func (q *batchQueue) lead(ctx context.Context, c *session, fn func(*writeTx) error) error {
	if err := c.controlWithRetry(ctx, beginWriting); err != nil {
		return err
	}
	defer c.rollback() // no-op after the commit
	w := newWriteTx(c)
	if err := w.run(ctx, fn); err != nil {
		return err
	}
	t := &shared{session: c, last: w.writer, back: make(chan struct{}), ended: make(chan struct{}), err: errNoCommit}
	defer close(t.ended)
	q.share(t)
	if t.broken != nil {
		t.err = t.broken
	} else {
		t.err = c.commit(context.WithoutCancel(ctx), t.last)
	}
	return t.err
}

// share lets the waiting members write in an open transaction.
func (q *batchQueue) share(t *shared) {
	began := time.Now()
	for n := 1; n < maxBatch && t.broken == nil && time.Since(began) < q.bound; n++ {
		m := q.next()
		if m == nil {
			break
		}
		m.turn <- t
		<-t.back
	}
}

// join runs fn in the transaction, and waits until the transaction has ended. A member's result
// may depend on the writes of earlier members, so it fails if the commit fails.
func (t *shared) join(ctx context.Context, fn func(*writeTx) error) error {
	err := t.run(ctx, fn)
	<-t.ended
	if t.err != nil {
		return errOfAll(t.err)
	}
	return err
}

// errNoCommit reports that the leader panicked.
var errNoCommit = errors.New("no commit")

// errOfAll returns the error of every member of a transaction that has failed: whose writes
// caused it is unknown.
func errOfAll(err error) error {
	return fmt.Errorf("%w: a transaction of several callers has failed: %w", memory.ErrUnavailable, err)
}

const (
	savepoint  = "SAVEPOINT member"
	release    = "RELEASE member"
	rollbackTo = "ROLLBACK TO member"
)

// run runs fn in a savepoint. It rolls back to the savepoint if fn fails or panics.
func (t *shared) run(ctx context.Context, fn func(*writeTx) error) (err error) {
	done := false
	defer func() {
		if !done {
			t.undo()
		}
		t.back <- struct{}{}
	}()
	if _, err := t.session.exec(savepoint); err != nil {
		return err
	}
	w := newWriteTx(t.session)
	w.postings.Follow(t.last.postings)
	w.words = slices.Clip(t.last.words)
	if err := w.run(ctx, fn); err != nil {
		return err
	}
	_, err = t.session.exec(release)
	if done = err == nil; done {
		w.postings, t.last = w.postings.Collected(), w.writer
	}
	return err
}

// undo rolls back to the savepoint. After some errors, for example of the disk, SQLite has
// rolled back the whole transaction, and there is no savepoint.
func (t *shared) undo() {
	if _, err := t.session.exec(rollbackTo); err != nil {
		t.broken = errOfAll(err)
	}
}
