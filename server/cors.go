package server

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/rs/cors"
)

// CORS defines which pages of other origins may call the server from a browser. The
// zero value allows none.
type CORS struct {
	// Origins are exact, such as https://app.example.com, or "*" alone.
	Origins []string
	// Credentials lets browsers send cookies and certificates, for a proxy in front
	// of the server; the server reads neither. It must not be combined with "*".
	Credentials bool
	// MaxAge is how long a browser may cache the answer to a preflight. Chromium
	// caches it for two hours at most.
	MaxAge time.Duration
}

// SameOrigin is a Surface with routes that pages of other origins can never read,
// whatever CORS allows.
type SameOrigin interface {
	// SameOrigin returns the templates of the routes.
	SameOrigin() []string
}

// corsRequest are the request header fields that the API reads, and that browsers send
// to other origins only with permission.
var corsRequest = []string{
	"Authorization", "X-Api-Key", "Content-Type", "Content-Encoding", "If-Match", "If-None-Match", "Idempotency-Key", "X-Request-Id",
	"Payment-Signature", "X-Payment", "Payment-Authorization",
	"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-Id", "Traceparent", "Tracestate",
}

// corsResponse are the response header fields that scripts may read, besides the few
// that they may always read.
var corsResponse = []string{
	"ETag", "Location", "Link", "Allow", "Accept-Encoding", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-Id", "Server-Timing", "WWW-Authenticate",
	"Payment-Required", "Payment-Response", "X-Payment-Response", "Payment-Receipt", "Mcp-Session-Id", "Mcp-Protocol-Version",
}

// crossOrigins returns the middleware that lets pages of other origins call, and that
// answers their preflights, which have no token; nil without origins.
func (s *Server) crossOrigins(o CORS) echo.MiddlewareFunc {
	if len(o.Origins) == 0 {
		return nil
	}
	rules := cors.New(cors.Options{
		AllowedOrigins: o.Origins, AllowCredentials: o.Credentials, MaxAge: int(o.MaxAge.Seconds()),
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: corsRequest, ExposedHeaders: corsResponse,
	})
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			// SECURITY: routes that authorize by a request's source address rather
			// than its token are closed to pages in a browser at that address.
			if s.sameOrigin[c.Path()] {
				return next(c)
			}
			r, w := c.Request(), c.Response()
			rules.HandlerFunc(w, r)
			if w.Committed { // a preflight
				return nil
			}
			return next(c)
		}
	}
}
