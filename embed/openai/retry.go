package openai

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// clock is the time that waits between attempts are measured in.
type clock interface {
	now() time.Time
	// wait returns after d, or with the context's error as soon as it ends.
	wait(ctx context.Context, d time.Duration) error
}

type realClock struct{}

func (realClock) now() time.Time { return time.Now() }

func (realClock) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// embed asks for the vectors of one batch, again where that may help.
func (e *Embedder) embed(ctx context.Context, inputs []string) ([][]float32, error) {
	for attempt := 1; ; attempt++ {
		vectors, failed := e.ask(ctx, inputs)
		if failed == nil {
			return vectors, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, gaveUp(err)
		}
		if !failed.again {
			return nil, failed.err
		}
		if attempt == e.attempts {
			return nil, fmt.Errorf("%w (%d attempts)", failed.err, attempt)
		}
		if failed.after > e.maxBackoff {
			return nil, fmt.Errorf("%w; it asks to wait %v, longer than %v", failed.err, failed.after, e.maxBackoff)
		}
		wait := max(e.pause(attempt), failed.after)
		// Nobody would be there to take an answer after that.
		if deadline, ok := ctx.Deadline(); ok && e.clock.now().Add(wait).After(deadline) {
			return nil, fmt.Errorf("%w (%d attempts, no time for another)", failed.err, attempt)
		}
		if err := e.clock.wait(ctx, wait); err != nil {
			return nil, gaveUp(err)
		}
	}
}

// pause is how long to wait after the given attempt (1, 2, …): exponential,
// with half of it random, so that many clients do not come back at once.
func (e *Embedder) pause(attempt int) time.Duration {
	full := e.maxBackoff
	// Attempts are at most 10; a shift that overflowed would be too long too.
	if shifted := e.backoff << (attempt - 1); shifted>>(attempt-1) == e.backoff && shifted < full {
		full = shifted
	}
	return full - time.Duration(e.random()*float64(full)/2)
}

// retryAfter reads the header of RFC 9110 §10.2.3: seconds or a date. What is
// missing, malformed or past is 0.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}
