// Package size says how much of what is random tests do: little in a plain run, more in a
// full one, TESTS=full go test ./... It is a variable, not a flag: go test keeps results
// only of runs without flags of the tests.
package size

import "os"

// Full reports whether the run is a full one. It is called by tests, not by TestMain or
// initializers, whose reading go test does not see: it would take the result of a small
// run for that of a full one.
func Full() bool { return os.Getenv("TESTS") == "full" }

// Of returns small, or in a full run full.
func Of(small, full int) int {
	if Full() {
		return full
	}
	return small
}
