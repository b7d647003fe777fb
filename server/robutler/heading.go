package robutler

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mneme/memory"
	"mneme/server"
	"mneme/server/wire"
)

// heading is what a list sorts notes by, without their contents.
type heading struct {
	path    memory.Path
	changed time.Time
}

// compare orders headings: the latest first, equal ones by key.
func (h heading) compare(other heading) int {
	return cmp.Or(other.changed.Compare(h.changed), strings.Compare(h.path.Key, other.path.Key), strings.Compare(h.path.Namespace, other.path.Namespace))
}

// headings returns the latest of the notes of a list, in order, at most so many, except
// those of some sources. It holds about twice as many, however many notes there are.
func (s *Surface) headings(ctx context.Context, caller memory.Caller, request memory.ListRequest, most int, except []string) (all []heading, err error) {
	request.WithoutText, request.WithTool = true, true // changedAt and sourceOf go by the tool
	for {
		page, err := s.service.List(ctx, caller, request)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			if e := &page.Items[i].Entry; !slices.Contains(except, sourceOf(e.Source)) {
				all = append(all, heading{e.Path, changedAt(e)})
			}
		}
		if len(all) >= 2*most {
			all = latest(all, most)
		}
		if request.Cursor = page.Next; page.Next == "" {
			return latest(all, most), nil
		}
	}
}

// latest sorts headings and drops all but the latest.
func latest(all []heading, most int) []heading {
	slices.SortFunc(all, heading.compare)
	return slices.Delete(all, min(most, len(all)), len(all)) // so that it holds no paths
}

// eachNote yields the notes of headings, except those of some sources. It reads each when
// its turn comes, and leaves out what was deleted meanwhile. It ends with the token: a slow
// reader may outlive it.
func (s *Surface) eachNote(ctx context.Context, caller memory.Caller, all []heading, except []string, yield func(note) error) error {
	for i, h := range all {
		if i%wire.MaxPage == wire.MaxPage-1 {
			if _, err := server.Judge(ctx, true); err != nil {
				return err
			}
		}
		found, err := s.service.Get(ctx, caller, h.path)
		if errors.Is(err, memory.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		one := noteOf(&found.Entry)
		if slices.Contains(except, one.Source) { // it was changed meanwhile
			continue
		}
		if err := yield(one); err != nil {
			return err
		}
	}
	return nil
}
