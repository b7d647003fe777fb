package robutler

import (
	"encoding/json"
	"errors"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/wire"
)

// share grants a store to an agent.
func (s *Surface) share(c echo.Context) error {
	request := memory.ShareRequest{}
	var level string
	var ttl json.RawMessage
	about, _, err := s.body(c, map[string]any{"grantee": &request.Grantee, "level": &level, "ttl": &ttl})
	if err != nil {
		return err
	}
	if err := checkGrantee(request.Grantee); err != nil {
		return err
	}
	if level != "" { // absent: the service's default
		if request.Level, err = acl.ParseLevel(level); err != nil {
			request.Level = wire.NoLevel
		}
	}
	if request.TTL, err = ttlOf(ttl); err != nil {
		return err
	}
	if about, err = about.resolve(c); err != nil {
		return err
	}
	request.Store = about.orOwn()
	granted, err := s.service.Share(c.Request().Context(), visitor(c), request)
	if err != nil {
		return err
	}
	body, err := wire.Marshal(grantOf(granted))
	if err != nil {
		return err
	}
	return answer(c, body)
}

// unshare revokes a grant. In this API revoking an absent grant is not an error.
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
	body, err := wire.Marshal(revoked{StoreID: about.orOwn(), Grantee: grantee, Revoked: err == nil})
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

// stores lists the stores that the caller can access.
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
	body, err := wire.Marshal(storesOf(infos))
	if err != nil {
		return err
	}
	return answer(c, body)
}
