package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"mneme/server"
)

func TestRequestsBelowTheBasePathAreThoseOfTheRoot(t *testing.T) {
	for name, c := range map[string]struct {
		base, path string
		status     int
	}{
		"a proxy takes the path off":  {"/team/mneme", "/who/x", http.StatusOK},
		"a proxy leaves the path":     {"/team/mneme", "/team/mneme/who/x", http.StatusOK},
		"a name that is encoded":      {"/team/mneme", "/team/mneme/who/a%2Fb", http.StatusOK},
		"the path is encoded":         {"/team/mneme", "/team%2Fmneme/who/x", http.StatusNotFound},
		"a longer name":               {"/team/mneme", "/team/mneme2/who/x", http.StatusNotFound},
		"the path twice":              {"/team/mneme", "/team/mneme/team/mneme/who/x", http.StatusNotFound},
		"another path":                {"/team/mneme", "/who2/x", http.StatusNotFound},
		"without a base path":         {"", "/team/mneme/who/x", http.StatusNotFound},
		"the path is that of a route": {"/who", "/who/x", http.StatusOK},
	} {
		front := server.New(server.Options{
			Service: &stub{}, Verifier: names{}, Metrics: server.NewMetrics(), PublicURL: true, BasePath: c.base, Surfaces: []server.Surface{surface{}},
		})
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Header.Set("Authorization", "Bearer alice")
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
