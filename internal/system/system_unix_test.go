//go:build unix

package system

import (
	"os"
	"strings"
	"testing"
)

// unusableName is longer than file systems allow.
var unusableName = strings.Repeat("n", 300)

func TestAFullDiskIsDistinguished(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	if err := os.WriteFile("/dev/full", []byte("text"), 0o600); !IsDiskFull(err) {
		t.Errorf("got %v", err)
	}
}
