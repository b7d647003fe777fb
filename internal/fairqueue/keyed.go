package fairqueue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrLate reports that a call could not run within its Patience.
var ErrLate = errors.New("the call has waited for too long")

// KeyedCall describes a call to a Keyed.
type KeyedCall struct {
	Caller string
	Weight int      // share of the limits on running calls, at least 1
	Keys   []string // no two running calls have a key in common
	// Patience is how long the call waits before it fails with ErrLate.
	Patience time.Duration
}

// Keyed is a fair queue of calls that exclude each other by keys, as writers of one store
// do. It differs from Queue in three points:
//
//   - Two calls with a key in common never run at the same time. Calls that need neither
//     the key nor the caller's limit overtake a call that waits for one of these.
//   - Limits.Running counts weights, like RunningEach.
//   - A call waits for a bounded time.
//
// Callers take turns in rounds: each waiting call of a caller is in a later round than the
// previous one, and calls run by round, then by arrival. No call ever moves back, so each
// gets its turn. A Keyed is safe for concurrent use.
type Keyed struct {
	limits Limits

	mu      sync.Mutex
	running int // sum of weights
	load    Load
	callers map[string]*keyedCaller
	held    map[string]bool // keys of running calls
	waiting []*keyedCall    // by round, then by arrival
	round   int64           // the latest round with a call that has run
	arrived int64           // number of calls so far
	scans   int64           // number of calls of admit
}

// keyedCaller has the calls of one caller.
type keyedCaller struct {
	running int // sum of weights
	calls   int // number of running and waiting calls
	waiting int
	last    int64 // the round of the latest call
	limited int64 // number of the scan (Keyed.scans) in which RunningEach blocked one of its calls
}

// keyedCall is a call that waits or runs.
type keyedCall struct {
	KeyedCall
	of       *keyedCaller
	round    int64
	arrival  int64
	admitted chan struct{} // closed when the call may run
}

// NewKeyed returns an empty queue.
func NewKeyed(limits Limits) *Keyed {
	return &Keyed{limits: limits, callers: make(map[string]*keyedCaller), held: make(map[string]bool)}
}

// Load returns the current number of calls, regardless of their weights.
func (q *Keyed) Load() Load {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.load
}

// Enter waits until a call may run. A weight above RunningEach counts as RunningEach. done
// ends the call; it must be called once. The error is ErrFull, at once, ErrLate, or the
// error of ctx.
func (q *Keyed) Enter(ctx context.Context, call KeyedCall) (done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := q.add(call)
	if err != nil {
		return nil, err
	}
	done = func() { q.end(c) }
	select {
	case <-c.admitted:
		return done, nil
	default:
	}
	timer := time.NewTimer(call.Patience)
	defer timer.Stop()
	select {
	case <-c.admitted:
		return done, nil
	case <-timer.C:
		return nil, q.leave(c, ErrLate)
	case <-ctx.Done():
		return nil, q.leave(c, ctx.Err())
	}
}

// add adds a call, and admits it if it may run at once.
func (q *Keyed) add(call KeyedCall) (*keyedCall, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	of := q.callers[call.Caller]
	if of == nil {
		of = &keyedCaller{last: q.round - 1}
		q.callers[call.Caller] = of
	}
	q.arrived++
	call.Weight = min(max(call.Weight, 1), q.limits.RunningEach)
	c := &keyedCall{KeyedCall: call, of: of, round: max(q.round, of.last+1), arrival: q.arrived, admitted: make(chan struct{})}
	at, _ := slices.BinarySearchFunc(q.waiting, c, (*keyedCall).compare)
	q.waiting = slices.Insert(q.waiting, at, c)
	q.load.Waiting++
	of.calls++
	of.waiting++
	of.last = c.round
	q.admit()
	// A call that runs at once does not count as waiting.
	if !c.runs() && (q.load.Waiting > q.limits.Waiting || of.waiting > q.limits.WaitingEach) {
		q.remove(c)
		q.load.Refused++
		return nil, ErrFull
	}
	return c, nil
}

// compare orders calls by round, then by arrival.
func (c *keyedCall) compare(other *keyedCall) int {
	return cmp.Or(cmp.Compare(c.round, other.round), cmp.Compare(c.arrival, other.arrival))
}

// runs reports whether the call was admitted. The caller holds the mutex.
func (c *keyedCall) runs() bool {
	select {
	case <-c.admitted:
		return true
	default:
		return false
	}
}

// admit runs the calls that may run, in order. Light calls do not overtake a heavy one
// forever, nor calls of one key a call of two: the first call that does not fit Running
// blocks all calls behind it, a call that waits for a key blocks calls that need one of
// its keys, and a call at its caller's limit blocks the calls of that caller.
func (q *Keyed) admit() {
	q.scans++
	var claimed map[string]bool
	kept := q.waiting[:0]
	for i, c := range q.waiting {
		switch {
		case c.of.limited == q.scans || c.of.running+c.Weight > q.limits.RunningEach:
			c.of.limited = q.scans
		case q.blocked(c, claimed):
			if claimed == nil {
				claimed = make(map[string]bool)
			}
			for _, key := range c.Keys {
				claimed[key] = true
			}
		case q.running+c.Weight > q.limits.Running:
			q.keep(append(kept, q.waiting[i:]...))
			return
		default:
			q.run(c)
			continue
		}
		kept = append(kept, c)
	}
	q.keep(kept)
}

// keep makes waiting, a prefix of the array of q.waiting, the waiting calls. It clears the rest
// of the array for the garbage collector.
func (q *Keyed) keep(waiting []*keyedCall) {
	clear(q.waiting[len(waiting):])
	q.waiting = waiting
}

// blocked reports whether a call must wait for one of its keys.
func (q *Keyed) blocked(c *keyedCall, claimed map[string]bool) bool {
	return slices.ContainsFunc(c.Keys, func(key string) bool { return q.held[key] || claimed[key] })
}

func (q *Keyed) run(c *keyedCall) {
	q.running += c.Weight
	c.of.running += c.Weight
	c.of.waiting--
	q.load.Waiting--
	q.load.Running++
	q.round = max(q.round, c.round)
	for _, key := range c.Keys {
		q.held[key] = true
	}
	close(c.admitted)
}

// leave removes a waiting call from the queue. If it has just been admitted, the next call
// gets its slot.
func (q *Keyed) leave(c *keyedCall, err error) error {
	q.mu.Lock()
	if c.runs() {
		q.mu.Unlock()
		q.end(c)
		return err
	}
	defer q.mu.Unlock()
	if q.remove(c); errors.Is(err, ErrLate) {
		q.load.Refused++
	}
	q.admit() // it may have blocked others
	return err
}

// remove removes a waiting call. Each later call of its caller moves up to the round of
// the call before it.
func (q *Keyed) remove(c *keyedCall) {
	i := slices.Index(q.waiting, c)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	round, moved := c.round, false
	for _, later := range q.waiting[i:] {
		if later.of == c.of {
			later.round, round, moved = round, later.round, true
		}
	}
	if c.of.last = round - 1; moved {
		slices.SortFunc(q.waiting, (*keyedCall).compare)
	}
	q.load.Waiting--
	c.of.waiting--
	q.forget(c)
}

// end ends a running call and admits the next ones.
func (q *Keyed) end(c *keyedCall) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running -= c.Weight
	c.of.running -= c.Weight
	q.load.Running--
	for _, key := range c.Keys {
		delete(q.held, key)
	}
	q.forget(c)
	q.admit()
}

// forget drops a call, and its caller if that has no other calls.
func (q *Keyed) forget(c *keyedCall) {
	if c.of.calls--; c.of.calls == 0 {
		delete(q.callers, c.Caller)
	}
}
