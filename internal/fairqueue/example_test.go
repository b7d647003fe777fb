package fairqueue_test

import (
	"context"
	"errors"
	"fmt"

	"mneme/internal/fairqueue"
)

func Example() {
	turns := fairqueue.New(fairqueue.Limits{Running: 1, RunningEach: 1})
	done, err := turns.Enter(context.Background(), "ada", 1)
	fmt.Println(err)
	_, err = turns.Enter(context.Background(), "bob", 1)
	fmt.Println(errors.Is(err, fairqueue.ErrFull))
	done()
	fmt.Println(turns.Load())
	// Output:
	// <nil>
	// true
	// {0 0 1}
}
