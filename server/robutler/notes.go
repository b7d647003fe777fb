package robutler

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/problem"
	"mneme/server/wire"
)

// notesAnswer is the answer of a list or a search of notes.
type notesAnswer struct {
	Entries []note `json:"entries"`
}

// heading is what a list sorts notes by, without their contents.
type heading struct {
	path    memory.Path
	changed time.Time
}

// notes lists notes, the latest first.
func (s *Surface) notes(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	about, err := q.ownSubject(c)
	if err != nil {
		return err
	}
	request := memory.ListRequest{Store: about.agent, Limit: wire.MaxPage, WithoutText: true}
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
	ctx, caller := c.Request().Context(), visitor(c)
	all, err := s.headings(ctx, caller, request)
	if err != nil {
		return err
	}
	out := notesAnswer{[]note{}}
	for _, h := range all {
		if len(out.Entries) == limit {
			break
		}
		found, err := s.service.Get(ctx, caller, h.path)
		if errors.Is(err, memory.ErrNotFound) { // deleted meanwhile
			continue
		}
		if err != nil {
			return err
		}
		if n := noteOf(&found.Entry); !slices.Contains(q.values["excludeSource"], n.Source) {
			out.Entries = append(out.Entries, n)
		}
	}
	return answerJSON(c, out)
}

// headings returns those of all entries of a list, the latest first, equal ones by key.
func (s *Surface) headings(ctx context.Context, caller memory.Caller, request memory.ListRequest) (all []heading, err error) {
	for {
		page, err := s.service.List(ctx, caller, request)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			e := &page.Items[i].Entry
			at := e.UpdatedAt
			if occurred(e) { // without texts it is not known whether it was written as a note
				at = e.OccurredAt.Time
			}
			all = append(all, heading{e.Path, at})
		}
		if request.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	slices.SortFunc(all, func(a, b heading) int {
		return cmp.Or(b.changed.Compare(a.changed), strings.Compare(a.path.Key, b.path.Key))
	})
	return all, nil
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
	out := notesAnswer{[]note{}}
	_, err = s.searcher.EachHit(ctx, &found.Answer, func(h *search.Hit) error {
		out.Entries = append(out.Entries, noteOf(&h.Entry))
		return nil
	})
	if err != nil {
		return err
	}
	return answerJSON(c, out)
}
