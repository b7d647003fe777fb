//go:build unix

// Package systemtest makes the faults of files that internal/system finds, for tests.
package systemtest

import (
	"os"
	"testing"
)

// Expose gives all users access to a file or folder.
func Expose(t testing.TB, path string) {
	t.Helper()
	if err := os.Chmod(path, 0o755); err != nil { //nolint:gosec // the fault that is to be found
		t.Fatal(err)
	}
}
