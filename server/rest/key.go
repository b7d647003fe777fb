package rest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
)

const (
	// keyParameter is the query parameter for a key that cannot be a path segment, such
	// as one with a slash behind a proxy that refuses %2F.
	keyParameter = "key"
	// keyPlaceholder is the path segment that stands for such a key.
	keyPlaceholder = "-"
	storesPath     = "/v1/stores/"
	entriesSegment = "memories"
)

// keyFromQuery moves the key of an entry from the query to its path segment, before the
// route is looked up. A key that remains in the query is refused like any unknown parameter;
// see checkQuery.
func keyFromQuery(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if u := c.Request().URL; strings.HasPrefix(u.Path, storesPath) && strings.Contains(u.RawQuery, keyParameter+"=") {
			moveKey(u)
		}
		return next(c)
	}
}

// moveKey moves the key, if the path is an entry's path with the placeholder, and the query
// has exactly one non-empty key.
func moveKey(u *url.URL) {
	segments := strings.Split(u.EscapedPath(), "/") // "", v1, stores, store, memories, key
	if len(segments) < 6 || segments[4] != entriesSegment || segments[5] != keyPlaceholder {
		return
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(values[keyParameter]) != 1 || values.Get(keyParameter) == "" {
		return
	}
	segments[5] = url.PathEscape(values.Get(keyParameter))
	raw := strings.Join(segments, "/")
	path, err := url.PathUnescape(raw)
	if err != nil {
		return
	}
	u.Path, u.RawPath = path, raw
	// Keep the rest of the query as sent, so that errors in it are still reported.
	kept := make([]string, 0, len(values))
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(pair, "="); name != keyParameter {
			kept = append(kept, pair)
		}
	}
	u.RawQuery = strings.Join(kept, "&")
}

// withoutEmpty returns a query without its empty parameters, which count as absent. It
// keeps an empty namespace, which selects the entries without one.
func withoutEmpty(raw string) string {
	if !strings.Contains(raw+"&", "=&") {
		return raw
	}
	var kept []string
	for pair := range strings.SplitSeq(raw, "&") {
		if name, value, _ := strings.Cut(pair, "="); value != "" || name == "namespace" {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}

// dropEmptyType drops an empty Content-Type, which counts as absent.
func dropEmptyType(h http.Header) {
	if given := h["Content-Type"]; len(given) == 1 && given[0] == "" {
		h.Del("Content-Type")
	}
}
