package server_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/server"
	"mneme/server/limit"
	"mneme/server/problem"
)

// batches has a call with several items in one request.
type batches struct{}

func (batches) Mount(e *echo.Echo) []string {
	e.POST("/batch/:n", func(c echo.Context) error {
		n, err := strconv.Atoi(c.Param("n"))
		if err != nil {
			return err
		}
		if err := server.Charge(c.Request().Context(), n-1); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	})
	return nil
}

// limited returns a server with low rates. Without a clock, the server's clock
// stands still.
func limited(rates server.Rates) *server.Server {
	if rates.Now == nil {
		rates.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	}
	return server.New(server.Options{
		Service: &stub{}, Verifier: names{}, Metrics: server.NewMetrics(),
		Surfaces: []server.Surface{surface{}, batches{}}, Rates: rates,
	})
}

func from(h http.Handler, address, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.RemoteAddr = address
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestAnAgentHasARate(t *testing.T) {
	s := limited(server.Rates{Requests: limit.Rate{PerSecond: 2, Burst: 4}})
	for i := range 4 {
		w := ask(s, "GET", "/who/x", "Authorization", "Bearer alice")
		if want := `"agent";r=` + strconv.Itoa(3-i) + `;t=1`; w.Code != 200 || w.Header().Get("RateLimit") != want || w.Header().Get("RateLimit-Policy") != `"agent";q=4;w=2` {
			t.Errorf("request %d: %d %v", i, w.Code, w.Header())
		}
	}
	w := ask(s, "GET", "/nowhere", "X-API-Key", "alice") // before anything else is known
	if w.Code != 429 || w.Header().Get("Retry-After") != "1" || w.Header().Get("RateLimit") != `"agent";r=0;t=1` {
		t.Errorf("above the rate: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := ask(s, "GET", "/who/x", "Authorization", "Bearer bob"); w.Code != 200 {
		t.Errorf("another agent: %d", w.Code)
	}
	if w := ask(s, "GET", "/livez"); w.Code != 200 || w.Header().Get("RateLimit") != "" {
		t.Errorf("an open call: %d %v", w.Code, w.Header())
	}
}

func TestABatchIsChargedForEachOfItsParts(t *testing.T) {
	s := limited(server.Rates{Requests: limit.Rate{PerSecond: 1, Burst: 10}})
	for _, step := range []struct {
		n, status int
		left      string
	}{{6, 204, "4"}, {5, 429, "3"}, {3, 204, "0"}, {1, 429, "0"}} {
		w := ask(s, "POST", "/batch/"+strconv.Itoa(step.n), "Authorization", "Bearer alice")
		if w.Code != step.status || w.Header().Get("RateLimit") != `"agent";r=`+step.left+`;t=1` {
			t.Errorf("a batch of %d: %d %v", step.n, w.Code, w.Header())
		}
	}
}

func TestABatchAboveTheBurstTakesAllOfIt(t *testing.T) {
	for _, n := range []int{10, 11, 50} {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		s := limited(server.Rates{Requests: limit.Rate{PerSecond: 1, Burst: 10}, Now: func() time.Time { return now }})
		post := func() *httptest.ResponseRecorder {
			return ask(s, "POST", "/batch/"+strconv.Itoa(n), "Authorization", "Bearer alice")
		}
		if w := post(); w.Code != 204 || w.Header().Get("RateLimit") != `"agent";r=0;t=1` {
			t.Errorf("a batch of %d: %d %v", n, w.Code, w.Header())
		}
		now = now.Add(5 * time.Second)
		w := post()
		if w.Code != 429 {
			t.Errorf("a batch of %d too early: %d", n, w.Code)
		}
		seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Duration(seconds) * time.Second)
		if w := post(); w.Code != 204 {
			t.Errorf("a batch of %d after Retry-After: %d %v", n, w.Code, w.Header())
		}
	}
	s := limited(server.Rates{Requests: limit.Rate{PerSecond: 1}})
	if w := ask(s, "POST", "/batch/2", "Authorization", "Bearer alice"); w.Code != 204 {
		t.Errorf("with a burst of one: %d %v", w.Code, w.Header())
	}
}

func TestAnAddressHasARateOfRefusals(t *testing.T) {
	s := limited(server.Rates{Refusals: limit.Rate{PerSecond: 3}})
	for i, header := range [][]string{nil, {"Authorization", "Bearer bad"}, {"Authorization", "Bearer chat-1"}} {
		if w := from(s, "192.0.2.1:1", "/who/x", header...); w.Code != 401 {
			t.Errorf("refusal %d: %d", i, w.Code)
		}
	}
	for _, header := range [][]string{nil, {"Authorization", "Bearer bad"}} {
		w := from(s, "192.0.2.1:2", "/who/x", header...)
		if w.Code != 429 || w.Header().Get("Retry-After") != "1" || w.Header().Get("Connection") != "close" {
			t.Errorf("above the rate: %d %v", w.Code, w.Header())
		}
	}
	if w := from(s, "192.0.2.1:3", "/who/x", "Authorization", "Bearer alice"); w.Code != 200 {
		t.Errorf("a good token from there: %d %s", w.Code, w.Body)
	}
	if w := from(s, "192.0.2.2:1", "/who/x"); w.Code != 401 {
		t.Errorf("another address: %d", w.Code)
	}
	// Without trusted proxies the header is only the client's claim.
	if w := from(s, "192.0.2.1:1", "/who/x", "X-Forwarded-For", "198.51.100.1"); w.Code != 429 {
		t.Errorf("with an address of its own making: %d", w.Code)
	}
}

func TestBehindAProxyClientsHaveTheirOwnRates(t *testing.T) {
	s := limited(server.Rates{Refusals: limit.Rate{PerSecond: 1}, Proxies: limit.Proxies{netip.MustParsePrefix("10.0.0.0/8")}})
	for _, step := range []struct {
		forwarded string
		status    int
	}{{"192.0.2.1", 401}, {"192.0.2.1", 429}, {"198.51.100.1, 192.0.2.1", 429}, {"192.0.2.2", 401}} {
		if w := from(s, "10.0.0.1:1", "/who/x", "X-Forwarded-For", step.forwarded); w.Code != step.status {
			t.Errorf("from %s: %d, want %d", step.forwarded, w.Code, step.status)
		}
	}
}

func TestNothingIsChargedOutsideARequest(t *testing.T) {
	var p *problem.Problem
	if err := server.Charge(t.Context(), 1000); errors.As(err, &p) || err != nil {
		t.Error(err)
	}
}
