package server

import (
	"net"
	"net/http"

	"github.com/labstack/echo/v4"

	"mneme/server/limit"
	"mneme/server/problem"
)

// checkHost refuses requests over loopback that name another host, unless the server has
// a public URL: then a proxy forwards such requests. The rule holds for all calls that
// need a token.
//
// SECURITY: a page that a browser on this machine has open may make its own host name
// resolve to loopback (DNS rebinding). The browser then treats the page as same-origin
// with the server.
func (s *Server) checkHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if s.publicURL || s.open[c.Path()] || !overLoopback(r) || limit.LoopbackHost(r.Host) {
			return next(c)
		}
		s.log.WarnContext(r.Context(), "a request over loopback is for another host: set public_url if a proxy forwards it",
			"request_id", c.Get(instanceKey), "route", s.route(c))
		return problem.New(problem.Forbidden,
			"the Host of a request over loopback must be localhost or an address of loopback, unless public_url is set, as behind a proxy")
	}
}

// overLoopback reports whether a request arrived at a loopback address.
func overLoopback(r *http.Request) bool {
	address, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && address.Network() == "tcp" && limit.LoopbackHost(address.String())
}
