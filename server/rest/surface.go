// Package rest is mneme's native surface: the calls of openapi.yaml. It
// decodes strictly, translates onto the memory service, and encodes; it has
// no rule of access of its own.
package rest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.yaml.in/yaml/v3"

	"mneme/acl"
	"mneme/memory"
	"mneme/server"
	"mneme/server/problem"
	"mneme/server/wire"
)

//go:embed openapi.yaml
var specification []byte

// Surface is the REST surface. It implements the interface that openapi.yaml
// is compiled to.
type Surface struct {
	service  *memory.Service
	metrics  *server.Metrics
	maxBody  int64
	document document
	json     []byte // the specification as served
}

// New makes the surface. valueLimit is the service's limit of one value in
// bytes; 0 is the default.
func New(service *memory.Service, metrics *server.Metrics, valueLimit int) (*Surface, error) {
	s := &Surface{
		service: service, metrics: metrics, maxBody: wire.MaxBody(valueLimit),
	}
	var whole map[string]any // with its anchors resolved
	if err := yaml.Unmarshal(specification, &whole); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	var err error
	if s.json, err = json.Marshal(whole); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	if err := json.Unmarshal(s.json, &s.document); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	return s, nil
}

// Mount adds the calls; only the specification is open. The binder it sets
// reads bodies as this surface does: other surfaces read their own.
func (s *Surface) Mount(e *echo.Echo) (open []string) {
	e.Binder = binder{s}
	RegisterHandlersWithOptions(e, NewStrictHandler(s, nil), RegisterHandlersOptions{
		OperationMiddlewares: s.document.middlewares(),
	})
	e.GET("/openapi.json", func(c echo.Context) error {
		return c.JSONBlob(http.StatusOK, s.json)
	})
	return []string{"/openapi.json"}
}

// caller is who calls, through a surface that reaches entries which are not
// in context.
func caller(ctx context.Context) memory.Caller {
	return memory.Caller{Principal: server.Principal(ctx), Internal: true}
}

// self is the alias of the caller's own store.
const self = "self"

// storeID reads the store ID of a field.
func storeID(ctx context.Context, field, id string) (string, error) {
	if id == self {
		return server.Principal(ctx).Agent, nil
	}
	return id, checkID(field, id)
}

// checkID refuses an id that breaks the rule of ids: such a request is
// malformed, before any access is judged.
func checkID(field, id string) error {
	if err := acl.CheckID(id); err != nil {
		return problem.In(problem.Malformed, field, err.Error())
	}
	return nil
}

// entryPath reads the path of an entry.
func entryPath(ctx context.Context, store Store, namespace *KeyNamespace, key Key) (memory.Path, error) {
	id, err := storeID(ctx, "store", store)
	if err != nil {
		return memory.Path{}, err
	}
	return memory.Path{Store: id, Namespace: or(namespace, ""), Key: key}, nil
}

// or is what a pointer points to, or a default.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
