// Package fairqueue limits the number of concurrent calls, and lets the callers take
// turns:
//
//	turns := fairqueue.New(fairqueue.Limits{Running: 64, RunningEach: 8, Waiting: 1024, WaitingEach: 64})
//	done, err := turns.Enter(ctx, "ada", 1)
//	if err != nil {
//		return err // ErrFull, or the context's
//	}
//	defer done()
//
// Each free slot goes to one call of the next caller in turn. A caller with many waiting
// calls does not delay a caller with a single one, however much earlier it came. A call
// with a weight counts as that many calls of its caller.
package fairqueue

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// ErrFull reports that the maximum number of calls is waiting.
var ErrFull = errors.New("too many calls are waiting")

// Limits bound the calls of a Queue. Each must be positive, except Waiting and
// WaitingEach, which may be 0.
type Limits struct {
	Running     int // at a time
	RunningEach int // of one caller, by weight
	Waiting     int // at a time
	WaitingEach int // of one caller
}

// Load is the number of calls in a Queue, and the number that it has refused.
type Load struct {
	Running, Waiting int
	Refused          int64
}

// Queue is a fair queue. It is safe for concurrent use.
type Queue struct {
	limits Limits

	mu      sync.Mutex
	load    Load
	callers map[string]*caller // those with calls
	// turns are the callers that have waiting calls and may run one more, the next one in
	// front. While there are any, all slots are taken.
	turns list.List // of *caller
}

// caller holds the calls of one caller.
type caller struct {
	running int           // sum of weights
	waiting list.List     // of *call; first come, first served
	turn    *list.Element // in Queue.turns, or nil
}

// call is a waiting call.
type call struct {
	weight   int
	admitted chan struct{} // closed when the call may run
}

// New returns an empty queue.
func New(limits Limits) *Queue {
	return &Queue{limits: limits, callers: make(map[string]*caller)}
}

// Load returns the current load of the queue.
func (q *Queue) Load() Load {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.load
}

// Enter waits until a call of the caller may run. It counts as weight calls for the limit
// RunningEach, at most as RunningEach. done ends the call; it must be called once. The
// error is ErrFull, at once, or the error of ctx.
func (q *Queue) Enter(ctx context.Context, name string, weight int) (done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	weight = min(weight, q.limits.RunningEach)
	q.mu.Lock()
	c := q.callers[name]
	if c == nil {
		c = new(caller)
		q.callers[name] = c
	}
	done = func() { q.leave(name, c, weight) }
	if q.load.Running < q.limits.Running && c.waiting.Len() == 0 && q.fits(c, weight) {
		q.run(c, weight)
		q.mu.Unlock()
		return done, nil
	}
	if q.load.Waiting >= q.limits.Waiting || c.waiting.Len() >= q.limits.WaitingEach {
		q.load.Refused++
		q.forget(name, c)
		q.mu.Unlock()
		return nil, ErrFull
	}
	waiting := &call{weight: weight, admitted: make(chan struct{})}
	element := c.waiting.PushBack(waiting)
	q.load.Waiting++
	q.queue(c)
	q.mu.Unlock()

	select {
	case <-waiting.admitted:
		return done, nil
	case <-ctx.Done():
		return nil, q.cancel(ctx, name, c, element)
	}
}

// cancel removes a waiting call from the queue. If it has just been admitted, the next
// call gets its slot.
func (q *Queue) cancel(ctx context.Context, name string, c *caller, element *list.Element) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := element.Value.(*call)
	select {
	case <-waiting.admitted:
		q.end(c, waiting.weight)
	default:
		c.waiting.Remove(element)
		q.load.Waiting--
		q.queue(c)
		q.admit() // it may have blocked a lighter one
	}
	q.forget(name, c)
	return ctx.Err()
}

// leave ends a running call.
func (q *Queue) leave(name string, c *caller, weight int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end(c, weight)
	q.forget(name, c)
}

// end ends a running call and gives its slot to the next one in turn.
func (q *Queue) end(c *caller, weight int) {
	c.running -= weight
	q.load.Running--
	q.queue(c)
	q.admit()
}

// admit gives free slots to the next calls in turn.
func (q *Queue) admit() {
	for q.load.Running < q.limits.Running && q.turns.Len() > 0 {
		next := q.turns.Remove(q.turns.Front()).(*caller)
		next.turn = nil
		waiting := next.waiting.Remove(next.waiting.Front()).(*call)
		q.load.Waiting--
		q.run(next, waiting.weight)
		q.queue(next)
		close(waiting.admitted)
	}
}

func (q *Queue) run(c *caller, weight int) {
	c.running += weight
	q.load.Running++
}

// fits reports whether a caller may run one more call of a weight.
func (q *Queue) fits(c *caller, weight int) bool {
	return c.running+weight <= q.limits.RunningEach
}

// queue adds a caller to the end of turns if its next call may run, and removes it
// otherwise.
func (q *Queue) queue(c *caller) {
	ready := c.waiting.Len() > 0 && q.fits(c, c.waiting.Front().Value.(*call).weight)
	switch {
	case ready && c.turn == nil:
		c.turn = q.turns.PushBack(c)
	case !ready && c.turn != nil:
		q.turns.Remove(c.turn)
		c.turn = nil
	}
}

// forget drops a caller without calls.
func (q *Queue) forget(name string, c *caller) {
	if c.running == 0 && c.waiting.Len() == 0 {
		delete(q.callers, name)
	}
}
