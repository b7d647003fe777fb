package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// discard is a response that discards its body.
type discard struct {
	header http.Header
	bytes  int64
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { d.bytes += int64(len(p)); return len(p), nil }

// BenchmarkAnswer writes the answers of a search and of a list:
//
//	go test ./server/rest -run '^$' -bench Answer -benchmem
func BenchmarkAnswer(b *testing.B) {
	for _, c := range []struct {
		size, limit int
	}{{100, 10}, {100, 100}, {95_000, 100}} {
		h := open(b)
		for i := range 100 {
			value := "granite " + strings.Repeat("x", c.size)
			h.call(alice, http.MethodPut, fmt.Sprint("/v1/stores/self/memories/k", i), fmt.Sprintf(`{"value":%q}`, value))
		}
		token := "Bearer " + h.Token(alice)
		for name, ask := range map[string]func() *http.Request{
			"search": func() *http.Request {
				r := httptest.NewRequest(http.MethodPost, "/v1/search", strings.NewReader(fmt.Sprintf(`{"query":"granite","limit":%d}`, c.limit)))
				r.Header.Set("Content-Type", "application/json")
				return r
			},
			"list": func() *http.Request {
				return httptest.NewRequest(http.MethodGet, fmt.Sprint("/v1/stores/self/memories?limit=", c.limit), nil)
			},
		} {
			b.Run(fmt.Sprintf("%s/%d hits of %d bytes", name, c.limit, c.size), func(b *testing.B) {
				b.ReportAllocs()
				var read int64
				for b.Loop() {
					r := ask()
					r.Header.Set("Authorization", token)
					w := &discard{header: make(http.Header)}
					h.ServeHTTP(w, r)
					read = w.bytes
				}
				if least := int64(c.limit * c.size); read < least {
					b.Fatalf("an answer of %d bytes, less than %d", read, least)
				}
				b.ReportMetric(float64(read), "answer-B")
			})
		}
	}
}
