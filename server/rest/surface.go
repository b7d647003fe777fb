// Package rest is mneme's native surface: the calls of openapi.yaml. It decodes
// strictly, calls the memory service, and encodes; it has no access rules of its
// own.
package rest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"
	"go.yaml.in/yaml/v3"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/server"
	"mneme/server/checkout"
	"mneme/server/problem"
	"mneme/server/rest/api"
	"mneme/server/token"
	"mneme/server/wire"
)

//go:embed openapi.yaml
var specification []byte

// Surface is the REST surface. It implements the interface generated from
// openapi.yaml.
type Surface struct {
	service *memory.Service
	market  meter.MarketAPI
	metrics *server.Metrics
	maxBody int64
	keys    keyCache
	*served

	desk    checkout.Desk
	keyring *token.Keyring // nil: the server has no API keys
}

// New returns the surface. market runs its searches. valueLimit is the service's limit
// on one value, in bytes; 0 means the default.
func New(service *memory.Service, market meter.MarketAPI, metrics *server.Metrics, valueLimit int) (*Surface, error) {
	read, err := readOnce()
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	return &Surface{
		service: service, market: market, metrics: metrics, maxBody: wire.MaxBody(valueLimit), served: read,
	}, nil
}

// served is the specification in the forms in which surfaces serve it. All surfaces share it.
type served struct {
	document document
	json     []byte   // the specification for a server at the root
	below    sync.Map // a whole for each path below which clients reach a server
}

// whole is one complete version of the served specification.
type whole struct {
	json []byte
	tag  string // its entity tag
}

// at returns the specification for a server that clients reach below a path; "" is the root.
func (s *served) at(path string) (whole, error) {
	if held, ok := s.below.Load(path); ok {
		return held.(whole), nil
	}
	text := s.json
	if path != "" {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			return whole{}, err
		}
		var err error
		if members["servers"], err = json.Marshal([]map[string]string{{"url": path, "description": "The server that this document came from."}}); err != nil {
			return whole{}, err
		}
		if text, err = json.Marshal(members); err != nil {
			return whole{}, err
		}
	}
	made := whole{json: text, tag: tagOf(text)}
	s.below.Store(path, made)
	return made, nil
}

// readOnce reads the specification once. Reading takes 10 ms, which tests with many
// services and commands with several connections would otherwise spend each time.
var readOnce = sync.OnceValues(func() (*served, error) {
	var members map[string]any // with its anchors resolved
	if err := yaml.Unmarshal(specification, &members); err != nil {
		return nil, err
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	s := &served{json: text}
	if err := json.Unmarshal(text, &s.document); err != nil {
		return nil, err
	}
	return s, nil
})

// Mount adds the routes; only the specification and well-known URLs need no
// token. It sets the binder for this surface's bodies; other surfaces do not use it.
func (s *Surface) Mount(e *echo.Echo) (open []string) {
	e.Pre(keyFromQuery)
	e.Binder = binder{s}
	api.RegisterHandlersWithOptions(e, api.NewStrictHandler(s, []api.StrictMiddlewareFunc{withHeader, withRequest}), api.RegisterHandlersOptions{
		OperationMiddlewares: s.document.middlewares(),
	})
	e.GET("/openapi.json", s.readSpecification)
	mountWellKnown(e)
	return []string{"/openapi.json", keysPath, wellKnownPath}
}

// readSpecification answers with the specification.
func (s *Surface) readSpecification(c echo.Context) error {
	whole, err := s.at(server.BasePath(c.Request().Context()))
	if err != nil {
		return err
	}
	c.Response().Header().Set("ETag", "W/"+quote(whole.tag))
	held, err := heldTags(c.Request())
	if err != nil {
		return err
	}
	if held(whole.tag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.JSONBlob(http.StatusOK, whole.json)
}

// headerKey is the context key for the header of a request.
type headerKey struct{}

// withHeader passes the header of a request to its handler, for fields that the
// generated code does not read.
func withHeader(next api.StrictHandlerFunc, _ string) api.StrictHandlerFunc {
	return func(c echo.Context, request any) (any, error) {
		r := c.Request()
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), headerKey{}, r.Header)))
		return next(c, request)
	}
}

// requestHeader returns the header of a request. It contains the credential:
// read single fields from it and do not pass it on.
func requestHeader(ctx context.Context) http.Header {
	h, _ := ctx.Value(headerKey{}).(http.Header)
	return h
}

// caller returns the caller of a request, with access to entries that are not
// in context.
func caller(ctx context.Context) memory.Caller {
	return memory.Caller{Principal: server.Principal(ctx), Internal: true}
}

// self is the alias of the caller's own store.
const self = "self"

// storeID resolves the alias self and checks the store ID of a field.
func storeID(ctx context.Context, field, id string) (string, error) {
	if id == self {
		return server.Principal(ctx).Agent, nil
	}
	return id, checkID(field, id)
}

// checkID refuses an invalid ID: the request is malformed, whatever the
// caller's access.
func checkID(field, id string) error {
	if err := acl.CheckID(id); err != nil {
		return problem.In(problem.Malformed, field, err.Error())
	}
	return nil
}

// entryPath returns the path of an entry.
func entryPath(ctx context.Context, store api.Store, namespace *api.KeyNamespace, key api.Key) (memory.Path, error) {
	id, err := storeID(ctx, "store", store)
	if err != nil {
		return memory.Path{}, err
	}
	return memory.Path{Store: id, Namespace: or(namespace, ""), Key: key}.Normal(), nil
}

// or returns the value of a pointer, or otherwise if it is nil.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
