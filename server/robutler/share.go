package robutler

import (
	"errors"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/problem"
)

// noLevel stands for a name that is no level's. The service refuses it in its
// turn: after access.
const noLevel = acl.Level(255)

// share grants a store to an agent.
func (s *Surface) share(c echo.Context) error {
	b, err := s.body(c)
	if err != nil {
		return err
	}
	request := memory.ShareRequest{}
	if request.Grantee, err = b.text("grantee"); err != nil {
		return err
	}
	if err := checkGrantee(request.Grantee); err != nil {
		return err
	}
	level, err := b.text("level")
	if err != nil {
		return err
	}
	if level != "" { // left out: read, which is the service's to say
		if request.Level, err = acl.ParseLevel(level); err != nil {
			request.Level = noLevel
		}
	}
	if request.TTL, err = b.ttl(); err != nil {
		return err
	}
	about, err := b.subject(c)
	if err != nil {
		return err
	}
	request.Store = about.orOwn()
	granted, err := s.service.Share(c.Request().Context(), visitor(c), request)
	if err != nil {
		return err
	}
	body, err := marshal(grantOf(granted))
	if err != nil {
		return err
	}
	return answer(c, body)
}

// unshare takes a grant back. That there is none to take back is no error in
// this API: afterwards there is none.
func (s *Surface) unshare(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	grantee, err := q.text("grantee")
	if err != nil {
		return err
	}
	if err := checkGrantee(grantee); err != nil {
		return err
	}
	about, err := q.subject()
	if err != nil {
		return err
	}
	if about, err = about.resolve(c); err != nil {
		return err
	}
	err = s.service.Unshare(c.Request().Context(), visitor(c), about.orOwn(), grantee)
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	body, err := marshal(revoked{StoreID: about.orOwn(), Grantee: grantee, Revoked: err == nil})
	if err != nil {
		return err
	}
	return answer(c, body)
}

func checkGrantee(id string) error {
	if err := acl.CheckID(id); err != nil {
		return problem.In(problem.Malformed, "grantee", err.Error())
	}
	return nil
}

// stores lists what the caller reaches.
func (s *Surface) stores(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	about, err := q.subject()
	if err != nil {
		return err
	}
	if about, err = about.resolve(c); err != nil {
		return err
	}
	infos, err := s.service.Stores(c.Request().Context(), visitor(c), about.chat, about.user)
	if err != nil {
		return err
	}
	body, err := marshal(storesOf(infos))
	if err != nil {
		return err
	}
	return answer(c, body)
}
