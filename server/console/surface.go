// Package console serves the console, the page at the root of the service, and the
// exchange of the console's one-time code for a token.
package console

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"mneme/server"
	"mneme/server/problem"
)

// Surface serves the console. It implements server.Surface.
type Surface struct {
	site    *site    // nil: the program has no console
	session *Session // nil: there is no code to exchange
}

// NewSurface returns a surface for the built files; nil files mean no console. operating
// is the operator's guide in Markdown, which the console shows next to health problems.
func NewSurface(files Files, operating []byte, session *Session) (*Surface, error) {
	s := &Surface{session: session}
	if files == nil {
		return s, nil
	}
	var err error
	s.site, err = newSite(files, operating)
	return s, err
}

// The routes. None requires a token: the files are the same for everybody, and a
// code authorizes the exchange.
const (
	routeRoot    = "/"
	routeConsole = "/console"
	routeFiles   = "/console/*"
	routeSession = "/v1/console/session"
)

// Mount implements server.Surface.
func (s *Surface) Mount(e *echo.Echo) []string {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		e.Add(method, routeRoot, s.root)
		e.Add(method, routeConsole, func(c echo.Context) error {
			// Relative, since clients may reach the server below a path.
			return c.Redirect(http.StatusPermanentRedirect, "console/")
		})
		e.Add(method, routeFiles, s.file)
	}
	e.POST(routeSession, s.exchange)
	return s.SameOrigin()
}

// SameOrigin returns all routes: only the console's own page exchanges the code of a link;
// see server.SameOrigin.
func (s *Surface) SameOrigin() []string {
	return []string{routeRoot, routeConsole, routeFiles, routeSession}
}

func (s *Surface) file(c echo.Context) error {
	if s.site == nil {
		return problem.New(problem.NoSuchCall, "this program was built without the console")
	}
	return s.site.serve(c.Response(), c.Request(), strings.TrimPrefix(c.Request().URL.Path, "/console/"))
}

// root responds to browsers with a page of links, and to programs with the links
// as JSON.
func (s *Surface) root(c echo.Context) error {
	h := c.Response().Header()
	h.Add("Vary", "Accept")
	if !strings.Contains(c.Request().Header.Get("Accept"), "text/html") {
		base := server.BasePath(c.Request().Context())
		links := map[string]string{"name": "mneme", "api": base + "/openapi.json", "mcp": base + "/mcp", "health": base + "/readyz"}
		if s.site != nil {
			links["console"] = base + "/console/"
		}
		return c.JSON(http.StatusOK, links)
	}
	h.Set("Content-Security-Policy", rootPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	return c.HTML(http.StatusOK, rootPage(server.BasePath(c.Request().Context()), s.site != nil))
}
