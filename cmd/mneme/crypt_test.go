package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestEncryptedValueOpensAtItsPlaceAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	at := func(command, key string) []string {
		return []string{command, "--key-file", file, "--store", "iris", "--namespace", "n", "--key", key}
	}
	const secret = "the spare key is under the third pot\n"
	sealed := mneme(t, "", secret, at("encrypt", "home/key")...)
	if sealed.status != exitDone || !strings.Contains(sealed.err, "new key") {
		t.Fatalf("got %+v", sealed)
	}
	if value := decode[string](t, sealed.out); strings.Contains(value, "third pot") {
		t.Error("the value shows its text")
	}
	if out := must(t, "", sealed.out, at("decrypt", "home/key")...); out != secret {
		t.Errorf("got %q", out)
	}
	moved := mneme(t, "", sealed.out, at("decrypt", "home/other")...)
	if moved.status != exitFailed || moved.out != "" || strings.Contains(moved.err, "third pot") {
		t.Errorf("got %+v", moved)
	}
	if again := mneme(t, "", secret, at("encrypt", "home/key")...); again.err != "" || again.out == sealed.out {
		t.Errorf("got %+v", again)
	}
}
