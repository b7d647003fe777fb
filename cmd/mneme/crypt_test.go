package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestEncryptedValueIsBoundToItsEntry(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	line := func(command, key string) []string {
		return []string{command, "--key-file", file, "--store", "iris", "--namespace", "n", "--key", key}
	}
	const secret = "the spare key is under the third pot\n"
	sealed := mneme(t, "", secret, line("encrypt", "home/key")...)
	if sealed.status != exitDone || !strings.Contains(sealed.err, "new key") {
		t.Fatalf("got %+v", sealed)
	}
	if value := decode[string](t, sealed.out); strings.Contains(value, "third pot") {
		t.Error("the value includes its plaintext")
	}
	if out := must(t, "", sealed.out, line("decrypt", "home/key")...); out != secret {
		t.Errorf("got %q", out)
	}
	moved := mneme(t, "", sealed.out, line("decrypt", "home/other")...)
	if moved.status != exitFailed || moved.out != "" || strings.Contains(moved.err, "third pot") {
		t.Errorf("got %+v", moved)
	}
	if again := mneme(t, "", secret, line("encrypt", "home/key")...); again.err != "" || again.out == sealed.out {
		t.Errorf("got %+v", again)
	}
}
