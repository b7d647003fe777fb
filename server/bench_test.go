package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"mneme/server"
	"mneme/server/limit"
)

// discard is an http.ResponseWriter that discards all output.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

// BenchmarkSmallGet measures the server's own cost of a small request, with and
// without limits.
func BenchmarkSmallGet(b *testing.B) {
	for name, rates := range map[string]server.Rates{
		"unlimited": {},
		"limited": {
			Requests: limit.Rate{PerSecond: 1_000_000_000, Burst: 1_000_000_000},
			Refusals: limit.Rate{PerSecond: 20},
		},
	} {
		b.Run(name, func(b *testing.B) {
			s := server.New(server.Options{
				Service: &stub{}, Verifier: names{}, Metrics: server.NewMetrics(),
				Surfaces: []server.Surface{surface{}}, Rates: rates,
			})
			r := httptest.NewRequest(http.MethodGet, "/who/x", nil)
			r.Header.Set("Authorization", "Bearer alice")
			b.ReportAllocs()
			for b.Loop() {
				s.ServeHTTP(&discard{header: make(http.Header)}, r)
			}
		})
	}
}
