package server

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
)

// basePathKey is the context key for the path below which clients reach the server.
type basePathKey struct{}

// BasePath returns the path below which clients reach the server, such as /mneme; "" if that
// is the root, or is not known. Links in answers begin with it.
func BasePath(ctx context.Context) string {
	path, _ := ctx.Value(basePathKey{}).(string)
	return path
}

// below answers requests as clients send them to a server below a path, and as a proxy sends
// them that takes the path off. Only the latter are known if one of the routes has the path.
func below(path string, routes []*echo.Route, h http.Handler) http.Handler {
	if path == "" {
		return h
	}
	taken := false
	for _, route := range routes {
		taken = taken || strings.HasPrefix(route.Path+"/", path+"/")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(context.WithValue(r.Context(), basePathKey{}, path))
		if !taken {
			r.URL = withoutBase(r.URL, path)
		}
		h.ServeHTTP(w, r)
	})
}

// withoutBase returns u without a path that it begins with.
func withoutBase(u *url.URL, path string) *url.URL {
	rest, ok := strings.CutPrefix(u.Path, path)
	if !ok || rest != "" && rest[0] != '/' {
		return u
	}
	in := *u
	in.Path = rest
	if u.RawPath != "" {
		if in.RawPath, ok = strings.CutPrefix(u.RawPath, path); !ok {
			return u // the path is written otherwise, as with percent signs
		}
	}
	if in.Path == "" {
		in.Path, in.RawPath = "/", ""
	}
	return &in
}

// locate puts the path below which clients reach the server before the paths of Location.
func locate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if path := BasePath(c.Request().Context()); path != "" {
			h := c.Response().Header()
			c.Response().Before(func() {
				if at := h.Get(echo.HeaderLocation); strings.HasPrefix(at, "/") {
					h.Set(echo.HeaderLocation, path+at)
				}
			})
		}
		return next(c)
	}
}
