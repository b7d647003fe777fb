package wire_test

import (
	"testing"

	"mneme/server/wire"
)

func TestTheBeginningOfATextHasNoDataURL(t *testing.T) {
	for value, want := range map[string]string{
		`"our cat\n data:image/png;base64,aGlkZGVu and hers"`:        "our cat [image/png, 6 B] and hers",
		`{"cat": "data:image\/png;base64,aGlkZGVu", "name": "Otto"}`: `{"cat": "[image/png, 6 B]", "name": "Otto"}`,
		`"a cat"`: "a cat",
	} {
		if got := wire.Beginning([]byte(value)); got != want {
			t.Errorf("%s begins %q, want %q", value, got, want)
		}
	}
}
