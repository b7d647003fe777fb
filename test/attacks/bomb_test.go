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
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mneme/test/size"
	"mneme/test/wait"
)

// Bodies of kilobytes that decompress to hundreds of megabytes are sent concurrently to
// every call that reads a body. All are refused, and the server buffers none beyond its
// limit. It reads four at a time, of up to 10 MB each. A body takes twice its size while
// its buffer grows, and again until it is garbage-collected.
func TestBombsTakeNoMemory(t *testing.T) {
	t.Parallel()
	const each, room = 8, 400 << 20
	unpacked := size.Of(64<<20, 256<<20)
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

// Bodies of kilobytes decompress to arrays of millions of elements, each of which would
// take many times the bytes of its text in memory.
func TestLongArraysTakeNoMemory(t *testing.T) {
	t.Parallel()
	const room = 400 << 20
	each := size.Of(4, 8)
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

// unending is the end of a body: it blocks until stop is closed.
type unending struct{ stop chan struct{} }

func (u unending) Read([]byte) (int, error) {
	<-u.stop
	return 0, io.EOF
}

// Large bodies never end, on one connection.
func TestBodiesThatDoNotEndTakeNoMemory(t *testing.T) {
	t.Parallel()
	const bodies, length, held, room = 64, 9_500_000, 64 << 20, 300 << 20
	s := start(t, environment("MNEME_CONNECTIONS_STALL_TIMEOUT=10m")) // so that no body times out
	alice := s.as("alice")
	alice.search("what tea?").want(t, http.StatusOK)
	_, before := s.memory()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	streams := &http.Transport{Protocols: protocols}
	defer streams.CloseIdleConnections()
	text := bytes.Repeat([]byte(" "), length)
	var refused atomic.Int64
	var calls sync.WaitGroup
	defer calls.Wait()
	u := unending{make(chan struct{})}
	defer close(u.stop)
	for range bodies {
		calls.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+"/v1/stores/self/memories:batch", io.MultiReader(bytes.NewReader(text), u))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+alice.token)
			r.Header.Set("Content-Type", "application/json")
			response, err := streams.RoundTrip(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			switch response.StatusCode {
			case http.StatusTooManyRequests:
				refused.Add(1)
			case http.StatusBadRequest: // the body ended, and is blank
			default:
				t.Errorf("status %d", response.StatusCode)
			}
		})
	}
	wait.Until(t, "bodies beyond the limit are refused", func() error {
		if n := refused.Load(); n < bodies-held/length {
			return fmt.Errorf("%d of %d bodies are refused", n, bodies)
		}
		return nil
	})
	if _, after := s.memory(); after-before > room {
		t.Errorf("the process took %d MB more", (after-before)>>20)
	}
	s.as("bob").search("what tea?").want(t, http.StatusOK)
	alice.put("tea", "I like my tea green.").want(t, http.StatusCreated)
}

// writer compresses its input.
type writer interface {
	Write(p []byte) (int, error)
	Close() error
}

func gzipped(out *bytes.Buffer) (writer, error) { return gzip.NewWriter(out), nil }

func zstandard(out *bytes.Buffer) (writer, error) {
	return zstd.NewWriter(out, zstd.WithWindowSize(8<<20))
}

// zeros returns compressed zeros. length is their uncompressed length in bytes.
func zeros(t *testing.T, length int, by func(*bytes.Buffer) (writer, error)) []byte {
	t.Helper()
	chunk := string(make([]byte, 1<<20))
	return compressed(t, by, slices.Repeat([]string{chunk}, length/len(chunk))...)
}

// compressed returns the concatenated texts, compressed.
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
