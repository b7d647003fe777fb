// Package size sets the size of randomized tests: small in a plain run, larger in a full
// run, TESTS=full go test ./... TESTS is an environment variable, not a flag, because go
// test does not cache the results of runs with test flags of their own.
package size

import "os"

// Full reports whether the run is a full run. Tests must call it, not TestMain or
// initializers: go test tracks only variables that tests read, and would reuse the
// result of a small run for a full run.
func Full() bool { return os.Getenv("TESTS") == "full" }

// Of returns full in a full run, and small in any other.
func Of(small, full int) int {
	if Full() {
		return full
	}
	return small
}
