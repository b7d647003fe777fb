package openai

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// clock is the time source; tests replace it.
type clock interface {
	now() time.Time
	// sleep returns after d, or with the context's error as soon as it ends.
	sleep(ctx context.Context, d time.Duration) error
}

type realClock struct{}

func (realClock) now() time.Time { return time.Now() }

func (realClock) sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retry embeds one batch in at most Config.Attempts attempts.
func (e *Embedder) retry(ctx context.Context, inputs []string) ([][]float32, error) {
	for attempt := 1; ; attempt++ {
		vectors, failed := e.attempt(ctx, inputs)
		if failed == nil {
			return vectors, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, canceled(err)
		}
		if !failed.retryable {
			return nil, failed.err
		}
		if attempt == e.config.Attempts {
			return nil, fmt.Errorf("%w (%d attempts)", failed.err, attempt)
		}
		if failed.after > e.config.MaxBackoff {
			return nil, fmt.Errorf("%w; its Retry-After is %v, longer than %v", failed.err, failed.after, e.config.MaxBackoff)
		}
		delay := max(e.backoff(attempt), failed.after)
		// There is no time for another attempt before the caller's deadline.
		if deadline, ok := ctx.Deadline(); ok && e.clock.now().Add(delay).After(deadline) {
			return nil, fmt.Errorf("%w (%d attempts, no time for another)", failed.err, attempt)
		}
		if err := e.clock.sleep(ctx, delay); err != nil {
			return nil, canceled(err)
		}
	}
}

// backoff returns the delay after the given attempt, counted from 1. It doubles with each
// attempt, and up to half of it is random, so that many clients do not retry at the same
// time.
func (e *Embedder) backoff(attempt int) time.Duration {
	full := e.config.Backoff
	for range attempt - 1 {
		if full > e.config.MaxBackoff/2 {
			full = e.config.MaxBackoff
			break
		}
		full *= 2
	}
	return full - time.Duration(e.random()*float64(full)/2)
}

// parseRetryAfter parses the header of RFC 9110 §10.2.3: seconds or a date. It
// returns 0 if the header is missing, malformed or in the past.
func parseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}
