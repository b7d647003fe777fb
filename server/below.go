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

// BasePath returns the path below which clients reach the server, such as /mneme, or "" if
// it is the root or unknown. Links in answers begin with it.
func BasePath(ctx context.Context) string {
	path, _ := ctx.Value(basePathKey{}).(string)
	return path
}

// below accepts requests with the base path, as clients send them, and without it, as a
// proxy that strips the path forwards them. If a route already begins with the path, it
// accepts only requests without the base path.
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

// withoutBase returns u without the base path.
func withoutBase(u *url.URL, path string) *url.URL {
	rest, ok := strings.CutPrefix(u.Path, path)
	if !ok || rest != "" && rest[0] != '/' {
		return u
	}
	in := *u
	in.Path = rest
	if u.RawPath != "" {
		if in.RawPath, ok = strings.CutPrefix(u.RawPath, path); !ok {
			return u // the path is encoded differently, such as with percent signs
		}
	}
	if in.Path == "" {
		in.Path, in.RawPath = "/", ""
	}
	return &in
}

// locate prepends the base path to the paths in Location headers.
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
