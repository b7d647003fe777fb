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

// heading holds the sort key of a note, without its content.
type heading struct {
	path    memory.Path
	changed time.Time
}

// compare orders headings: the latest first, equal ones by key.
func (h heading) compare(other heading) int {
	return cmp.Or(other.changed.Compare(h.changed), strings.Compare(h.path.Key, other.path.Key), strings.Compare(h.path.Namespace, other.path.Namespace))
}

// headings returns the headings of the most recent notes of a list, in order, at most
// the given number, except notes from some sources. It buffers about twice that number,
// however many notes there are.
func (s *Surface) headings(ctx context.Context, caller memory.Caller, request memory.ListRequest, most int, except []string) (all []heading, err error) {
	request.WithoutText, request.WithTool = true, true // changedAt and sourceOf need the tool
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

// latest sorts headings and truncates them to the most recent ones.
func latest(all []heading, most int) []heading {
	slices.SortFunc(all, heading.compare)
	return slices.Delete(all, min(most, len(all)), len(all)) // clears the paths for the garbage collector
}

// eachNote yields the notes of headings, except notes from some sources. It reads each note
// just before yielding it, and skips notes that were deleted in the meantime. It stops when
// the token expires: a slow reader may outlive the token.
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
		if slices.Contains(except, one.Source) { // changed in the meantime
			continue
		}
		if err := yield(one); err != nil {
			return err
		}
	}
	return nil
}
