package robutler

import (
	"errors"
	"io"

	"github.com/labstack/echo/v4"

	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/problem"
	"mneme/server/wire"
)

// listNotes answers with a list of notes, each encoded as it is written.
func listNotes(c echo.Context, each func(yield func(note) error) error) error {
	return wire.Stream(c.Response(), func(w io.Writer) error {
		return wire.List(w, "entries", func(item func([]byte) error) (any, error) {
			return struct{}{}, each(func(n note) error {
				text, err := wire.Marshal(n)
				if err != nil {
					return err
				}
				return item(text)
			})
		})
	})
}

// notes lists notes, most recent first.
func (s *Surface) notes(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	about, err := q.ownSubject(c)
	if err != nil {
		return err
	}
	request := memory.ListRequest{Store: about.agent, Limit: wire.MaxPage}
	if request.Filter.Where, err = q.namespaces(); err != nil {
		return err
	}
	prefix, err := q.text("prefix")
	if err != nil {
		return err
	}
	request.Prefix = normalPrefix(prefix)
	limit, err := q.limit(defaultNotes, mostNotes)
	if err != nil {
		return err
	}
	ctx, caller, except := c.Request().Context(), visitor(c), q.values["excludeSource"]
	all, err := s.headings(ctx, caller, request, limit, except)
	if err != nil {
		return err
	}
	return listNotes(c, func(yield func(note) error) error {
		return s.eachNote(ctx, caller, all, except, yield)
	})
}

// searchNotes searches notes.
func (s *Surface) searchNotes(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	about, err := q.ownSubject(c)
	if err != nil {
		return err
	}
	request := search.Request{Stores: []string{about.agent}}
	if request.Filter.Where, err = q.namespaces(); err != nil {
		return err
	}
	if request.Query, err = q.text("q"); err != nil {
		return err
	}
	if request.Limit, err = q.limit(wire.DefaultHits, wire.MaxHits); err != nil {
		return err
	}
	ctx := c.Request().Context()
	found, err := s.market.Search(ctx, visitor(c), meter.SearchRequest{Request: request})
	var broken *memory.RuleError
	if errors.As(err, &broken) && broken.Field == "query" {
		return problem.In(problem.Rule, "q", broken.Rule)
	}
	if err != nil {
		return err
	}
	s.metrics.Search(found.Answer)
	return listNotes(c, func(yield func(note) error) error {
		return found.Answer.Values().Each(ctx, func(h *search.Hit) error { return yield(noteOf(&h.Entry)) })
	})
}
