package wire

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"time"

	"mneme/search"
)

// defaultRecency is the default weight of recency.
const defaultRecency = 0.5

// Recency returns the recency of a search. halfLife is a whole number with a unit,
// such as 30d. An invalid one becomes 0, which the service refuses.
func Recency(halfLife string, weight *float64) *search.Recency {
	return &search.Recency{HalfLife: span(halfLife), Weight: *cmp.Or(weight, new(defaultRecency))}
}

var (
	spans = regexp.MustCompile(`^([1-9][0-9]{0,9})([smhdw])$`)
	units = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
)

// span parses a duration; it returns 0 if text is invalid, and the maximum Duration
// if text exceeds it.
func span(text string) time.Duration {
	parts := spans.FindStringSubmatch(text)
	if parts == nil {
		return 0
	}
	n, _ := strconv.ParseInt(parts[1], 10, 64) // at most ten digits
	unit := units[parts[2]]
	if n > int64(math.MaxInt64/unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
}
