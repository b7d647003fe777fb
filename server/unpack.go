package server

import (
	"github.com/labstack/echo/v4"

	"mneme/server/compress"
)

// unpack decompresses bodies, and counts the held bytes of each body for its caller. It
// runs after authenticate: without a token nothing is decoded.
func (s *Server) unpack(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		caller := Principal(r.Context()).Agent
		if caller == "" {
			return next(c)
		}
		if len(r.Header["Content-Encoding"]) > 0 {
			unpacked, done, err := s.unpacker.Unpack(r, caller)
			if err != nil {
				c.Response().Header().Set("Accept-Encoding", compress.Accepted)
				return err
			}
			defer done()
			r = unpacked
		}
		counted, done := s.bodies.Of(r, caller)
		defer done()
		c.SetRequest(counted)
		return next(c)
	}
}
