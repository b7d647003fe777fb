package memory

import (
	"bytes"
	"encoding/base64"
	"errors"
	"testing"
)

func TestCursorsOfEveryLengthOpen(t *testing.T) {
	secret, err := newSecret(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	bound := []string{"call", "", "caller"}
	for n := range 2500 {
		plain := bytes.Repeat([]byte{byte(n), 0xfe, 0xff}, n/3+1)[:n]
		if got, want := encodeBase64(plain), base64.RawURLEncoding.EncodeToString(plain); got != want {
			t.Fatalf("%d bytes are encoded as %s, want %s", n, got, want)
		}
		sealed := secret.Seal(plain, bound)
		if got, err := secret.Open(sealed, bound); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%d bytes: got %x, %v, want %x", n, got, err, plain)
		}
		if _, err := secret.Open(sealed, []string{"call", "c", "aller"}); !errors.Is(err, ErrCursor) {
			t.Fatalf("%d bytes open for another caller: %v", n, err)
		}
	}
}
