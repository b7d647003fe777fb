package robutler

import (
	"github.com/labstack/echo/v4"

	"mneme/memory"
	"mneme/server/problem"
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
	body, err := withValue(entryOf(&found.Entry), found.Value)
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
	body, err := marshal(removed{Key: path.Key, StoreID: path.Store, Deleted: true})
	if err != nil {
		return err
	}
	return answer(c, body)
}

// named is the entry that the query and the URL's path name.
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
	return place(c, about, namespace)
}

// put writes an entry. What the body leaves out stays as it is.
func (s *Surface) put(c echo.Context) error {
	request, err := s.write(c)
	if err != nil {
		return err
	}
	written, err := s.service.Put(c.Request().Context(), insider(c), request)
	if err != nil {
		return err
	}
	body, err := marshal(entryOf(&written.Entry))
	if err != nil {
		return err
	}
	return answer(c, body)
}

// write reads the request of a put.
func (s *Surface) write(c echo.Context) (request memory.PutRequest, err error) {
	b, err := s.body(c)
	if err != nil {
		return request, err
	}
	value, ok := b["value"]
	if !ok {
		return request, problem.In(problem.Malformed, "value", "must be given")
	}
	request.Value = value
	if request.TTL, err = b.ttl(); err != nil {
		return request, err
	}
	// The skills send ttl 0, their default, with every create. To who may
	// write an entry, but not change its expiry, that says nothing.
	request.TTLIfAllowed = request.TTL != nil && *request.TTL == 0
	if request.InContext, err = b.flag("inContext"); err != nil {
		return request, err
	}
	if request.Encrypted, err = b.flag("encrypted"); err != nil {
		return request, err
	}
	namespace, err := b.text("namespace")
	if err != nil {
		return request, err
	}
	about, err := b.subject(c)
	if err != nil {
		return request, err
	}
	request.Path, err = place(c, about, namespace)
	return request, err
}
