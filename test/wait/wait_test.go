package wait_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mneme/test/wait"
)

// failing is a TB that records the message of a failure.
type failing struct {
	testing.TB
	text string
}

func (*failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	panic(f)
}

// failureOf returns the message with which test fails.
func failureOf(t *testing.T, test func(t testing.TB)) string {
	f := &failing{TB: t}
	func() {
		defer func() { _ = recover() }()
		test(f)
	}()
	return f.text
}

func TestAWaitEndsWhenItsConditionHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		checks := 0
		wait.Until(t, "checked three times", func() error {
			if checks++; checks < 3 {
				return errors.New("not yet")
			}
			return nil
		})
		ch := make(chan int)
		go func() { ch <- 7 }()
		if got := wait.For(t, "a number", ch); checks != 3 || got != 7 {
			t.Errorf("%d checks, received %d", checks, got)
		}
	})
}

func TestAWaitAtItsLimitReportsTheLastState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := failureOf(t, func(t testing.TB) {
			wait.Until(t, "the queue is empty", func() error { return errors.New("3 entries are queued") })
		})
		if !strings.Contains(text, "the queue is empty: 3 entries are queued") {
			t.Error(text)
		}
		text = failureOf(t, func(t testing.TB) { wait.For(t, "the call starts", make(chan int)) })
		if !strings.Contains(text, "the call starts") {
			t.Error(text)
		}
	})
}
