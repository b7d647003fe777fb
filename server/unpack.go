package server

import (
	"github.com/labstack/echo/v4"

	"mneme/server/compress"
)

// unpack decodes compressed bodies. It comes after authenticate: without a token
// nothing is decoded.
func (s *Server) unpack(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		caller := Principal(r.Context()).Agent
		if len(r.Header["Content-Encoding"]) == 0 || caller == "" {
			return next(c)
		}
		unpacked, done, err := s.unpacker.Unpack(r, caller)
		if err != nil {
			c.Response().Header().Set("Accept-Encoding", compress.Accepted)
			return err
		}
		defer done()
		c.SetRequest(unpacked)
		return next(c)
	}
}
