package fairqueue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// request is a call in the model.
type request struct {
	caller string
	id     int
	weight int
}

// model is a literal implementation of the queue's contract: it scans every call each
// time.
type model struct {
	limits           Limits
	running, waiting []request // in the order of arrival
	turns            []string  // callers that may run a call, the longest able first
}

// of returns the calls of a caller.
func of(caller string, calls []request) (its []request) {
	for _, c := range calls {
		if c.caller == caller {
			its = append(its, c)
		}
	}
	return its
}

// fits reports whether the caller of a call may run it too.
func (m *model) fits(c request) bool {
	sum := c.weight
	for _, other := range of(c.caller, m.running) {
		sum += other.weight
	}
	return sum <= m.limits.RunningEach
}

// ready reports whether a caller has waiting calls and may run the first.
func (m *model) ready(caller string) bool {
	waiting := of(caller, m.waiting)
	return len(waiting) > 0 && m.fits(waiting[0])
}

// settle updates turns for a caller.
func (m *model) settle(caller string) {
	at := slices.Index(m.turns, caller)
	if m.ready(caller) && at < 0 {
		m.turns = append(m.turns, caller)
	} else if !m.ready(caller) && at >= 0 {
		m.turns = slices.Delete(m.turns, at, at+1)
	}
}

// enter returns "runs", "waits" or "full".
func (m *model) enter(c request) string {
	waiting := len(of(c.caller, m.waiting))
	switch {
	case len(m.running) < m.limits.Running && waiting == 0 && m.fits(c):
		m.running = append(m.running, c)
		return "runs"
	case len(m.waiting) >= m.limits.Waiting || waiting >= m.limits.WaitingEach:
		return "full"
	}
	m.waiting = append(m.waiting, c)
	m.settle(c.caller)
	return "waits"
}

func (m *model) cancel(c request) {
	m.waiting = slices.DeleteFunc(m.waiting, func(other request) bool { return other == c })
	m.settle(c.caller)
	m.admit()
}

func (m *model) leave(c request) {
	m.running = slices.DeleteFunc(m.running, func(other request) bool { return other == c })
	m.settle(c.caller)
	m.admit()
}

func (m *model) admit() {
	for len(m.turns) > 0 && len(m.running) < m.limits.Running {
		caller := m.turns[0]
		m.turns = m.turns[1:]
		next := of(caller, m.waiting)[0]
		m.waiting = slices.DeleteFunc(m.waiting, func(c request) bool { return c == next })
		m.running = append(m.running, next)
		m.settle(caller)
	}
}

// actual runs calls in a real queue.
type actual struct {
	queue  *Queue
	mu     sync.Mutex
	cancel map[request]context.CancelFunc
	done   map[request]func()
	failed map[request]error
}

func (a *actual) enter(c request) {
	ctx, cancel := context.WithCancel(context.Background())
	a.mu.Lock()
	a.cancel[c] = cancel
	a.mu.Unlock()
	go func() {
		done, err := a.queue.Enter(ctx, c.caller, c.weight)
		a.mu.Lock()
		defer a.mu.Unlock()
		if err != nil {
			a.failed[c] = err
			return
		}
		a.done[c] = done
	}()
	synctest.Wait()
}

// state lists the running calls.
func (a *actual) state() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return ids(func(yield func(request) bool) {
		for c := range a.done {
			if !yield(c) {
				return
			}
		}
	})
}

func ids(calls func(func(request) bool)) string {
	var list []string
	for c := range calls {
		list = append(list, fmt.Sprintf("%s%03d", c.caller, c.id))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestQueueMatchesItsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		small := rapid.IntRange(1, 3)
		limits := Limits{Running: small.Draw(rt, "running"), RunningEach: small.Draw(rt, "running each"),
			Waiting: rapid.IntRange(0, 8).Draw(rt, "waiting"), WaitingEach: rapid.IntRange(0, 4).Draw(rt, "waiting each")}
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) [2]int {
			return [2]int{rapid.IntRange(0, 9).Draw(rt, "what"), rapid.IntRange(0, 99).Draw(rt, "which")}
		}), 1, 60).Draw(rt, "steps")
		synctest.Test(t, func(*testing.T) { runSteps(rt, limits, steps) })
	})
}

func runSteps(rt *rapid.T, limits Limits, steps [][2]int) {
	m := &model{limits: limits}
	a := &actual{queue: New(limits), cancel: make(map[request]context.CancelFunc), done: make(map[request]func()), failed: make(map[request]error)}
	refused := int64(0)
	leave := func(c request) {
		m.leave(c)
		a.mu.Lock()
		done := a.done[c]
		delete(a.done, c)
		a.mu.Unlock()
		done()
		synctest.Wait()
	}
	for id, step := range steps {
		switch what, which := step[0], step[1]; {
		case what < 6: // enter
			c := request{caller: string(rune('a' + which%4)), id: id, weight: min(1+which%3, limits.RunningEach)}
			outcome := m.enter(c)
			a.enter(c)
			if full := errors.Is(a.failed[c], ErrFull); full != (outcome == "full") {
				rt.Fatalf("step %d: %v is refused: %v, want %s", id, c, full, outcome)
			}
			if outcome == "full" {
				refused++
			}
		case what < 8: // end a call
			if len(m.running) > 0 {
				leave(m.running[which%len(m.running)])
			}
		default: // cancel a waiting call
			if len(m.waiting) > 0 {
				c := m.waiting[which%len(m.waiting)]
				m.cancel(c)
				a.cancel[c]()
				synctest.Wait()
				if !errors.Is(a.failed[c], context.Canceled) {
					rt.Fatalf("step %d: canceled call %v: %v", id, c, a.failed[c])
				}
			}
		}
		if got, want := a.state(), ids(slices.Values(m.running)); got != want {
			rt.Fatalf("step %d: running %s, want %s", id, got, want)
		}
		if got, want := a.queue.Load(), (Load{len(m.running), len(m.waiting), refused}); got != want {
			rt.Fatalf("step %d: load %v, want %v", id, got, want)
		}
	}
	for len(m.running) > 0 {
		leave(m.running[0])
	}
	for _, cancel := range a.cancel {
		cancel()
	}
	synctest.Wait()
	if len(a.queue.callers) != 0 || a.queue.turns.Len() != 0 || a.queue.Load() != (Load{Refused: refused}) {
		rt.Fatalf("the empty queue holds %v, %v", a.queue.callers, a.queue.Load())
	}
}

func TestManyWaitingCallsDoNotDelayOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Limits{Running: 2, RunningEach: 1, Waiting: 100, WaitingEach: 60})
		var order []string
		var mu sync.Mutex
		release := make(chan struct{})
		enter := func(name string) {
			go func() {
				done, err := q.Enter(context.Background(), name, 1)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				<-release
				done()
			}()
			synctest.Wait()
		}
		enter("other")
		for range 61 {
			enter("hog")
		}
		enter("ada")
		enter("bob")
		for range 64 {
			release <- struct{}{}
			synctest.Wait()
		}
		if first := order[:5]; slices.Index(first, "ada") < 0 || slices.Index(first, "bob") < 0 {
			t.Errorf("the first calls are those of %v", first)
		}
	})
}

// A call of the largest weight runs alone. Later calls wait behind it, so that light calls do
// not overtake it forever.
func TestAHeavyCallCountsAsMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Limits{Running: 8, RunningEach: 4, Waiting: 8, WaitingEach: 8})
		var order []string
		var mu sync.Mutex
		enter := func(caller, id string, weight int) {
			go func() {
				done, err := q.Enter(context.Background(), caller, weight)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, id)
				mu.Unlock()
				time.Sleep(time.Second)
				done()
			}()
			synctest.Wait()
		}
		enter("hog", "heavy", 100)
		enter("hog", "heavy again", 4)
		enter("hog", "light", 1)
		enter("hog", "all again", 4)
		enter("ada", "ada's", 1)
		if got, want := q.Load(), (Load{Running: 2, Waiting: 3}); got != want {
			t.Errorf("load %v, want %v", got, want)
		}
		time.Sleep(time.Second + time.Second/2)
		if got, want := q.Load(), (Load{Running: 1, Waiting: 2}); got != want {
			t.Errorf("load %v, want %v", got, want)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []string{"heavy", "ada's", "heavy again", "light", "all again"}; !slices.Equal(order, want) {
			t.Errorf("order %q, want %q", order, want)
		}
	})
}

func TestACanceledCallEntersNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	q := New(Limits{Running: 1, RunningEach: 1})
	if _, err := q.Enter(ctx, "ada", 1); !errors.Is(err, context.Canceled) || q.Load() != (Load{}) {
		t.Errorf("%v, %v", err, q.Load())
	}
}

func TestConcurrentCallsStayWithinTheLimits(t *testing.T) {
	q := New(Limits{Running: 3, RunningEach: 2, Waiting: 20, WaitingEach: 10})
	var mu sync.Mutex
	running := make(map[string]int)
	var group sync.WaitGroup
	for i := range 30 {
		group.Go(func() {
			name := string(rune('a' + i%4))
			for n := range 200 {
				ctx, cancel := context.WithCancel(context.Background())
				if n%7 == 0 {
					go cancel()
				}
				done, err := q.Enter(ctx, name, 1)
				if err == nil {
					mu.Lock()
					running[name]++
					running["all"]++
					if running[name] > 2 || running["all"] > 3 {
						t.Errorf("%v run", running)
					}
					mu.Unlock()
					mu.Lock()
					running[name]--
					running["all"]--
					mu.Unlock()
					done()
				}
				cancel()
			}
		})
	}
	group.Wait()
	if load := q.Load(); load.Running != 0 || load.Waiting != 0 || len(q.callers) != 0 {
		t.Errorf("the empty queue has %v, %v", load, q.callers)
	}
}

func BenchmarkUncontended(b *testing.B) {
	q := New(Limits{Running: 64, RunningEach: 8, Waiting: 1024, WaitingEach: 64})
	b.ReportAllocs()
	for b.Loop() {
		done, err := q.Enter(context.Background(), "ada", 1)
		if err != nil {
			b.Fatal(err)
		}
		done()
	}
}

func BenchmarkParallel(b *testing.B) {
	q := New(Limits{Running: 64, RunningEach: 8, Waiting: 1024, WaitingEach: 64})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			done, err := q.Enter(context.Background(), "ada", 1)
			if err != nil {
				b.Error(err)
				return
			}
			done()
		}
	})
}
