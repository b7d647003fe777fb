// Package server serves mneme over HTTP. It holds what every wire protocol
// shares: authentication, request IDs, problems, timeouts, logs, metrics and
// health checks. Each protocol is a Surface, in a package of its own.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"mneme/acl"
	"mneme/indexer"
	"mneme/internal/fairqueue"
	"mneme/memory"
	"mneme/server/compress"
	"mneme/server/limit"
)

// Surface is one wire protocol over the memory service.
type Surface interface {
	// Mount adds the surface's routes. It returns the templates of the open
	// ones; all others require a token.
	Mount(*echo.Echo) (open []string)
}

// TextErrors is a Surface whose clients read an error's text from the body's member
// error.
type TextErrors interface {
	// TextErrors returns the prefix of the paths whose problems carry their text in
	// the member error too.
	TextErrors() (path string)
}

// Service is what the server itself needs of the memory service.
type Service interface {
	// RegisterCaller records an authenticated subject as a caller;
	// memory.ErrNotCaller if it cannot be one.
	RegisterCaller(context.Context, acl.Principal) error
	// Status reports the health of storage, vectors and queue.
	Status(context.Context) indexer.Status
	// SearchLoad returns the numbers of running and waiting searches.
	SearchLoad() fairqueue.Load
	// ReadLoad returns the numbers of storage snapshots that are read and waited
	// for.
	ReadLoad() fairqueue.Load
	// WriteLoad returns the numbers of callers' transactions that run and wait.
	WriteLoad() fairqueue.Load
	// Activity returns the number of entries written since the process started, and the
	// number of calls that wait for changes.
	Activity() memory.Activity
}

// Verifier identifies the holder of a token; see token.Verifier.
type Verifier interface {
	Verify(ctx context.Context, credential string) (acl.Principal, error)
	// VerifyAtOnce is like Verify, but never waits, for example for an issuer's
	// keys.
	VerifyAtOnce(ctx context.Context, credential string) (acl.Principal, error)
}

// Options configure a Server. All but Log and Tracer are required.
type Options struct {
	Service  Service
	Verifier Verifier
	Metrics  *Metrics
	Surfaces []Surface
	Log      *slog.Logger // default: discard
	// Tracer creates a span for each request. Default: none.
	Tracer trace.Tracer
	// Connections bound the connections of Serve. Default: no limits.
	Connections limit.Connections
	// Rates bound the requests of agents and addresses. Default: no bounds.
	Rates Rates
	// Operators may read totals over all agents without a token. Default: nobody.
	Operators limit.Operators
	// Timeouts end connections that make no progress. Zero fields take the
	// default.
	Timeouts Timeouts
	// MaxBody is the largest body limit of the surfaces, in bytes: an agent may have six such
	// bodies in flight. Default: the limit for values of the default size.
	MaxBody int64
	// CORS defines which pages of other origins may call. Default: none.
	CORS CORS
	// PublicURL reports whether clients know the server by another address than its
	// listener's. If not, requests over loopback must name a loopback host.
	PublicURL bool
	// BasePath is the path of the public address, such as /mneme. Proxies may strip it
	// from forwarded requests, or leave it. Default: none.
	BasePath string
	// TLS is the configuration with which Serve encrypts connections. Default: none.
	TLS *tls.Config
}

// Timeouts end connections that make no progress.
type Timeouts struct {
	Header time.Duration // from the first byte of a request to the end of its header; 10 s
	Idle   time.Duration // between two requests; 2 min
	Stall  limit.Stall   // within bodies and answers; 30 s, 1,000 bytes a second
}

func (t Timeouts) withDefaults() Timeouts {
	if t.Header == 0 {
		t.Header = 10 * time.Second
	}
	if t.Idle == 0 {
		t.Idle = 2 * time.Minute
	}
	if t.Stall.Timeout == 0 {
		t.Stall.Timeout = 30 * time.Second
	}
	if t.Stall.BytesPerSecond == 0 {
		t.Stall.BytesPerSecond = 1000
	}
	return t
}

const (
	// maxHeaderBytes has room for two conditions of 8,192 bytes in a URL, each byte of them
	// percent-encoded as three, and for 32 kB of other fields. Any client can make the server
	// hold this much per request before authentication. The surfaces bound their bodies.
	maxHeaderBytes  = 3*2*8<<10 + 32<<10
	shutdownTimeout = 20 * time.Second // a wait for vectors may take 10
	// maxStreams bounds the concurrent requests of an HTTP/2 connection. Browsers
	// and proxies expect a hundred.
	maxStreams = 100
)

// Server answers HTTP requests.
type Server struct {
	echo     *echo.Echo
	service  Service
	verifier Verifier
	metrics  *Metrics
	log      *slog.Logger
	tracer   trace.Tracer
	handler  http.Handler // echo with compressed answers
	unpacker *compress.Unpacker
	bodies   *limit.Bodies
	tls      *tls.Config
	open     map[string]bool // templates of routes that need no token
	routes   map[string]bool // templates of all routes
	// sameOrigin are the templates of the routes that CORS excludes.
	sameOrigin map[string]bool
	status     statusCache
	stopping   atomic.Bool
	stop       chan struct{} // closed when Serve begins to shut down

	connections limit.Connections
	timeouts    Timeouts
	rates       *rates
	operators   limit.Operators
	textErrors  []string // beginnings of paths; see TextErrors
	publicURL   bool
}

// New returns a server of the given surfaces.
func New(o Options) *Server {
	s := &Server{
		echo: echo.New(), service: o.Service, verifier: o.Verifier, metrics: o.Metrics, log: o.Log, tracer: o.Tracer,
		stop: make(chan struct{}), open: make(map[string]bool), routes: make(map[string]bool), sameOrigin: make(map[string]bool),
		unpacker: compress.NewUnpacker(), bodies: limit.NewBodies(o.MaxBody), tls: o.TLS,
		connections: o.Connections, timeouts: o.Timeouts.withDefaults(), rates: newRates(o.Rates), operators: o.Operators,
		publicURL: o.PublicURL,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.tracer == nil {
		s.tracer = noop.Tracer{}
	}
	s.echo.HideBanner, s.echo.HidePort = true, true
	s.echo.HTTPErrorHandler = s.writeProblem
	s.echo.Use(s.observe, locate)
	if crossOrigins := s.crossOrigins(o.CORS); crossOrigins != nil {
		s.echo.Use(crossOrigins)
	}
	s.echo.Use(s.checkHost, s.authenticate, s.unpack)
	s.mountHealth()
	for _, surface := range o.Surfaces {
		for _, template := range surface.Mount(s.echo) {
			s.open[template] = true
		}
		if texts, ok := surface.(TextErrors); ok {
			s.textErrors = append(s.textErrors, texts.TextErrors())
		}
		if own, ok := surface.(SameOrigin); ok {
			for _, template := range own.SameOrigin() {
				s.sameOrigin[template] = true
			}
		}
	}
	for _, route := range s.echo.Routes() {
		s.routes[route.Path] = true
	}
	s.handler = compress.Answers(below(o.BasePath, s.echo.Routes(), headAsGet(s.echo)))
	s.metrics.watch(&s.status, s.service)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	exchange, w, r := s.timeouts.Stall.Wrap(w, r)
	s.handler.ServeHTTP(w, r)
	exchange.End()
}

// Serve answers requests on a listener until ctx is done, then lets the requests
// in progress finish.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	h := &http.Server{
		Handler:           s,
		ConnContext:       limit.InContext,
		ReadHeaderTimeout: s.timeouts.Header,
		IdleTimeout:       s.timeouts.Idle,
		// These apply to the responses of net/http itself. ServeHTTP sets its own
		// deadlines, which replace them.
		ReadTimeout:    s.timeouts.Header + s.timeouts.Stall.Timeout,
		WriteTimeout:   s.timeouts.Stall.Timeout,
		MaxHeaderBytes: maxHeaderBytes,
		// net/http would read the body of OPTIONS * before authentication.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		TLSConfig:                    s.tls,
		Protocols:                    protocols(),
		HTTP2:                        &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: s.timeouts.Stall.Timeout},
	}
	connections := s.connections
	connections.Refused = s.metrics.refuse
	limited := limit.Listen(listener, connections)
	s.metrics.watchConnections(limited.Open)
	sampling, stopSampling := context.WithCancel(ctx)
	sampled := make(chan struct{})
	go func() {
		defer close(sampled)
		s.metrics.sampleUntil(sampling)
	}()
	defer func() {
		stopSampling()
		<-sampled
	}()
	failed := make(chan error, 1)
	go func() { failed <- serve(h, limited) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.log.InfoContext(ctx, "stopping", "reason", context.Cause(ctx).Error())
	s.stopping.Store(true)
	close(s.stop)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := h.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.WarnContext(ctx, "requests were cut off at shutdown")
		err = h.Close()
	} else if err == nil {
		s.log.InfoContext(ctx, "all requests are answered")
	}
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// protocols returns HTTP/1.1 and HTTP/2. Without TLS clients must know of HTTP/2 in
// advance, as reverse proxies can (RFC 9113 §3.3).
func protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// serve answers on a listener, with TLS if h has a configuration for it.
func serve(h *http.Server, listener net.Listener) error {
	if h.TLSConfig != nil {
		return h.ServeTLS(listener, "", "")
	}
	return h.Serve(listener)
}
