// Package size sets the size of randomized tests: small in a plain run, larger in a full
// one, TESTS=full go test ./... TESTS is a variable, not a flag: go test caches results
// only of runs without flags of the tests.
package size

import "os"

// Full reports whether the run is a full one. Tests must call it, not TestMain or
// initializers: go test tracks only variables that tests read, and would reuse the
// result of a small run for a full one.
func Full() bool { return os.Getenv("TESTS") == "full" }

// Of returns small, or in a full run full.
func Of(small, full int) int {
	if Full() {
		return full
	}
	return small
}
