package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// View is the visible state of one path.
type View struct {
	Path Path
	// At spans the time of all reads of the view.
	At Window

	Found    bool // a get found an entry, which the next four fields describe
	ID       string
	Version  int
	Value    string
	Expires  time.Time
	Listed   int        // its version in the store's list; 0: not listed
	Versions []string   // values of its versions, the newest first
	Keep     int        // maximum number of versions of an entry, including the current one
	Trash    []TrashRow // of the path, the latest deletion first
	NoTrash  bool       // the trash was not read
	// Hits are the values of the path in the hits of searches, from either leg.
	Hits []string
	// Words reports, by possible value of the path, whether the lexical leg of a search
	// for the value finds the path.
	Words map[string]bool
	// Vectors is like Words, for the vector leg and current and former embedded values;
	// nil while entries wait for their vectors.
	Vectors map[string]bool
}

// TrashRow is an entry in the trash.
type TrashRow struct {
	ID      string
	Version int
	Value   string
}

// See returns the candidates that agree with every view, with IDs from the views.
// The error lists the contradictions of the closest candidate.
func (c Candidates) See(views []View, purges Purges) (Candidates, error) {
	var next Candidates
	var closest []string
	for _, state := range c {
		var wrong []string
		seen := state
		for i := range views {
			wrong = append(wrong, state.contradictions(&views[i], purges)...)
			seen = seen.identified(&views[i])
		}
		if len(wrong) == 0 {
			next = append(next, seen)
		} else if closest == nil || len(wrong) < len(closest) {
			closest = wrong
		}
	}
	if len(next) > 0 {
		return next.distinct(), nil
	}
	return c, fmt.Errorf("none of %d possible states is shown; the closest contradicts:\n\t%s", len(c), strings.Join(closest, "\n\t"))
}

// brief quotes the first line of each value.
func brief(values ...string) string {
	var quoted []string
	for _, value := range values {
		line, _, long := strings.Cut(value, "\n")
		if long {
			line += "…"
		}
		quoted = append(quoted, fmt.Sprintf("%q", line))
	}
	return strings.Join(quoted, ", ")
}

// sameValue reports whether shown equals the expected value, which "" leaves unknown.
func sameValue(want, shown string) bool { return want == "" || want == shown }

// contradictions lists the differences between the state and a view.
func (s State) contradictions(v *View, purges Purges) (wrong []string) {
	say := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s %s: ", v.Path.Store, v.Path.Key)+fmt.Sprintf(format, args...))
	}
	slot := s[v.Path]
	live := slot.Live
	if live != nil && live.mayBeExpired(v.At) {
		if live.mayBeLive(v.At) {
			return nil // it may have expired between two of the reads
		}
		live = nil
	}
	switch {
	case live == nil && v.Found:
		say("version %d is shown, but no entry is live", v.Version)
	case live != nil && !v.Found:
		say("version %d is live, but not shown", len(live.Values))
	case live != nil:
		if v.Version != len(live.Values) || !sameValue(live.value(), v.Value) || live.ID != "" && v.ID != live.ID {
			say("version %d %s is shown, but version %d %s is live", v.Version, brief(v.Value), len(live.Values), brief(live.value()))
		}
		want := slices.Clone(live.Values)
		slices.Reverse(want)
		if n := len(v.Versions); n < min(len(want), v.Keep) || n > len(want) || !slices.EqualFunc(want[:n], v.Versions, sameValue) {
			say("the history is %s, want %s", brief(v.Versions...), brief(want...))
		}
	}
	if want := v.Version; v.Listed != want && (v.Found || v.Listed != 0) {
		say("version %d is shown, but %d listed", want, v.Listed)
	}
	for _, value := range v.Hits {
		if live == nil || !sameValue(live.value(), value) {
			say("a search shows %s, but it is not live", brief(value))
		}
	}
	unknown := live != nil && live.value() == "" // restored from a version that the history no longer had
	for value, found := range v.Words {
		if want := live != nil && live.value() == value; found != want && !unknown {
			say("the words of %s are found: %v, want %v", brief(value), found, want)
		}
	}
	for value, found := range v.Vectors {
		if want := live != nil && live.value() == value; found != want && !unknown {
			say("the vector of %s is found: %v, want %v", brief(value), found, want)
		}
	}
	if !v.NoTrash {
		for _, problem := range slot.trashContradictions(v, purges) {
			say("%s", problem)
		}
	}
	return wrong
}

// trashContradictions compares the rows of the trash with the deleted entries, both
// latest first. Entries that a purge may have erased may be missing.
func (s Slot) trashContradictions(v *View, purges Purges) (wrong []string) {
	rows := v.Trash
	for _, e := range slices.Backward(s.Trash) {
		if !e.mayBeLive(v.At) {
			continue
		}
		shown := len(rows) > 0 && rows[0].Version == len(e.Values) && sameValue(e.value(), rows[0].Value) && (e.ID == "" || rows[0].ID == e.ID)
		switch {
		case shown && purges.mustErase(&e, v.At):
			wrong = append(wrong, fmt.Sprintf("version %d %s was purged, but is in the trash", len(e.Values), brief(e.value())))
		case !shown && !purges.mayErase(&e, v.At) && !e.mayBeExpired(v.At):
			wrong = append(wrong, fmt.Sprintf("version %d %s was deleted, but is not in the trash", len(e.Values), brief(e.value())))
		}
		if shown {
			rows = rows[1:]
		}
	}
	for _, row := range rows {
		wrong = append(wrong, fmt.Sprintf("version %d %s is in the trash, but was not deleted", row.Version, brief(row.Value)))
	}
	return wrong
}

// identified returns the state with the IDs from a view. Later views must show the
// same IDs.
func (s State) identified(v *View) State {
	slot := s[v.Path]
	changed := false
	if slot.Live != nil && slot.Live.ID == "" && v.Found {
		e := *slot.Live
		e.ID = v.ID
		slot.Live, changed = &e, true
	}
	for i, e := range slot.Trash {
		for _, row := range v.Trash {
			if e.ID == "" && row.Version == len(e.Values) && row.Value == e.value() {
				slot.Trash = slices.Clone(slot.Trash)
				slot.Trash[i].ID, changed = row.ID, true
			}
		}
	}
	if !changed {
		return s
	}
	return s.with(v.Path, slot)
}

// distinct drops duplicate candidates, which result from a call without an answer that
// changes nothing.
func (c Candidates) distinct() Candidates {
	var all Candidates
	seen := make(map[string]bool)
	for _, state := range c {
		if text := state.String(); !seen[text] {
			seen[text] = true
			all = append(all, state)
		}
	}
	return all
}

// Are reports whether the only candidate equals a state, ignoring IDs.
func (c Candidates) Are(s State) bool {
	return len(c) == 1 && maps.EqualFunc(c[0].nonEmpty(), s.nonEmpty(), func(a, b Slot) bool {
		if (a.Live == nil) != (b.Live == nil) || a.Live != nil && !slices.Equal(a.Live.Values, b.Live.Values) {
			return false
		}
		return slices.EqualFunc(a.Trash, b.Trash, func(x, y Entry) bool { return slices.Equal(x.Values, y.Values) })
	})
}

// nonEmpty returns the state without empty paths.
func (s State) nonEmpty() State {
	next := maps.Clone(s)
	maps.DeleteFunc(next, func(_ Path, slot Slot) bool { return slot.Live == nil && len(slot.Trash) == 0 })
	return next
}

// String lists the contents of the paths, in a fixed order.
func (s State) String() string {
	var lines []string
	for path, slot := range s.nonEmpty() {
		line := fmt.Sprintf("%s/%s: ", path.Store, path.Key)
		if e := slot.Live; e != nil {
			line += fmt.Sprintf("live %s %q until %v; ", e.ID, e.Values, e.Expires.To)
		}
		for _, e := range slot.Trash {
			line += fmt.Sprintf("deleted %s %q; ", e.ID, e.Values)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
