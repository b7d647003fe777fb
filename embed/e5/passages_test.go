package e5

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// eventually polls until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

func (g *gate) waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiters)
}

func TestPassagesWaitWhileAQueryIsInFlight(t *testing.T) {
	e := testEncoder(t)
	e.gate.enter()
	done := make(chan error, 1)
	go func() {
		_, err := e.Passages(t.Context(), []string{"one", "two"})
		done <- err
	}()
	eventually(t, "a batch waits at the gate", func() bool { return e.gate.waiting() == 1 })
	if _, err := e.Query(t.Context(), "a query"); err != nil {
		t.Fatal(err)
	}
	if e.gate.waiting() != 1 {
		t.Error("a batch continued while another query is in flight")
	}
	select {
	case <-done:
		t.Error("passages finished while a query is in flight")
	default:
	}
	e.gate.leave()
	if err := <-done; err != nil {
		t.Error(err)
	}
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

// A batch must check for queries often. The work between two checks is counted in
// multiplications: 2^25 of them take a fraction of a millisecond with vector
// kernels.
func TestBatchesCheckForQueriesOften(t *testing.T) {
	e := testEncoder(t)
	work, most := 0, 0
	counted := *e.kernels
	counted.product = func(c []float32, ldc int, _ []int16, _ []float32, rows int, _ []int8, _, _ []float32, groups int) {
		work += rows * groups * group * panel
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
		e.gate.enter()
		defer e.gate.leave()
		done := make(chan error, 1)
		go func() {
			_, err := e.Passages(ctx, []string{"text"})
			done <- err
		}()
		eventually(t, "a batch waits at the gate", func() bool { return e.gate.waiting() > 0 })
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
		if !slices.Equal(alone[0], together[i]) {
			t.Errorf("text %d: its vector depends on the other texts (cosine %g)", i, cosine(alone[0], together[i]))
		}
	}
	none, err := e.Passages(t.Context(), nil)
	if err != nil || len(none) != 0 {
		t.Errorf("no texts: %d vectors, error %v", len(none), err)
	}
}
