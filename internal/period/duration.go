package period

import (
	"errors"
	"math"
	"regexp"
	"time"
)

// Units of durations that package time lacks.
const (
	dayLength  = 24 * time.Hour
	weekLength = 7 * dayLength
)

// errDuration says what a duration is.
var errDuration = errors.New("must be a duration with a unit, such as 90s, 12h, 30d or 1d12h")

var (
	durations     = regexp.MustCompile(`^([-+]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|[smhdw]))+|0)$`)
	durationParts = regexp.MustCompile(`([\d.]+)([a-zµμ]+)`)
)

// ParseDuration parses a duration like time.ParseDuration, and days (24 hours) and weeks,
// as in 1d12h. The error begins with "must be".
func ParseDuration(text string) (time.Duration, error) {
	form := durations.FindStringSubmatch(text)
	if form == nil {
		return 0, errDuration
	}
	var sum time.Duration
	for _, part := range durationParts.FindAllStringSubmatch(form[2], -1) {
		unit, times := part[2], time.Duration(1)
		switch unit {
		case "d":
			unit, times = "h", dayLength/time.Hour
		case "w":
			unit, times = "h", weekLength/time.Hour
		}
		one, err := time.ParseDuration(part[1] + unit)
		if err != nil || one > math.MaxInt64/times || sum > math.MaxInt64-one*times {
			return 0, errors.New("must be a duration of at most 106751d")
		}
		sum += one * times
	}
	if form[1] == "-" {
		sum = -sum
	}
	return sum, nil
}
