package robutler

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mneme/memory"
)

// heading is what a list sorts notes by, without their contents.
type heading struct {
	path    memory.Path
	changed time.Time // if it is not certain, at the latest
	certain bool
}

// headingOf returns the heading of an entry that was read without its source. Of a first
// version it takes OccurredAt as that of a note. A later one may be of another surface,
// and count from its own instant; see changedAt.
func headingOf(e *memory.Entry) heading {
	h := heading{path: e.Path, changed: e.UpdatedAt, certain: true}
	switch {
	case !occurred(e):
	case e.Version == 1:
		h.changed = e.OccurredAt.Time
	default:
		h.certain = false
		if e.OccurredAt.Time.After(h.changed) {
			h.changed = e.OccurredAt.Time
		}
	}
	return h
}

// compare orders headings: the latest first, equal ones by key.
func (h heading) compare(other heading) int {
	return cmp.Or(other.changed.Compare(h.changed), strings.Compare(h.path.Key, other.path.Key), strings.Compare(h.path.Namespace, other.path.Namespace))
}

// spareNotes is how many headings more than a list has notes are kept, for those that it
// leaves out or that turn out to be older, so that neither the memory nor the time of a
// list grows with the store. If it leaves out more, it is shorter than its limit.
const spareNotes = 1000

// headings are the latest of a list of notes.
type headings struct {
	most int
	all  []heading
}

// headings returns the latest of the entries of a list, in order.
func (s *Surface) headings(ctx context.Context, caller memory.Caller, request memory.ListRequest, most int) (*headings, error) {
	l := &headings{most: most}
	for {
		page, err := s.service.List(ctx, caller, request)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			l.all = append(l.all, headingOf(&page.Items[i].Entry))
		}
		if len(l.all) >= 2*most {
			l.cut()
		}
		if request.Cursor = page.Next; page.Next == "" {
			l.cut()
			return l, nil
		}
	}
}

// cut sorts the headings and drops all but the latest.
func (l *headings) cut() {
	slices.SortFunc(l.all, heading.compare)
	l.all = slices.Delete(l.all, min(l.most, len(l.all)), len(l.all)) // so that it holds no paths
}

// next returns the latest heading, and removes it; false if there is none.
func (l *headings) next() (h heading, ok bool) {
	if len(l.all) == 0 {
		return h, false
	}
	h, l.all = l.all[0], l.all[1:]
	return h, true
}

// putBack puts back a heading whose time is certain now.
func (l *headings) putBack(h heading) {
	i, _ := slices.BinarySearchFunc(l.all, h, heading.compare)
	l.all = slices.Insert(l.all, i, h)
}

// eachNote yields the notes of headings, the latest first, up to a limit, except those of
// some sources. It reads each when its turn comes.
func (s *Surface) eachNote(ctx context.Context, caller memory.Caller, l *headings, limit int, except []string, yield func(note) error) error {
	for n := 0; n < limit; {
		h, ok := l.next()
		if !ok {
			return nil
		}
		found, err := s.service.Get(ctx, caller, h.path)
		if errors.Is(err, memory.ErrNotFound) { // deleted meanwhile
			continue
		}
		if err != nil {
			return err
		}
		if at := changedAt(&found.Entry); !h.certain && at.Before(h.changed) {
			l.putBack(heading{h.path, at, true})
			continue
		}
		one := noteOf(&found.Entry)
		if slices.Contains(except, one.Source) {
			continue
		}
		if err := yield(one); err != nil {
			return err
		}
		n++
	}
	return nil
}
