package fairqueue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// stage runs calls in a Keyed, in a bubble of simulated time.
type stage struct {
	*Keyed
	t      *testing.T
	mu     sync.Mutex
	began  map[string]time.Time // when calls began to run
	failed map[string]error
}

func newStage(t *testing.T, limits Limits) *stage {
	return &stage{Keyed: NewKeyed(limits), t: t, began: make(map[string]time.Time), failed: make(map[string]error)}
}

// enter enters a call, which runs for a time once it is its turn.
func (s *stage) enter(ctx context.Context, id string, call KeyedCall, runs time.Duration) {
	if call.Patience == 0 {
		call.Patience = time.Hour
	}
	go func() {
		done, err := s.Enter(ctx, call)
		s.mu.Lock()
		if err != nil {
			s.failed[id] = err
		} else {
			s.began[id] = time.Now()
		}
		s.mu.Unlock()
		if err == nil {
			time.Sleep(runs)
			done()
		}
	}()
	synctest.Wait()
}

// ran checks the order in which the calls ran, once all have ended. Calls that began at
// the same time are in the order of their IDs.
func (s *stage) ran(want ...string) {
	s.t.Helper()
	time.Sleep(24 * time.Hour)
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	order := slices.SortedFunc(maps.Keys(s.began), func(a, b string) int {
		return cmp.Or(s.began[a].Compare(s.began[b]), cmp.Compare(a, b))
	})
	if !slices.Equal(order, want) {
		s.t.Errorf("ran %q, want %q", order, want)
	}
	if load := s.Load(); load.Running != 0 || load.Waiting != 0 || len(s.callers) != 0 || len(s.held) != 0 || s.running != 0 {
		s.t.Errorf("the empty queue holds %v, %v, %v", load, s.callers, s.held)
	}
}

func TestCallersOfAKeyTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Limits{Running: 8, RunningEach: 3, Waiting: 100, WaitingEach: 100})
		for i := range 5 {
			s.enter(t.Context(), fmt.Sprint("hog", i), KeyedCall{Caller: "hog", Keys: []string{"store"}}, time.Second)
		}
		for i := range 2 {
			s.enter(t.Context(), fmt.Sprint("ada", i), KeyedCall{Caller: "ada", Keys: []string{"store"}}, time.Second)
			s.enter(t.Context(), fmt.Sprint("bob", i), KeyedCall{Caller: "bob", Keys: []string{"store"}}, time.Second)
		}
		if got, want := s.Load(), (Load{Running: 1, Waiting: 8}); got != want {
			t.Errorf("load %v, want %v", got, want)
		}
		s.ran("hog0", "ada0", "bob0", "hog1", "ada1", "bob1", "hog2", "hog3", "hog4")
	})
}

// Calls that wait for a key or for their caller's limit do not block calls that need
// neither.
func TestWaitingCallsDoNotBlockOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Limits{Running: 4, RunningEach: 2, Waiting: 100, WaitingEach: 100})
		for i := range 3 {
			s.enter(t.Context(), fmt.Sprint("same", i), KeyedCall{Caller: "hog", Keys: []string{"store"}}, time.Minute)
		}
		s.enter(t.Context(), "its other", KeyedCall{Caller: "hog", Keys: []string{"another"}}, time.Minute)
		s.enter(t.Context(), "over its limit", KeyedCall{Caller: "hog", Keys: []string{"third"}}, time.Second)
		s.enter(t.Context(), "ada", KeyedCall{Caller: "ada", Keys: []string{"third"}}, time.Minute)
		s.enter(t.Context(), "bob", KeyedCall{Caller: "bob", Keys: []string{"fourth"}}, time.Minute)
		if got, want := s.Load(), (Load{Running: 4, Waiting: 3}); got != want {
			t.Errorf("load %v, want %v", got, want)
		}
		s.ran("ada", "bob", "its other", "same0", "over its limit", "same1", "same2")
	})
}

// Calls of one key do not overtake a call of two keys forever.
func TestACallOfTwoKeysHasItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Limits{Running: 4, RunningEach: 2, Waiting: 100, WaitingEach: 100})
		s.enter(t.Context(), "a0", KeyedCall{Caller: "ada", Keys: []string{"a"}}, 2*time.Second)
		s.enter(t.Context(), "b0", KeyedCall{Caller: "bob", Keys: []string{"b"}}, 3*time.Second)
		s.enter(t.Context(), "move", KeyedCall{Caller: "eve", Keys: []string{"a", "b"}}, time.Second)
		s.enter(t.Context(), "a1", KeyedCall{Caller: "ada", Keys: []string{"a"}}, 2*time.Second)
		s.enter(t.Context(), "b1", KeyedCall{Caller: "bob", Keys: []string{"b"}}, 3*time.Second)
		s.ran("a0", "b0", "move", "a1", "b1")
	})
}

func TestAHeavyKeyedCallIsNotOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Limits{Running: 8, RunningEach: 5, Waiting: 100, WaitingEach: 100})
		s.enter(t.Context(), "light0", KeyedCall{Caller: "ada", Weight: 4}, time.Second)
		s.enter(t.Context(), "heavy", KeyedCall{Caller: "hog", Weight: 100}, time.Second)
		s.enter(t.Context(), "its light", KeyedCall{Caller: "hog", Weight: 1}, time.Second)
		s.enter(t.Context(), "light1", KeyedCall{Caller: "ada", Weight: 1}, time.Second)
		if got, want := s.Load(), (Load{Running: 1, Waiting: 3}); got != want {
			t.Errorf("load %v, want %v", got, want)
		}
		s.ran("light0", "heavy", "light1", "its light")
	})
}

// A call that leaves the queue gives its round to its caller's next call.
func TestCancelledAndLateCallsLeaveTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Limits{Running: 1, RunningEach: 1, Waiting: 4, WaitingEach: 3})
		ctx, cancel := context.WithCancel(t.Context())
		s.enter(t.Context(), "first", KeyedCall{Caller: "ada"}, time.Minute)
		s.enter(ctx, "cancelled0", KeyedCall{Caller: "hog"}, time.Second)
		s.enter(ctx, "cancelled1", KeyedCall{Caller: "hog"}, time.Second)
		s.enter(t.Context(), "kept", KeyedCall{Caller: "hog"}, time.Second)
		s.enter(t.Context(), "too many of one", KeyedCall{Caller: "hog"}, time.Second)
		s.enter(t.Context(), "late", KeyedCall{Caller: "bob", Patience: 30 * time.Second}, time.Second)
		s.enter(t.Context(), "too many", KeyedCall{Caller: "eve"}, time.Second)
		cancel()
		synctest.Wait()
		s.enter(t.Context(), "eve0", KeyedCall{Caller: "eve"}, time.Second)
		s.enter(t.Context(), "eve1", KeyedCall{Caller: "eve"}, time.Second)
		time.Sleep(31 * time.Second)
		s.ran("first", "kept", "eve0", "eve1")
		for id, want := range map[string]error{
			"cancelled0": context.Canceled, "cancelled1": context.Canceled,
			"too many of one": ErrFull, "too many": ErrFull, "late": ErrLate,
		} {
			if !errors.Is(s.failed[id], want) {
				t.Errorf("%s: %v, want %v", id, s.failed[id], want)
			}
		}
		if refused := s.Load().Refused; refused != 3 {
			t.Errorf("%d were refused", refused)
		}
	})
}

// In any sequence of calls the limits hold, no key is held twice, no call waits that may
// run, and in the end all calls have run.
func TestKeyedKeepsItsLimits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limits := Limits{RunningEach: rapid.IntRange(1, 4).Draw(rt, "each"), Waiting: 1000, WaitingEach: 1000}
		limits.Running = limits.RunningEach + rapid.IntRange(0, 4).Draw(rt, "more")
		type step struct {
			caller, weight, keys int
			runs, cancelled      time.Duration
		}
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			n := rapid.IntRange(0, 20)
			return step{n.Draw(rt, "caller") % 3, 1 + n.Draw(rt, "weight")%5, n.Draw(rt, "keys") % 8, time.Duration(1 + n.Draw(rt, "runs")), time.Duration(n.Draw(rt, "cancelled"))}
		}), 1, 40).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, limits)
			var mu sync.Mutex
			held, each, all := make(map[string]int), make(map[string]int), 0
			var group sync.WaitGroup
			for _, step := range steps {
				call := KeyedCall{Caller: fmt.Sprint(step.caller), Weight: step.weight, Patience: time.Hour}
				for bit := range 3 {
					if step.keys&(1<<bit) != 0 {
						call.Keys = append(call.Keys, fmt.Sprint(bit))
					}
				}
				ctx := t.Context()
				if step.cancelled < 10 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, step.cancelled)
					defer cancel()
				}
				group.Go(func() {
					done, err := s.Enter(ctx, call)
					if err != nil {
						if ctx.Err() == nil {
							rt.Errorf("a call failed: %v", err)
						}
						return
					}
					weight := min(call.Weight, limits.RunningEach)
					change := func(by int) {
						mu.Lock()
						defer mu.Unlock()
						each[call.Caller] += by * weight
						all += by * weight
						over := all > limits.Running || each[call.Caller] > limits.RunningEach
						for _, key := range call.Keys {
							held[key] += by
							over = over || held[key] > 1
						}
						if over {
							rt.Errorf("beyond the limits: %v, %v, %d", held, each, all)
						}
					}
					change(1)
					time.Sleep(step.runs)
					change(-1)
					done()
				})
			}
			group.Wait()
			s.ran()
		})
	})
}

func BenchmarkKeyed(b *testing.B) {
	q := NewKeyed(Limits{Running: 8, RunningEach: 3, Waiting: 1024, WaitingEach: 1024})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			done, err := q.Enter(b.Context(), KeyedCall{Caller: "ada", Keys: []string{"ada"}, Patience: time.Minute})
			if err != nil {
				b.Error(err)
				return
			}
			done()
		}
	})
}
