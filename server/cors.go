package server

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/rs/cors"
)

// CORS says which pages of other origins may call the server from a browser. The zero
// value is none.
type CORS struct {
	// Origins are exact, such as https://app.example.com, or "*" alone.
	Origins []string
	// Credentials lets browsers send cookies and certificates, which a proxy before
	// the server may ask for; the server reads neither. It must not be with "*".
	Credentials bool
	// MaxAge is how long a browser may keep the answer to a preflight. Chromium keeps
	// none longer than two hours.
	MaxAge time.Duration
}

// SameOrigin is a Surface with routes that pages of other origins never get to read,
// whatever CORS says.
type SameOrigin interface {
	// SameOrigin returns the templates of the routes.
	SameOrigin() []string
}

// corsRequest are the request's header fields that the API reads, and that browsers send
// to other origins only by leave.
var corsRequest = []string{
	"Authorization", "X-Api-Key", "Content-Type", "Content-Encoding", "If-Match", "If-None-Match", "Idempotency-Key", "X-Request-Id",
	"Payment-Signature", "X-Payment", "Payment-Authorization",
	"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-Id", "Traceparent", "Tracestate",
}

// corsResponse are the answer's header fields that scripts may read beside the few that
// they always may.
var corsResponse = []string{
	"ETag", "Location", "Link", "Allow", "Accept-Encoding", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-Id", "Server-Timing", "WWW-Authenticate",
	"Payment-Required", "Payment-Response", "X-Payment-Response", "Payment-Receipt", "Mcp-Session-Id", "Mcp-Protocol-Version",
}

// crossOrigins returns the middleware that lets pages of other origins call, and answers
// their preflights, which have no token; nil if there are no origins.
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
			// SECURITY: what is shown by where a request comes from, rather than by
			// its token, is not for the pages that a browser there has open.
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
