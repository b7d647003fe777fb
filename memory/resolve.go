package memory

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"mneme/acl"
)

// access returns the caller's access to a store that the request names. The error is
// acl.ErrDenied if it is below level.
func access(ctx context.Context, tx acl.Facts, c Caller, store string, level acl.Level, now time.Time) (acl.Access, error) {
	if err := acl.CheckID(store); err != nil {
		return acl.Access{}, err
	}
	a, err := acl.Decide(ctx, tx, c.Principal, store, now)
	if err != nil {
		return acl.Access{}, err
	}
	return a, a.Require(level)
}

// writeAccess is access for a write. The caller must also be able to read entries at its
// session's label, at which it writes.
func writeAccess(ctx context.Context, tx acl.Facts, c Caller, store string, now time.Time) (acl.Access, error) {
	a, err := access(ctx, tx, c, store, acl.ReadWrite, now)
	if err == nil && a.Ceiling < c.Taint {
		err = acl.ErrDenied
	}
	return a, err
}

// Authorize returns nil if the caller may use a store at a level, and otherwise acl.ErrDenied.
// At acl.ReadWrite the caller must be able to write entries at its session's label.
func (s *Service) Authorize(ctx context.Context, c Caller, store string, level acl.Level) error {
	return s.view(ctx, c, func(tx ReadTx) (err error) {
		if level == acl.ReadWrite {
			_, err = writeAccess(ctx, tx, c, store, s.Instant())
		} else {
			_, err = access(ctx, tx, c, store, level, s.Instant())
		}
		return err
	})
}

// Resolve returns the entry at a path that the caller sees there, or nil if there is none. Of
// several, it returns the caller's own entry that is not in context, or else the one with the
// highest label; of these, the caller's own, or else the newest.
func Resolve(c Caller, a acl.Access, entries []Entry, now time.Time) *Entry {
	var best *Entry
	for i := range entries {
		e := &entries[i]
		if isVisible(c, &a, e, now) && (best == nil || precedes(c, e, best)) {
			best = e
		}
	}
	return best
}

// writeTarget returns the entry that a write at a path changes, or nil. It resolves the path as
// Resolve does, but among the entries at the session's label only.
func writeTarget(c Caller, a acl.Access, entries []Entry, now time.Time) *Entry {
	var best *Entry
	for i := range entries {
		e := &entries[i]
		if e.Label == c.Taint && isVisible(c, &a, e, now) && (best == nil || precedes(c, e, best)) {
			best = e
		}
	}
	return best
}

// isVisible reports whether the caller may read the entry at its path.
func isVisible(c Caller, a *acl.Access, e *Entry, now time.Time) bool {
	if !e.Live(now) || !a.Sees(e.Label) {
		return false
	}
	return e.InContext || c.Internal && e.Owner == c.Agent
}

// precedes reports whether a path resolves to e rather than f, if both are visible.
func precedes(c Caller, e, f *Entry) bool {
	switch {
	case e.InContext != f.InContext:
		return !e.InContext
	case e.Label != f.Label:
		return e.Label > f.Label
	case (e.Owner == c.Agent) != (f.Owner == c.Agent):
		return e.Owner == c.Agent
	case !e.UpdatedAt.Equal(f.UpdatedAt):
		return e.UpdatedAt.After(f.UpdatedAt)
	}
	return bytes.Compare(e.ID[:], f.ID[:]) > 0
}

// mayRemove reports whether the caller may delete and restore an entry that it sees: its own,
// or any if it manages the whole store.
func mayRemove(c Caller, a acl.Access, e *Entry) bool {
	return e.Owner == c.Agent || managesAll(c, a)
}

// managesAll reports whether the caller manages everybody's entries in a store: in its own
// store, and with a platform token in the stores of chats and users.
func managesAll(c Caller, a acl.Access) bool {
	return a.Via == acl.ViaOwn || c.Platform && (a.Via == acl.ViaChat || a.Via == acl.ViaUser)
}

// checkPreconditions checks preconditions against the entry that the caller sees. e is nil if
// there is none.
func (s *Service) checkPreconditions(p Preconditions, e *Entry) error {
	own := ""
	if e != nil {
		own = s.secret.ETag(e.ID, e.Version)
	}
	return p.Check(own)
}

// Check checks preconditions against own, the entity tag of the current state; "" if there is
// none.
func (p Preconditions) Check(own string) error {
	if p.Match != nil && !matches(p.Match, own) || p.NoneMatch != nil && matches(p.NoneMatch, own) {
		return ErrPrecondition
	}
	return nil
}

func matches(tags []string, own string) bool {
	return own != "" && (slices.Contains(tags, "*") || slices.Contains(tags, own))
}

// asConflict converts a storage's ErrExists to a conflict for the caller.
func asConflict(err error) error {
	if errors.Is(err, ErrExists) {
		return conflict("another entry exists at this key and label")
	}
	return err
}

// SearchableFor returns the rows that a search may show to a caller. Each is within the scope,
// live and not encrypted, and is the row that its path resolves to. rows must include all
// entries of each path, ordered by GroupByPath.
func SearchableFor(c Caller, scope acl.Scope, rows []*Entry, now time.Time) []*Entry {
	reader := Caller{Principal: c.Principal} // a search never finds entries that are not in context
	searchable := make([]*Entry, 0, len(rows))
	var a acl.Access // to the store of the rows; zero: not in the scope
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].isAt(&rows[0].Path) {
			n++
		}
		if a.Store != rows[0].Store {
			a, _ = scope.Access(rows[0].Store)
		}
		if shown := shownOf(reader, &a, rows[:n], now); shown != nil && shown.Searchable() {
			searchable = append(searchable, shown)
		}
		rows = rows[n:]
	}
	return searchable
}

// isAt reports whether the entry is at a path. It compares keys first, since these differ most
// often: most of the hundreds of rows of a search are in the same store.
func (e *Entry) isAt(p *Path) bool {
	return e.Key == p.Key && e.Namespace == p.Namespace && e.Store == p.Store
}

// shownOf returns the entry to which the path of rows resolves, or nil if it resolves to none.
func shownOf(reader Caller, a *acl.Access, rows []*Entry, now time.Time) (shown *Entry) {
	for _, e := range rows {
		if isVisible(reader, a, e, now) && (shown == nil || precedes(reader, e, shown)) {
			shown = e
		}
	}
	return shown
}

// GroupByPath orders rows so that the rows of a path are consecutive.
func GroupByPath(rows []*Entry) {
	slices.SortFunc(rows, func(a, b *Entry) int { return a.Path.Compare(b.Path) })
}

// ReadableStore returns the scope of one store. The error is ErrDenied if the caller may not
// read it.
func ReadableStore(ctx context.Context, tx acl.Facts, c Caller, store string, now time.Time) (acl.Scope, error) {
	scope, err := acl.NewScope(ctx, tx, c.Principal, acl.ScopeRequest{Stores: []string{store}}, now)
	if err == nil && scope.Any(func(a acl.Access) bool { return a.Level < acl.Read }) {
		err = acl.ErrDenied
	}
	return scope, err
}
