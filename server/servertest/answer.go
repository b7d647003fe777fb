package servertest

import (
	"compress/gzip"
	"io"
	"net/http/httptest"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Decoded returns the decompressed body of an answer.
func Decoded(t testing.TB, w *httptest.ResponseRecorder) []byte {
	t.Helper()
	reader := io.Reader(w.Body)
	switch coding := w.Header().Get("Content-Encoding"); coding {
	case "":
	case "gzip":
		packed, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		reader = packed
	case "zstd":
		packed, err := zstd.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		reader = packed
	default:
		t.Fatalf("Content-Encoding %q", coding)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
