package speed

import (
	"os"
	"strconv"
	"strings"
)

// loadAverage returns the machine's load average over the last minute as reported
// by Linux, or 0 if unknown.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	value, _ := strconv.ParseFloat(first, 64)
	return value
}
