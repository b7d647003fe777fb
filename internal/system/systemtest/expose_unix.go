//go:build unix

// Package systemtest creates the file faults that internal/system detects, for tests.
package systemtest

import (
	"os"
	"testing"
)

// Expose gives all users access to a file or folder.
func Expose(t testing.TB, path string) {
	t.Helper()
	if err := os.Chmod(path, 0o755); err != nil { //nolint:gosec // the fault to detect
		t.Fatal(err)
	}
}
