package oracle

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Kind is a kind of call.
type Kind string

// The calls that change entries.
const (
	Put      Kind = "put"
	Delete   Kind = "delete"
	Undelete Kind = "undelete" // restore without a version
	Revert   Kind = "revert"   // restore of a version
	Rename   Kind = "rename"
	Import   Kind = "import"
)

// Condition is a precondition of a put.
type Condition int

// The preconditions.
const (
	Always   Condition = iota
	Absent             // If-None-Match: *
	Current            // If-Match with the current ETag
	Outdated           // If-Match with the ETag of an older version
)

// Call is one call.
type Call struct {
	Kind    Kind
	Path    Path
	To      Path          // of a rename
	Value   string        // of a put; unique, so that a state shows which puts happened
	Version int           // of a revert
	Keep    int           // of a revert: maximum number of versions of an entry
	TTL     time.Duration // of a put; 0: none given
	If      Condition     // of a put
	Lines   []Call        // of an import: puts, each at another path
}

// Answer is the service's answer.
type Answer struct {
	Status  int // 0: there was no answer, so the outcome is unknown
	ID      string
	Version int
	Expires time.Time
}

// outcome is one possible outcome of a call.
type outcome struct {
	state  State
	answer Answer
}

// Do returns the candidates after a call. at spans the time from the first attempt to
// send the call until its answer, or until the server was dead. The error reports that
// no candidate explains the answer.
func (c Candidates) Do(call Call, at Window, answer Answer, purges Purges) (Candidates, error) {
	var next Candidates
	for _, state := range c {
		if answer.Status == 0 {
			next = append(next, state)
		}
		for _, o := range state.outcomes(call, at, purges, answer.Status == 0) {
			if answer.Status == 0 {
				if o.answer.Status < 300 { // a refused call changes nothing
					next = append(next, o.state)
				}
			} else if o.answer.explains(answer) {
				next = append(next, o.state.withAnswer(call, answer))
			}
		}
	}
	if len(next) == 0 {
		return c, fmt.Errorf("%s of %v answered %+v: want one of %+v", call.Kind, call.Path, answer, c.answers(call, at, purges))
	}
	return next, nil
}

// answers lists the answers that the candidates would give.
func (c Candidates) answers(call Call, at Window, purges Purges) (all []Answer) {
	for _, state := range c {
		for _, o := range state.outcomes(call, at, purges, false) {
			all = append(all, o.answer)
		}
	}
	return all
}

// explains reports whether an expected answer matches a received one.
func (want Answer) explains(got Answer) bool {
	return want.Status == got.Status && want.Version == got.Version &&
		(want.ID == "" || got.ID == "" || want.ID == got.ID)
}

// withAnswer returns the state with the ID and the exact expiry of the call's entry
// from an answer.
func (s State) withAnswer(call Call, answer Answer) State {
	path := call.Path
	if call.Kind == Rename {
		path = call.To
	}
	slot := s[path]
	if slot.Live == nil || answer.ID == "" || answer.Status >= 300 {
		return s
	}
	e := *slot.Live
	e.ID = answer.ID
	if !answer.Expires.IsZero() && !e.Expires.To.IsZero() {
		e.Expires = Window{answer.Expires, answer.Expires}
	}
	slot.Live = &e
	return s.with(path, slot)
}

// outcomes returns every possible outcome of a call. With partly, an import may
// also have stopped after any of its lines.
func (s State) outcomes(call Call, at Window, purges Purges, partly bool) []outcome {
	if call.Kind == Import {
		return s.imported(call, at, purges, partly)
	}
	var all []outcome
	slot := s[call.Path]
	if slot.Live != nil && slot.Live.mayBeExpired(at) { // the call may then find no entry
		expired := slot
		expired.Live = nil
		all = append(all, s.with(call.Path, expired).outcomes(call, at, purges, partly)...)
		if !slot.Live.mayBeLive(at) {
			return all
		}
	}
	switch call.Kind {
	case Put:
		return append(all, s.put(call, at))
	case Delete:
		return append(all, s.deleted(call, at))
	case Undelete:
		return append(all, s.undeleted(call, at, purges)...)
	case Revert:
		return append(all, s.reverted(call)...)
	case Rename:
		return append(all, s.renamed(call, at))
	default:
		panic("oracle: unknown call " + string(call.Kind))
	}
}

// refused returns the outcome of a call that changes nothing.
func (s State) refused(status int) outcome { return outcome{s, Answer{Status: status}} }

func (s State) put(call Call, at Window) outcome {
	slot := s[call.Path]
	if call.If == Absent && slot.Live != nil || call.If == Current && slot.Live == nil || call.If == Outdated {
		return s.refused(http.StatusPreconditionFailed)
	}
	status := http.StatusOK
	e := &Entry{Values: []string{call.Value}}
	if slot.Live == nil {
		status = http.StatusCreated
	} else {
		e = slot.Live.edited(call.Value)
	}
	if call.TTL > 0 {
		e.Expires = at.add(call.TTL)
	}
	slot.Live = e
	return outcome{s.with(call.Path, slot), Answer{Status: status, ID: e.ID, Version: len(e.Values)}}
}

func (s State) deleted(call Call, at Window) outcome {
	slot := s[call.Path]
	if slot.Live == nil {
		return s.refused(http.StatusNotFound)
	}
	e := *slot.Live
	e.Deleted = at
	slot.Live, slot.Trash = nil, append(slices.Clip(slot.Trash), e)
	return outcome{s.with(call.Path, slot), Answer{Status: http.StatusNoContent}}
}

// undeleted restores the latest deleted entry that earlier purges have not erased.
func (s State) undeleted(call Call, at Window, purges Purges) (all []outcome) {
	slot := s[call.Path]
	for i := len(slot.Trash) - 1; i >= 0; i-- {
		e := slot.Trash[i]
		if purges.mustErase(&e, at) {
			continue
		}
		if slot.Live != nil {
			all = append(all, s.refused(http.StatusConflict))
		} else {
			back := e.edited(e.value())
			back.Deleted = Window{}
			all = append(all, outcome{
				s.with(call.Path, Slot{back, slices.Delete(slices.Clone(slot.Trash), i, len(slot.Trash))}),
				Answer{Status: http.StatusOK, ID: e.ID, Version: len(back.Values)},
			})
		}
		if !purges.mayErase(&e, at) {
			return all
		}
	}
	return append(all, s.refused(http.StatusNotFound))
}

// reverted writes the value of an older version again. A version beyond the guaranteed
// length of the history may be missing.
func (s State) reverted(call Call) (all []outcome) {
	slot := s[call.Path]
	if slot.Live == nil || call.Version < 1 || call.Version > len(slot.Live.Values) {
		return []outcome{s.refused(http.StatusNotFound)}
	}
	if call.Version <= len(slot.Live.Values)-call.Keep {
		all = append(all, s.refused(http.StatusNotFound))
	}
	slot.Live = slot.Live.edited(slot.Live.Values[call.Version-1])
	return append(all, outcome{s.with(call.Path, slot), Answer{Status: http.StatusOK, ID: slot.Live.ID, Version: len(slot.Live.Values)}})
}

// renamed moves the live entry. In another store it becomes a new entry, and the
// old one goes to the trash.
func (s State) renamed(call Call, at Window) outcome {
	from, to := s[call.Path], s[call.To]
	switch {
	case from.Live == nil:
		return s.refused(http.StatusNotFound)
	case to.Live != nil:
		return s.refused(http.StatusConflict)
	}
	if call.Path.Store == call.To.Store {
		to.Live = from.Live.edited(from.Live.value())
	} else {
		to.Live = &Entry{Values: []string{from.Live.value()}, Expires: from.Live.Expires}
		old := *from.Live
		old.Deleted = at
		from.Trash = append(slices.Clip(from.Trash), old)
	}
	from.Live = nil
	return outcome{
		s.with(call.Path, from).with(call.To, to),
		Answer{Status: http.StatusOK, ID: to.Live.ID, Version: len(to.Live.Values)},
	}
}

// imported applies the lines in order. An answered import has written all lines; an
// import that was cut off has written a prefix of them.
func (s State) imported(call Call, at Window, purges Purges, partly bool) (all []outcome) {
	reached := []State{s}
	for _, line := range call.Lines {
		var next []State
		for _, state := range reached {
			for _, o := range state.outcomes(line, at, purges, false) {
				next = append(next, o.state)
			}
		}
		reached = next
		if partly {
			for _, state := range reached {
				all = append(all, outcome{state, Answer{Status: http.StatusOK}})
			}
		}
	}
	if partly {
		return all
	}
	for _, state := range reached {
		all = append(all, outcome{state, Answer{Status: http.StatusOK}})
	}
	return all
}
