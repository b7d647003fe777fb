// Package oracle decides whether the visible state of a service can follow
// from its clients' calls. It implements the rules of a store's entries
// independently of the service: it imports only the standard library.
//
// A client that makes one call at a time maintains Candidates, the possible states
// of its paths. An acknowledged call advances each candidate and drops those that
// would have answered differently. A call that has no answer because the server
// was killed doubles the candidates: it happened as a whole, or not at all. The
// state that a restarted server shows must then equal one candidate in all respects
// at once: row, version, history, trash and terms. If no candidate is left, an
// acknowledged write was lost, a call happened partly or twice, or a deleted
// entry was shown.
//
// The tests of this package break a service in each of these ways, and require
// the oracle to detect it.
package oracle

import (
	"maps"
	"slices"
	"time"
)

// Window bounds the instant of an event: between From and To, by a clock that
// the client and the server share.
type Window struct{ From, To time.Time }

// slack is the precision of rows, one microsecond, with a margin.
const slack = 2 * time.Millisecond

// add returns the window shifted by a duration.
func (w Window) add(d time.Duration) Window { return Window{w.From.Add(d), w.To.Add(d)} }

// mayPrecede reports whether w can have happened before v.
func (w Window) mayPrecede(v Window) bool { return w.From.Before(v.To.Add(slack)) }

// precedes reports whether w must have happened before v.
func (w Window) precedes(v Window) bool { return w.To.Add(slack).Before(v.From) }

// Path names an entry.
type Path struct{ Store, Key string }

// Entry is an entry with the values of all its versions.
type Entry struct {
	ID      string   // "" until the service has returned it
	Values  []string // by version: Values[0] is version 1
	Expires Window   // zero: never
	Deleted Window   // zero: not in the trash
}

func (e Entry) value() string { return e.Values[len(e.Values)-1] }

// edited returns the entry with another version.
func (e Entry) edited(value string) *Entry {
	e.Values = append(slices.Clip(e.Values), value)
	return &e
}

// mayBeLive and mayBeExpired report whether the entry may be live, or expired, at an
// instant of a window. Both may be true.
func (e *Entry) mayBeLive(at Window) bool { return e.Expires.To.IsZero() || at.mayPrecede(e.Expires) }
func (e *Entry) mayBeExpired(at Window) bool {
	return !e.Expires.To.IsZero() && e.Expires.mayPrecede(at)
}

// Slot is the content of a path: at most one live entry, and deleted entries in the
// order of their deletion.
type Slot struct {
	Live  *Entry
	Trash []Entry
}

// State is the content of one client's paths. States share data and must not be
// changed in place.
type State map[Path]Slot

func (s State) with(path Path, slot Slot) State {
	next := maps.Clone(s)
	if next == nil {
		next = make(State)
	}
	next[path] = slot
	return next
}

// Purge is an operator's purge: it erases entries deleted before Cutoff.
type Purge struct {
	Cutoff time.Time
	At     Window
	Acked  bool // if false, it may have erased some, all or none of them
}

// Purges are all purges that have begun.
type Purges []Purge

// mayErase reports whether a purge may have erased a deleted entry at an instant of a window.
func (p Purges) mayErase(e *Entry, at Window) bool {
	return slices.ContainsFunc(p, func(p Purge) bool {
		return e.Deleted.From.Before(p.Cutoff.Add(slack)) && e.Deleted.mayPrecede(p.At) && p.At.mayPrecede(at)
	})
}

// mustErase reports whether a purge must have erased a deleted entry.
func (p Purges) mustErase(e *Entry, at Window) bool {
	return slices.ContainsFunc(p, func(p Purge) bool {
		return p.Acked && e.Deleted.To.Add(slack).Before(p.Cutoff) && e.Deleted.precedes(p.At) && p.At.precedes(at)
	})
}

// Candidates are the possible states of a client's paths. There is at least
// one.
type Candidates []State

// New returns the candidates of empty paths.
func New() Candidates { return Candidates{State{}} }
