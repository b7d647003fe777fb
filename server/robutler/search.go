package robutler

import (
	"errors"
	"io"

	"github.com/labstack/echo/v4"

	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/wire"
)

// search searches the store that the request names, or else all stores that the
// caller can access, including those of the named chat and user.
func (s *Surface) search(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	question, err := q.text("q")
	if err != nil {
		return err
	}
	if !q.values.Has("q") {
		return problem.In(problem.Malformed, "q", "is required")
	}
	about, err := q.subject()
	if err != nil {
		return err
	}
	if about, err = about.resolve(c); err != nil {
		return err
	}
	request := memory.SearchRequest{Query: question, Chat: about.chat, User: about.user, Limit: wire.DefaultHits}
	if about.store != "" {
		request.Stores = []string{about.store}
	}
	found, err := s.service.Search(c.Request().Context(), visitor(c), request)
	var broken *memory.RuleError
	if errors.As(err, &broken) && broken.Field == "query" { // named q in this API
		err = &memory.RuleError{Field: "q", Rule: broken.Rule}
	}
	if err != nil {
		return err
	}
	s.metrics.Search(found)
	return wire.Stream(c.Response(), func(w io.Writer) error { return s.writeAnswer(c.Request().Context(), w, &found) })
}
