package edit_test

import (
	"strings"
	"testing"

	"mneme/internal/edit"
)

func TestWordsAreNearIfFewLettersDiffer(t *testing.T) {
	known := []string{"get", "list", "search", "serve", "stores"}
	for word, want := range map[string]string{
		"gte": "get", "GET": "get", "lsit": "list", "serch": "search", "sto": "stores", "xyz": "", "s": "",
	} {
		if got := strings.Join(edit.Nearest(word, known), " "); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}
