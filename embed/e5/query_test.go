package e5

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"mneme/embed"
	"mneme/test/wait"
)

// oneSlot is an encoder with the weights of testEncoder and with only one slot. Before each run
// starts, it reports the run's number of rows to began, unless that is nil.
func oneSlot(t *testing.T, began func(rows int)) *Encoder {
	t.Helper()
	plain := testEncoder(t)
	e := &Encoder{engine: &engine{
		network: plain.network, identity: plain.identity, projection: plain.projection, kernels: plain.kernels,
		workers: make(chan struct{}, 1), gate: gate{slots: 1},
	}, fingerprint: plain.fingerprint}
	if began != nil {
		counted := *plain.kernels
		counted.product = func(c []float32, a []int8, steps []groupStep, rows int, m *matrix, from, to int) {
			if m == &plain.model.layers[0].qkv && from == 0 {
				began(rows)
			}
			plain.kernels.product(c, a, steps, rows, m, from, to)
		}
		e.kernels = &counted
	}
	return e
}

// occupy takes the only slot, and returns a function that releases it.
func (g *gate) occupy(t *testing.T) (release func()) {
	t.Helper()
	run, err := g.enter(t.Context(), &g.passages, 1)
	if err != nil {
		t.Fatal(err)
	}
	return func() { g.leave(run) }
}

// awaitQueries waits until n queries are waiting for a slot.
func awaitQueries(t *testing.T, g *gate, n int) {
	t.Helper()
	wait.Until(t, "the queries wait", func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if have := len(g.queries.waiting); have != n {
			return fmt.Errorf("%d wait, want %d", have, n)
		}
		return nil
	})
}

func requireFree(t *testing.T, g *gate) {
	t.Helper()
	wait.Until(t, "the slot is free", func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if !g.queries.empty() || !g.passages.empty() {
			return errors.New("runs are left")
		}
		return nil
	})
}

func requireSameQuery(t *testing.T, what string, got, want embed.Query) {
	t.Helper()
	if !slices.Equal(got.Vector, want.Vector) || !slices.Equal(got.Tokens, want.Tokens) || got.Multilingual != want.Multilingual {
		t.Errorf("%s differs from its answer alone", what)
	}
}

// Waiting questions are embedded in one pass, up to passTokens and in the order in which they
// are due. Each gets the same answer as it would alone.
func TestWaitingQuestionsAreEmbeddedInOnePass(t *testing.T) {
	var rows []int
	e := oneSlot(t, func(n int) { rows = append(rows, n) })
	coded, err := e.WithCodes()
	if err != nil {
		t.Fatal(err)
	}
	encoders := []*Encoder{e, coded}
	lengths := []int{7, 12, 13, 20, 30, 34, 70, 300} // in tokens
	release := e.gate.occupy(t)
	answers := make([]embed.Query, len(lengths))
	var calls sync.WaitGroup
	for i, n := range lengths {
		calls.Go(func() { answers[i] = mustQuery(t, encoders[i%2], textOf(n)) })
		awaitQueries(t, &e.gate, i+1)
	}
	release()
	calls.Wait()
	if want := []int{7 + 12 + 13 + 20, 30 + 34, 70, 300}; !slices.Equal(rows, want) {
		t.Errorf("runs of %d tokens, want %d", rows, want)
	}
	alone := []*Encoder{testEncoder(t), codedEncoder(t)}
	for i, n := range lengths {
		requireSameQuery(t, fmt.Sprintf("question %d", i), answers[i], mustQuery(t, alone[i%2], textOf(n)))
	}
	requireFree(t, &e.gate)
}

// A pass takes only one slot's share of the waiting questions, and leaves the others to other
// slots.
func TestAPassTakesOneSlotsShare(t *testing.T) {
	for slots, want := range map[int]int{1: 5, 2: 3, 3: 3, 4: 2, 8: 2} {
		g := &gate{slots: slots}
		for range 4 {
			g.queries.wait(&run{lane: &g.queries, tokens: 1, question: &question{}}, false)
		}
		_, questions := g.gather(t.Context(), &run{lane: &g.queries, tokens: 1, question: &question{}})
		if len(questions) != want {
			t.Errorf("%d slots: %d questions, want %d", slots, len(questions), want)
		}
	}
}

// A paused run comes before questions that have not begun. So a pass must not take questions
// that wait behind it.
func TestAPassDoesNotGoBeforeAPausedRun(t *testing.T) {
	g := &gate{slots: 1}
	g.queries.wait(&run{lane: &g.queries, tokens: 1, question: &question{}, begun: true}, false)
	g.queries.wait(&run{lane: &g.queries, tokens: 1, question: &question{}, due: 1}, false)
	if _, questions := g.gather(t.Context(), &run{lane: &g.queries, tokens: 1, question: &question{}}); len(questions) != 1 {
		t.Errorf("%d questions in the pass", len(questions))
	}
}

// A caller that gives up gets its context's error at once, whether or not it began the pass.
// The other callers get their answers. When all have given up, the pass ends.
func TestAPassGoesOnUntilAllHaveGivenUp(t *testing.T) {
	const calls = 3
	for _, leaving := range [][]int{{0}, {2}, {0, 1}, {0, 1, 2}} {
		t.Run(fmt.Sprint(leaving), func(t *testing.T) {
			running, resume := make(chan struct{}), make(chan struct{})
			e := oneSlot(t, func(int) { close(running); <-resume })
			release := e.gate.occupy(t)
			var cancels [calls]context.CancelFunc
			var errs [calls]chan error
			for i := range calls {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				cancels[i], errs[i] = cancel, make(chan error, 1)
				go func() {
					q, err := e.Query(ctx, textOf(8+i))
					if (err == nil) != (len(q.Vector) > 0) {
						t.Errorf("call %d: error %v with a vector of %d", i, err, len(q.Vector))
					}
					errs[i] <- err
				}()
				awaitQueries(t, &e.gate, i+1)
			}
			release()
			<-running
			for _, i := range leaving {
				cancels[i]()
				if err := <-errs[i]; !errors.Is(err, context.Canceled) {
					t.Errorf("call %d: error %v", i, err)
				}
			}
			close(resume)
			for i := range calls {
				if slices.Contains(leaving, i) {
					continue
				}
				if err := <-errs[i]; err != nil {
					t.Errorf("call %d: error %v", i, err)
				}
			}
			requireFree(t, &e.gate)
		})
	}
}

// Many concurrent callers, some of which give up, get the same answers as alone.
func TestManyCallersGetTheirOwnAnswers(t *testing.T) {
	e := oneSlot(t, nil)
	var want []embed.Query
	for i := range 8 {
		want = append(want, mustQuery(t, testEncoder(t), textOf(6+i)))
	}
	var calls sync.WaitGroup
	for i := range 64 {
		calls.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%5 == 0 {
				go cancel()
			}
			got, err := e.Query(ctx, textOf(6+i%8))
			switch {
			case err == nil:
				requireSameQuery(t, fmt.Sprintf("call %d", i), got, want[i%8])
			case i%5 != 0 || !errors.Is(err, context.Canceled):
				t.Errorf("call %d: error %v", i, err)
			}
		})
	}
	calls.Wait()
	requireFree(t, &e.gate)
}
