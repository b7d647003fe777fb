package attacks

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Bodies of kilobytes that unpack to hundreds of megabytes, to every call that reads one,
// many at a time: all are refused, and none is held beyond its limit. Four are read at a
// time, of up to 10 MB, which take twice that while they grow, and again until they are
// collected.
func TestBombsTakeNoMemory(t *testing.T) {
	t.Parallel()
	const unpacked, each, room = 256 << 20, 8, 400 << 20
	bombs := map[string][]byte{"gzip": zeros(t, unpacked, gzipped), "zstd": zeros(t, unpacked, zstandard)}
	s := start(t)
	alice := s.as("alice")
	alice.put("tea", "I like my tea green.").want(t, http.StatusCreated)
	alice.search("what tea?").want(t, http.StatusOK)
	_, before := s.memory()
	var calls sync.WaitGroup
	for coding, bomb := range bombs {
		for _, call := range []string{"PUT " + memories + "a", "POST /v1/search", "POST /v1/stores/self/memories:batch", "POST /v1/stores/self/import", "POST /mcp"} {
			method, path, _ := strings.Cut(call, " ")
			kind := "application/json"
			if strings.HasSuffix(path, "import") {
				kind = "application/x-ndjson"
			}
			for range each {
				calls.Go(func() {
					r := alice.call(method, path, bomb, "Content-Encoding", coding, "Content-Type", kind)
					if r.status != http.StatusRequestEntityTooLarge && r.status != http.StatusTooManyRequests {
						t.Errorf("%s of %s: %v", coding, call, r)
					}
				})
			}
		}
	}
	calls.Wait()
	if _, after := s.memory(); after-before > room {
		t.Errorf("the process took %d MB more", (after-before)>>20)
	}
	alice.search("what tea?").want(t, http.StatusOK)
}

// Bodies of kilobytes that unpack to arrays of millions of elements, each of which would
// take many times its text.
func TestLongArraysTakeNoMemory(t *testing.T) {
	t.Parallel()
	const each, room = 8, 600 << 20
	s := start(t)
	alice := s.as("alice")
	alice.put("tea", "I like my tea green.").want(t, http.StatusCreated)
	alice.search("what tea?").want(t, http.StatusOK)
	_, before := s.memory()
	var calls sync.WaitGroup
	for path, body := range map[string]string{
		"/api/storage/memory-scoped?action=sync": `{"namespace":"owner","lines":[%s]}`,
		"/v1/stores/self/memories:batch":         `{"items":[%s]}`,
	} {
		for _, element := range []string{"0", "{}"} {
			array := strings.Repeat(element+",", 9_900_000/(len(element)+1)) + element
			packed := compressed(t, gzipped, fmt.Sprintf(body, array))
			for range each {
				calls.Go(func() {
					r := alice.call(http.MethodPost, path, packed, "Content-Encoding", "gzip")
					if !slices.Contains([]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests}, r.status) {
						t.Errorf("%s of %s: %v", path, element, r)
					}
				})
			}
		}
	}
	calls.Wait()
	if _, after := s.memory(); after-before > room {
		t.Errorf("the process took %d MB more", (after-before)>>20)
	}
	alice.search("what tea?").want(t, http.StatusOK)
}

// writer compresses what is written.
type writer interface {
	Write(p []byte) (int, error)
	Close() error
}

func gzipped(out *bytes.Buffer) (writer, error) { return gzip.NewWriter(out), nil }

func zstandard(out *bytes.Buffer) (writer, error) {
	return zstd.NewWriter(out, zstd.WithWindowSize(8<<20))
}

// zeros returns so many zeros, compressed.
func zeros(t *testing.T, size int, by func(*bytes.Buffer) (writer, error)) []byte {
	t.Helper()
	chunk := string(make([]byte, 1<<20))
	return compressed(t, by, slices.Repeat([]string{chunk}, size/len(chunk))...)
}

// compressed returns texts one after another, compressed.
func compressed(t *testing.T, by func(*bytes.Buffer) (writer, error), texts ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := by(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
