package server

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/indexer"
)

const (
	// statusAge is how long the status is cached for health and metrics: they
	// need no token, so frequent requests must be cheap.
	statusAge     = time.Second
	statusTimeout = 2 * time.Second
)

// healthRoutes are the route templates of the calls about the server itself.
var healthRoutes = []string{"/livez", "/readyz", "/metrics"}

// mountHealth adds the calls about the server itself.
func (s *Server) mountHealth() {
	handlers := []echo.HandlerFunc{
		func(c echo.Context) error { return c.JSON(http.StatusOK, map[string]string{"status": "live"}) },
		s.ready,
		s.readMetrics,
	}
	for i, template := range healthRoutes {
		s.echo.GET(template, handlers[i])
		s.open[template], s.sameOrigin[template] = true, true
	}
}

// isOperator reports whether a call without access control comes from an operator: from
// connections.operators, or with a token of the scope platform. The error is a problem.
//
// SECURITY: totals over all agents would reveal the activity of others to an agent.
func (s *Server) isOperator(c echo.Context) (bool, error) {
	r := c.Request()
	if s.operators.Sent(r) {
		return true, nil
	}
	if r.Header.Get("Authorization") == "" && r.Header.Get("X-Api-Key") == "" {
		return false, nil
	}
	p, err := s.judge(c, r, s.rates.proxies.Client(r), true)
	return p.Platform, err
}

// readMetrics answers with the metrics that the caller may see.
func (s *Server) readMetrics(c echo.Context) error {
	operator, err := s.isOperator(c)
	if err != nil {
		return err
	}
	s.metrics.handler(operator).ServeHTTP(c.Response(), c.Request())
	return nil
}

// readiness is the body of /readyz.
type readiness struct {
	Status     string `json:"status"`
	Storage    bool   `json:"storage"`
	Vector     bool   `json:"vector"`
	Serving    string `json:"serving"`
	Configured string `json:"configured"`
	*backlog          // for operators, once counted
}

// backlog describes the queue for indexing, over all stores.
type backlog struct {
	QueueDepth int64   `json:"queue_depth"`
	QueueLagS  float64 `json:"queue_lag_s"`
	Waits      waits   `json:"queue_waits_s"`
}

// waits are percentiles of how long queued entries have waited, in seconds.
type waits struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
}

// ready reports whether calls can be served. A missing vector database does not
// matter: searches are then lexical only, and report it.
func (s *Server) ready(c echo.Context) error {
	operator, err := s.isOperator(c)
	if err != nil {
		return err
	}
	now := s.status.get(s.service)
	body := readiness{
		Status: "ready", Storage: now.Storage, Vector: now.Vector,
		Serving: now.Serving, Configured: now.Configured,
	}
	if operator && now.Counted {
		body.backlog = &backlog{
			QueueDepth: now.Queue, QueueLagS: now.Waits.Max.Seconds(),
			Waits: waits{P50: now.Waits.P50.Seconds(), P90: now.Waits.P90.Seconds(), P99: now.Waits.P99.Seconds()},
		}
	}
	code := http.StatusOK
	if !now.Storage || s.stopping.Load() {
		body.Status, code = "unready", http.StatusServiceUnavailable
		c.Response().Header().Set("Retry-After", strconv.Itoa(int(statusAge.Seconds())))
	}
	return c.JSON(code, body)
}

// statusCache caches a service's status for statusAge. If the queue was not counted, the
// last count remains, so that an alert on a long queue does not end while it grows.
type statusCache struct {
	mu    sync.Mutex
	asked time.Time
	last  indexer.Status
}

func (c *statusCache) get(service Service) indexer.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.IsZero() || time.Since(c.asked) >= statusAge {
		ctx, cancel := context.WithTimeout(context.Background(), statusTimeout)
		defer cancel()
		now := service.Status(ctx)
		if !now.Counted {
			now.Queue, now.Waits = c.last.Queue, c.last.Waits
		}
		c.last, c.asked = now, time.Now()
	}
	return c.last
}
