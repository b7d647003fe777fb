package memory

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"mneme/acl"
)

// access decides what the caller may do with a store that the request names,
// and requires a level of it.
func access(ctx context.Context, tx ReadTx, c Caller, store string, level acl.Level, now time.Time) (acl.Access, error) {
	if err := acl.CheckID(store); err != nil {
		return acl.Access{}, err
	}
	a, err := acl.Decide(ctx, tx, c.Principal, store, now)
	if err != nil {
		return acl.Access{}, err
	}
	return a, a.Require(level)
}

// writeAccess is access for a write: the caller must also be able to see what
// it writes at its session's label.
func writeAccess(ctx context.Context, tx ReadTx, c Caller, store string, now time.Time) (acl.Access, error) {
	a, err := access(ctx, tx, c, store, acl.ReadWrite, now)
	if err == nil && a.Ceiling < c.Taint {
		err = acl.ErrDenied
	}
	return a, err
}

// Authorize returns nil if the caller may use a store at a level, and an
// acl.ErrDenied if not. At acl.ReadWrite the caller must be able to write
// entries at its session's label.
func (s *Service) Authorize(ctx context.Context, c Caller, store string, level acl.Level) error {
	return s.storage.View(ctx, func(tx ReadTx) (err error) {
		if level == acl.ReadWrite {
			_, err = writeAccess(ctx, tx, c, store, s.instant())
		} else {
			_, err = access(ctx, tx, c, store, level, s.instant())
		}
		return err
	})
}

// shown is the entry that the caller sees at a path, of those that stand
// there: nil if none. Its own entry that is not in context comes before any
// other; then the highest visible label, the caller's own, the newest.
func shown(c Caller, a acl.Access, entries []Entry, now time.Time) *Entry {
	var best *Entry
	for i := range entries {
		e := &entries[i]
		if isVisible(c, a, e, now) && (best == nil || precedes(c, e, best)) {
			best = e
		}
	}
	return best
}

// target is the entry that a write at the session's label goes to: the one
// that the path resolves to among those of this label, nil if none.
func target(c Caller, a acl.Access, entries []Entry, now time.Time) *Entry {
	var best *Entry
	for i := range entries {
		e := &entries[i]
		if e.Label == c.Taint && isVisible(c, a, e, now) && (best == nil || precedes(c, e, best)) {
			best = e
		}
	}
	return best
}

// isVisible reports whether the caller may read the entry at its path.
func isVisible(c Caller, a acl.Access, e *Entry, now time.Time) bool {
	if !e.Live(now) || !a.Sees(e.Label) {
		return false
	}
	return e.InContext || c.Internal && e.Owner == c.Agent
}

// precedes reports whether a path resolves to e rather than f, both visible.
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

// mayRemove tells whether the caller may delete and restore an entry that it
// sees: its own, any in its own store, and with a platform token any in the
// store of a chat or user.
func mayRemove(c Caller, a acl.Access, e *Entry) bool {
	return e.Owner == c.Agent || managesAll(c, a)
}

func managesAll(c Caller, a acl.Access) bool {
	return a.Via == acl.ViaOwn || c.Platform && (a.Via == acl.ViaChat || a.Via == acl.ViaUser)
}

// checkPreconditions judges preconditions against the entry that the caller
// sees, nil for none.
func (s *Service) checkPreconditions(p Preconditions, e *Entry) error {
	if p.Match != nil && !s.matches(p.Match, e) || p.NoneMatch != nil && s.matches(p.NoneMatch, e) {
		return ErrPrecondition
	}
	return nil
}

func (s *Service) matches(tags []string, e *Entry) bool {
	if e == nil {
		return false
	}
	own := s.secret.ETag(e.ID, e.Version)
	for _, tag := range tags {
		if tag == "*" || tag == own {
			return true
		}
	}
	return false
}

// found adds the entity tag.
func (s *Service) found(e Entry) Found {
	return Found{Entry: e, ETag: s.secret.ETag(e.ID, e.Version)}
}

func itoa(n int) string { return strconv.Itoa(n) }

// clash turns a storage's refusal to have two live entries alike into the
// conflict that it is to the caller.
func clash(err error) error {
	if errors.Is(err, ErrExists) {
		return conflict("an entry stands in the way at this key and label")
	}
	return err
}
