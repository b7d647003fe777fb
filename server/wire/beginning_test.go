package wire_test

import (
	"strings"
	"testing"

	"mneme/server/wire"
)

func TestBeginningIsOneLine(t *testing.T) {
	for value, want := range map[string]string{
		`"I like\n\tmy tea  green."`:         "I like my tea green.",
		`{"a": 1}`:                           `{"a": 1}`,
		`""`:                                 "",
		`null`:                               "",
		`"` + strings.Repeat("ö", 300) + `"`: strings.Repeat("ö", 300),
		`"` + strings.Repeat("ö", 301) + `"`: strings.Repeat("ö", 299) + "…",
	} {
		if got := wire.Beginning([]byte(value)); got != want {
			t.Errorf("%s begins with %q, want %q", value, got, want)
		}
	}
}
