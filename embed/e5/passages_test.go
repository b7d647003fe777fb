package e5

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mneme/test/wait"
)

func (g *gate) waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.passages.waiting)
}

func TestQueryNeedsNoWorker(t *testing.T) {
	e := testEncoder(t)
	for range cap(e.workers) {
		e.workers <- struct{}{}
		defer func() { <-e.workers }()
	}
	if _, err := e.Query(t.Context(), "a query"); err != nil {
		t.Fatal(err)
	}
}

// A batch must check often whether a query waits. The test counts the multiplications between
// two checks: vector kernels compute 2^25 of them in a fraction of a millisecond.
func TestBatchesCheckForQueriesOften(t *testing.T) {
	e := testEncoder(t)
	work, most := 0, 0
	counted := *e.kernels
	counted.product = func(_ []float32, _ []int8, _ []groupStep, rows int, m *matrix, from, to int) {
		work += rows * m.in * (to - from)
		most = max(most, work)
	}
	counted.multiply = func(_ []float32, _ int, _ []float32, _, rows int, _ []float32, _, k int) {
		work += rows * k * panel
		most = max(most, work)
	}
	for _, lengths := range [][]int{{1}, {12}, {512}, {30, 100, 126}} {
		var texts [][]int32
		rows := 0
		for _, n := range lengths {
			texts, rows = append(texts, make([]int32, n)), rows+n
		}
		err := e.model.forward(&counted, newScratch(rows), texts, make([][]float32, len(texts)), func() error {
			work = 0
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if most > 1<<25 {
		t.Errorf("%d multiplications without a check", most)
	}
}

func TestPassagesEndWithTheirContext(t *testing.T) {
	e := testEncoder(t)
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Passages(ctx, []string{"text"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if _, err := e.Query(ctx, "text"); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("while waiting", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		query, err := e.gate.enter(t.Context(), &e.gate.queries, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer e.gate.leave(query)
		done := make(chan error, 1)
		go func() {
			_, err := e.Passages(ctx, []string{"text"})
			done <- err
		}()
		wait.Until(t, "a batch waits at the gate", func() error {
			if e.gate.waiting() == 0 {
				return errors.New("none waits")
			}
			return nil
		})
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if e.gate.waiting() != 0 {
			t.Error("a waiter was left at the gate")
		}
	})
	if n := len(e.workers); n != 0 {
		t.Errorf("%d workers were not released", n)
	}
	if n := e.gate.passages.running + e.gate.queries.running; n != 0 {
		t.Errorf("%d slots were not released", n)
	}
}

// Concurrent calls of Passages get workers in turn. So a call with one short text waits for one
// batch of each other call, and not for all of their batches.
func TestCallsOfPassagesTakeTurns(t *testing.T) {
	plain := testEncoder(t)
	e := &Encoder{engine: &engine{network: plain.network, workers: make(chan struct{}, 1), gate: gate{slots: 1}}}
	// With only one worker, calls run one batch at a time. The number of rows of a matrix
	// product then shows to which call the running batch belongs.
	var order []int
	counted := *plain.kernels
	counted.product = func(_ []float32, _ []int8, _ []groupStep, rows int, m *matrix, _, _ int) {
		if n := len(order); m.out == 3*width && (n == 0 || order[n-1] != rows) { // the first matrix of a batch
			order = append(order, rows)
		}
	}
	e.kernels = &counted
	e.workers <- struct{}{}
	var calls sync.WaitGroup
	for i, call := range [][]string{
		{textOf(512), textOf(511), textOf(510), textOf(509), textOf(508), textOf(507)}, // a long entry
		{textOf(200), textOf(199), textOf(198)},
		{textOf(20)},
	} {
		waiting := make(chan struct{})
		calls.Go(func() {
			close(waiting)
			if _, err := e.Passages(t.Context(), call); err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		})
		<-waiting
		awaitSender(t, i+1)
	}
	<-e.workers
	calls.Wait()
	if want := []int{512, 200, 20, 511, 199, 510, 198, 509, 508, 507}; !slices.Equal(order, want) {
		t.Errorf("batches in order %v, want %v", order, want)
	}
}

// awaitSender waits until n calls are waiting for a worker.
func awaitSender(t *testing.T, n int) {
	t.Helper()
	wait.Until(t, "the calls wait for a worker", func() error {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		waiting := 0
		for _, one := range strings.Split(string(stacks), "\n\n") {
			if strings.Contains(one, "takeWorker") && strings.Contains(one, "[select") {
				waiting++
			}
		}
		if waiting != n {
			return fmt.Errorf("%d wait, want %d", waiting, n)
		}
		return nil
	})
}

// A text's vector must not depend on the other texts of a batch.
func TestPassagesAreTheSameAloneAndInBatches(t *testing.T) {
	e := testEncoder(t)
	var texts []string
	for _, n := range []int{5, 300, 6, 7, 500, 5, 64, 65, 33} {
		texts = append(texts, textOf(n))
	}
	texts = append(texts, "", "", "日本語", textOf(5000))
	together, err := e.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		alone, err := e.Passages(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(alone[0].Vector, together[i].Vector) {
			t.Errorf("text %d: its vector depends on the other texts (cosine %g)", i, cosine(alone[0].Vector, together[i].Vector))
		}
	}
	none, err := e.Passages(t.Context(), nil)
	if err != nil || len(none) != 0 {
		t.Errorf("no texts: %d passages, error %v", len(none), err)
	}
}
