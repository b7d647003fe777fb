// Package robutler is the surface for the unmodified Robutler memory skills: the
// portal's API at /api/storage/memory, and its API for namespaced notes at
// /api/storage/memory-scoped. It translates requests to calls of the memory
// service and has no access rules of its own. Unlike the native surface it
// ignores unknown parameters and fields, since its clients cannot be changed.
package robutler

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"mneme/internal/fairqueue"
	"mneme/memory"
	"mneme/meter"
	"mneme/server"
	"mneme/server/checkout"
	"mneme/server/problem"
	"mneme/server/wire"
)

// base begins the paths of the API.
const base = "/api/storage/"

// root is the path for entries; a key follows it after a slash.
const root = base + "memory"

// Surface is the Robutler portal API.
type Surface struct {
	service *memory.Service
	market  meter.SearchAPI
	desk    checkout.Desk
	metrics *server.Metrics
	maxBody int64
	maxNote int64 // of a body with a note, whose content is text
	lists   *fairqueue.Queue
}

// New returns the surface. desk takes the payments for searches. valueLimit is the
// service's limit on one value, in bytes; 0 means the default.
func New(service *memory.Service, market meter.SearchAPI, desk checkout.Desk, metrics *server.Metrics, valueLimit int) *Surface {
	return &Surface{
		service: service, market: market, desk: desk, metrics: metrics,
		maxBody: wire.MaxBody(valueLimit), maxNote: wire.MaxEscapedBody(valueLimit),
		lists: fairqueue.New(listTurns),
	}
}

// Mount adds the routes. All require a token.
func (s *Surface) Mount(e *echo.Echo) (open []string) {
	for _, at := range []string{root, root + "/"} {
		e.GET(at, action(root, actions{"": s.list, "search": s.search, "stores": s.stores}))
		e.POST(at, action(root, actions{"share": s.share}))
		e.DELETE(at, action(root, actions{"share": s.unshare}))
	}
	e.GET(root+"/*", s.get)
	e.PUT(root+"/*", s.put)
	e.DELETE(root+"/*", s.delete)
	e.GET(notesRoot, action(notesRoot, actions{"get": s.note, "list": s.notes, "search": s.searchNotes, "sync": s.pull}))
	e.PUT(notesRoot, s.putNote)
	e.DELETE(notesRoot, s.forget)
	e.POST(notesRoot, action(notesRoot, actions{"sync": s.push}))
	return nil
}

// TextErrors returns the prefix of the paths whose clients read an error's text
// from the member error; see server.TextErrors.
func (s *Surface) TextErrors() string { return base }

// actions maps the parameter action to the calls of one method.
type actions map[string]echo.HandlerFunc

// action dispatches a route by the parameter action.
func action(route string, known actions) echo.HandlerFunc {
	return func(c echo.Context) error {
		q, err := parameters(c)
		if err != nil {
			return err
		}
		name, err := q.text("action")
		if err != nil {
			return err
		}
		call, ok := known[name]
		if !ok {
			return problem.In(problem.Malformed, "action", "unknown for this method")
		}
		if name != "" { // one route has several calls
			server.Name(c, route+"?action="+name)
		}
		return call(c)
	}
}

// visitor returns the caller of a request, without access to entries that are not
// in context.
func visitor(c echo.Context) memory.Caller {
	return memory.Caller{Principal: server.Principal(c.Request().Context())}
}

// insider returns the caller for GET and PUT of a key, with access to entries
// that are not in context: a skill's getInternal and setInternal use these calls
// too. Only the tool uses DELETE, so DELETE has no such access.
func insider(c echo.Context) memory.Caller {
	caller := visitor(c)
	caller.Internal = true
	return caller
}

// answer writes a body in JSON.
func answer(c echo.Context, body []byte) error {
	return c.JSONBlob(http.StatusOK, append(body, '\n'))
}
