package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// isHead is the context key of a HEAD request that is handled as GET.
type isHead struct{}

// headAsGet answers HEAD like GET (RFC 9110 §9.3.2), on every route that has GET. The
// transport omits the body: net/http does so for the request that it read.
func headAsGet(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			r = r.WithContext(context.WithValue(r.Context(), isHead{}, true))
			r.Method = http.MethodGet
		}
		h.ServeHTTP(w, r)
	})
}

// methodOf returns the method that a client sent.
func methodOf(r *http.Request) string {
	if r.Method == http.MethodGet && r.Context().Value(isHead{}) != nil {
		return http.MethodHead
	}
	return r.Method
}

// withHead adds HEAD to an Allow header that contains GET.
func withHead(allow string) string {
	methods := strings.Split(allow, ", ")
	if at := slices.Index(methods, http.MethodGet); at >= 0 && !slices.Contains(methods, http.MethodHead) {
		methods = slices.Insert(methods, at+1, http.MethodHead)
	}
	return strings.Join(methods, ", ")
}
