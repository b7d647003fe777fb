package server

import (
	"github.com/labstack/echo/v4"

	"mneme/server/compress"
)

// unpack decompresses bodies, and counts the bytes of each that are in memory against the limit
// of its caller. It runs after authenticate, so nothing is decompressed for requests without a
// token.
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
