package compress_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mneme/server/compress"
	"mneme/server/problem"
)

// zipped returns a text coded with gzip.
func zipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zstandard returns a text coded with zstd.
func zstandard(t testing.TB, text []byte, options ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(text, nil)
}

// unpack returns the decoded body of a request.
func unpack(coding string, body io.Reader) ([]byte, error) {
	r := httptest.NewRequest(http.MethodPost, "/", body)
	r.Header.Set("Content-Encoding", coding)
	unpacked, done, err := compress.NewUnpacker().Unpack(r, "ada")
	if err != nil {
		return nil, err
	}
	defer done()
	if unpacked.Header.Get("Content-Encoding") != "" || r.Header.Get("Content-Encoding") == "" {
		return nil, errors.New("Content-Encoding was not taken out, or the caller's request changed")
	}
	return io.ReadAll(unpacked.Body)
}

func statusOf(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return problem.From(err).Status
}

func TestBodiesAreUnpacked(t *testing.T) {
	for name, c := range map[string]struct {
		coding string
		body   []byte
		want   []byte
		status int
	}{
		"gzip":                    {"gzip", zipped(t, long), long, 200},
		"gzip by its old name":    {"x-gzip", zipped(t, long), long, 200},
		"in capitals":             {" GZIP ", zipped(t, long), long, 200},
		"zstd":                    {"zstd", zstandard(t, long), long, 200},
		"zstd in two frames":      {"zstd", append(zstandard(t, long), zstandard(t, long)...), append(bytes.Clone(long), long...), 200},
		"gzip in two members":     {"gzip", append(zipped(t, long), zipped(t, long)...), append(bytes.Clone(long), long...), 200},
		"identity":                {"identity", long, long, 200},
		"gzip of identity":        {"identity, gzip", zipped(t, long), long, 200},
		"nothing":                 {"gzip", []byte{}, []byte{}, 200},
		"an unknown coding":       {"br", long, nil, 415},
		"two codings":             {"gzip, zstd", zstandard(t, zipped(t, long)), nil, 415},
		"the same twice":          {"gzip, gzip", zipped(t, zipped(t, long)), nil, 415},
		"another coding":          {"zstd", zipped(t, long), nil, 400},
		"none":                    {"gzip", long, nil, 400},
		"gzip cut off":            {"gzip", zipped(t, long)[:100], nil, 400},
		"gzip without its end":    {"gzip", zipped(t, long)[:len(zipped(t, long))-4], nil, 400},
		"zstd cut off":            {"zstd", zstandard(t, long)[:100], nil, 400},
		"rubbish behind gzip":     {"gzip", append(zipped(t, long), "rubbish"...), nil, 400},
		"a window of 8 MB":        {"zstd", withWindow(8 << 20), []byte("a"), 200},
		"a window of 1 GB":        {"zstd", withWindow(1 << 30), nil, 413},
		"a bomb of gzip":          {"gzip", bomb(t, 24<<20), nil, 413},
		"a bomb of zstd":          {"zstd", zstandard(t, make([]byte, 24<<20)), nil, 413},
		"megabytes of one line":   {"zstd", zstandard(t, make([]byte, 10<<20)), make([]byte, 10<<20), 200},
		"a gzip header and zeros": {"gzip", []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0}, nil, 400},
	} {
		got, err := unpack(c.coding, bytes.NewReader(c.body))
		if statusOf(err) != c.status || c.status == 200 && !bytes.Equal(got, c.want) {
			t.Errorf("%s: %d bytes, %v, want status %d", name, len(got), err, c.status)
		}
	}
}

// withWindow returns a zstd frame of one byte with the given window in bytes (RFC 8878
// §3.1.1.1.2).
func withWindow(size int) []byte {
	exponent := 0
	for 1<<(10+exponent) < size {
		exponent++
	}
	frame := binary.LittleEndian.AppendUint32(nil, 0xFD2FB528)
	frame = append(frame, 0, byte(exponent<<3)) // no content size; the window
	return append(frame, 1|1<<3, 0, 0, 'a')     // the last block, raw, of one byte
}

// bomb returns gzip that decompresses to n zeros.
func bomb(t testing.TB, size int) []byte { return zipped(t, make([]byte, size)) }

// A bomb is decompressed only as far as the reader of the body asks.
func TestNothingIsUnpackedThatIsNotRead(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(bomb(t, 24<<20)))
	r.Header.Set("Content-Encoding", "gzip")
	r, done, err := compress.NewUnpacker().Unpack(r, "ada")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := io.CopyN(io.Discard, r.Body, 1000); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes for the first thousand of a bomb", used)
	}
}

// broken is a connection that fails.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func TestAConnectionThatFailsIsNoBadBody(t *testing.T) {
	for _, coding := range []string{"gzip", "zstd"} {
		packed := zipped(t, long)
		if coding == "zstd" {
			packed = zstandard(t, long)
		}
		lost := errors.New("lost")
		if _, err := unpack(coding, io.MultiReader(bytes.NewReader(packed[:50]), broken{lost})); !errors.Is(err, lost) {
			t.Errorf("%s: %v", coding, err)
		}
	}
}

// An open body may need a window of 8 MB and as much memory as the limit on its length. So a
// caller may have only a few open.
func TestCompressedBodiesTakeTurns(t *testing.T) {
	u := compress.NewUnpacker()
	body := func(caller string, ctx context.Context) (func(), error) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("x")).WithContext(ctx)
		r.Header.Set("Content-Encoding", "zstd")
		_, done, err := u.Unpack(r, caller)
		return done, err
	}
	ended, end := context.WithCancel(t.Context())
	end()
	var held []func()
	for range 4 {
		done, err := body("ada", t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, done)
	}
	waited := make(chan error)
	go func() {
		done, err := body("ada", t.Context())
		if err == nil {
			done()
		}
		waited <- err
	}()
	if done, err := body("bob", t.Context()); err != nil {
		t.Errorf("another caller: %v", err)
	} else {
		done()
	}
	if _, err := body("ada", ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that has ended: %v", err)
	}
	held[0]()
	if err := <-waited; err != nil {
		t.Error(err)
	}
	for _, done := range held[1:] {
		done()
	}
}

// A body that was read to EOF releases its turn, although its request continues.
func TestABodyLeavesItsTurnAtItsEnd(t *testing.T) {
	u := compress.NewUnpacker()
	for i := range 20 {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(zipped(t, long)))
		r.Header.Set("Content-Encoding", "gzip")
		r, done, err := u.Unpack(r, "ada")
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		if text, err := io.ReadAll(r.Body); err != nil || !bytes.Equal(text, long) {
			t.Fatalf("body %d: %v", i, err)
		}
	}
}

func TestACallerWithTooManyBodiesIsRefused(t *testing.T) {
	const running, waiting, asked = 4, 64, 100
	u := compress.NewUnpacker()
	ctx, stop := context.WithCancel(t.Context())
	var held []func()
	outcomes := make(chan error, asked)
	ask := func() (func(), error) {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader("x"))
		r.Header.Set("Content-Encoding", "gzip")
		_, done, err := u.Unpack(r, "ada")
		return done, err
	}
	for range running {
		done, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, done)
	}
	for range asked {
		go func() {
			_, err := ask()
			outcomes <- err
		}()
	}
	for range asked - waiting {
		if err := <-outcomes; statusOf(err) != http.StatusTooManyRequests || problem.From(err).RetryAfter == 0 {
			t.Errorf("%v", err)
		}
	}
	stop()
	for range waiting {
		if err := <-outcomes; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	for _, done := range held {
		done()
	}
}

// FuzzUnpack checks that no body makes the decoders panic or exceed their bound.
func FuzzUnpack(f *testing.F) {
	for _, coding := range []string{"gzip", "zstd", "identity", "gzip,zstd", ""} {
		f.Add(coding, zipped(f, []byte("text")))
		f.Add(coding, zstandard(f, []byte("text")))
		f.Add(coding, withWindow(1<<30))
		f.Add(coding, zstandard(f, make([]byte, 1<<20)))
	}
	f.Fuzz(func(t *testing.T, coding string, packed []byte) {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(packed))
		r.Header.Set("Content-Encoding", coding)
		unpacked, done, err := compress.NewUnpacker().Unpack(r, "ada")
		if err != nil {
			if statusOf(err) != http.StatusUnsupportedMediaType {
				t.Fatal(err)
			}
			return
		}
		defer done()
		read, err := io.Copy(io.Discard, unpacked.Body)
		if status := statusOf(err); status != 200 && status != 400 && status != 413 {
			t.Fatalf("%v", err)
		}
		if read > 16<<20+200*int64(len(packed)+1)+1<<20 {
			t.Fatalf("%d bytes of %d", read, len(packed))
		}
	})
}
