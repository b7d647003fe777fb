package rest

import (
	"errors"
	"io"
	"net/url"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/server/problem"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// binder reads JSON bodies for the generated code.
type binder struct{ surface *Surface }

// Bind decodes the body into target, a pointer to a generated type. Without a
// body the error wraps io.EOF, which the generated code accepts where the body
// is optional.
func (b binder) Bind(target any, c echo.Context) error {
	r, most := c.Request(), b.surface.maxBody
	if _, several := target.(*api.Batch); several {
		most = int64(b.surface.service.Limits().Batch.Bytes)
	}
	body, err := wire.ReadBody(r, most)
	tooLarge := errors.Is(err, wire.ErrBodyTooLarge)
	switch {
	case err != nil && !tooLarge:
		return err
	case len(body) == 0 && !tooLarge:
		return problem.New(problem.Malformed, "the call needs a body").Because(io.EOF)
	}
	if err := wire.CheckMediaType(r, true, wire.ContentJSON); err != nil {
		return err
	}
	if tooLarge {
		return b.surface.oversized(c, err)
	}
	return decode(body, target)
}

// oversized returns the error of a body above the limit: tooLarge, unless the
// caller may not write to the store, since access is checked first.
func (s *Surface) oversized(c echo.Context, tooLarge error) error {
	if name, err := url.PathUnescape(c.Param("store")); err == nil && name != "" {
		ctx := c.Request().Context()
		store, err := storeID(ctx, "store", name)
		if err != nil {
			return err
		}
		if err := s.service.Authorize(ctx, caller(ctx), store, acl.ReadWrite); err != nil {
			return err
		}
	}
	return tooLarge
}

// decode decodes a JSON object into a generated type, strictly: fields that are
// unknown, repeated, null, of another type or missing are errors. The service
// checks their values.
func decode(text []byte, target any) error {
	if err := (wire.Rules{}).DecodeStruct(text, target); err != nil {
		return wire.BodyProblem(err)
	}
	return nil
}
