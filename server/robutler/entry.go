package robutler

import (
	"encoding/json"
	"errors"

	"github.com/labstack/echo/v4"

	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/wire"
)

// get reads an entry.
func (s *Surface) get(c echo.Context) error {
	path, err := named(c)
	if err != nil {
		return err
	}
	found, err := s.service.Get(c.Request().Context(), insider(c), path)
	if err != nil {
		return err
	}
	body, err := wire.WithValue(entryOf(&found.Entry), found.Value)
	if err != nil {
		return err
	}
	return answer(c, body)
}

// delete deletes an entry.
func (s *Surface) delete(c echo.Context) error {
	path, err := named(c)
	if err != nil {
		return err
	}
	if err := s.service.Delete(c.Request().Context(), visitor(c), path, memory.Preconditions{}); err != nil {
		return err
	}
	body, err := wire.Marshal(removed{Key: path.Key, StoreID: path.Store, Deleted: true})
	if err != nil {
		return err
	}
	return answer(c, body)
}

// named returns the path of the entry in the URL.
func named(c echo.Context) (memory.Path, error) {
	q, err := parameters(c)
	if err != nil {
		return memory.Path{}, err
	}
	namespace, err := q.text("namespace")
	if err != nil {
		return memory.Path{}, err
	}
	about, err := q.subject()
	if err != nil {
		return memory.Path{}, err
	}
	if about, err = about.resolve(c); err != nil {
		return memory.Path{}, err
	}
	return entryPath(c, about, namespace)
}

// put writes an entry. Fields that are absent from the body keep their values.
func (s *Surface) put(c echo.Context) error {
	request, err := s.write(c)
	if err != nil {
		return err
	}
	written, err := s.service.Put(c.Request().Context(), insider(c), request)
	var broken *memory.RuleError
	switch {
	case errors.As(err, &broken) && broken.Field == "occurred_at":
		return problem.In(problem.Rule, "occurredAt", broken.Rule)
	case err != nil:
		return err
	}
	body, err := wire.Marshal(entryOf(&written.Entry))
	if err != nil {
		return err
	}
	return answer(c, body)
}

// write decodes the request of a put.
func (s *Surface) write(c echo.Context) (request memory.PutRequest, err error) {
	var namespace string
	var ttl json.RawMessage
	about, given, err := s.body(c, map[string]any{
		"value": &request.Value, "ttl": &ttl, "inContext": &request.InContext, "encrypted": &request.Encrypted, "namespace": &namespace,
		"occurredAt": &request.OccurredAt,
	})
	if err != nil {
		return request, err
	}
	if !given["value"] {
		return request, problem.In(problem.Malformed, "value", "is required")
	}
	if request.TTL, err = ttlOf(ttl); err != nil {
		return request, err
	}
	// The skills send ttl 0, their default, with every create. It must not fail
	// for a caller that may write an entry but not change its expiry.
	request.TTLIfAllowed = request.TTL != nil && *request.TTL == 0
	if about, err = about.resolve(c); err != nil {
		return request, err
	}
	request.Path, err = entryPath(c, about, namespace)
	return request, err
}
