package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/period"
)

// OptionAsOf is the request option for an answer as of a time.
const OptionAsOf = "as_of"

// maxChanged bounds the entries per store that existed at an AsOf time and have changed since,
// because the history of each must be read.
const maxChanged = 1000

// ParseAsOf returns the instant of an as_of option. The option is a time, or a date, which
// stands for its last instant in the zone. An instant after now becomes now. The error is a
// RuleError.
func ParseAsOf(text, timezone string, now time.Time) (time.Time, error) {
	zone, err := parseZone(timezone)
	if err != nil {
		return time.Time{}, err
	}
	p, ok := period.Parse(text)
	if !ok {
		return time.Time{}, rule(OptionAsOf, "must be a date such as 2026-05-01, 2026-05 or 2026, or a time such as 2026-05-01T09:00:00Z")
	}
	span := p.In(zone)
	if span.From.After(now) {
		return time.Time{}, rule(OptionAsOf, "must not be in the future")
	}
	if last := span.Last(); last.Before(now) {
		return last, nil
	}
	return now, nil
}

// then holds the entries of a store as of a time, restricted to those that the caller may see
// now.
//
// SECURITY: who may see an entry is decided by the caller's current access and the entry's
// current label and state. Only its contents, path and expiry are those of the past, and which
// entry its path resolved to.
type then struct {
	at, now time.Time
	// former are the entries that have changed or were deleted since, in their former state and
	// without values. passes reports which of them pass the filter.
	former []Entry
	passes map[uuid.UUID]bool
	// lost are the entries, in their current state, that existed at the time but whose versions
	// from then are no longer stored.
	lost []Entry
}

// readThen returns what has changed in a store since a time, as far as the access a allows.
// extra are current rows that no scope has because they are not in context. Unless each is nil,
// readThen calls it with each entry of former: is is its current state, was its former state
// with the value.
func readThen(ctx context.Context, tx ReadTx, c Caller, a acl.Access, filter Filter, extra []Entry, at, now time.Time, each func(is, was *Entry, passes bool)) (*then, error) {
	changed, err := changedSince(ctx, tx, c, a, at, now)
	if err != nil {
		return nil, err
	}
	for i := range extra {
		if e := &extra[i]; !e.InContext && isVisible(c, &a, e, now) && !e.CreatedAt.After(at) && e.UpdatedAt.After(at) {
			changed = append(changed, *e)
		}
	}
	deleted, err := deletedSince(ctx, tx, c, a, at, now)
	if err != nil {
		return nil, err
	}
	changed = append(changed, deleted...)
	if len(changed) > maxChanged {
		return nil, errChanged()
	}
	t := &then{at: at, now: now, passes: make(map[uuid.UUID]bool)}
	judge := filter.Judge()
	defer filter.startReading()()
	for i := range changed {
		was, err := versionAt(ctx, tx, &changed[i], at)
		if err == nil && was != nil && filter.readsValues() {
			err = filter.Read(was.Value)
		}
		switch {
		case err != nil:
			return nil, err
		case was == nil:
			t.lost = append(t.lost, changed[i])
		case was.Live(at):
			t.passes[was.ID] = judge(was)
			if each != nil {
				each(&changed[i], was, t.passes[was.ID])
			}
			was.Size, was.Value, was.Source = was.bytes(), nil, nil
			t.former = append(t.former, *was)
		}
	}
	return t, nil
}

// changedSince returns the visible in-context entries, in their current state, that existed at
// the time at and have changed since.
func changedSince(ctx context.Context, tx ReadTx, c Caller, a acl.Access, at, now time.Time) ([]Entry, error) {
	scope, err := acl.NewScope(ctx, tx, c.Principal, acl.ScopeRequest{Stores: []string{a.Store}}, now)
	if err != nil {
		return nil, err
	}
	instant := at.UTC().Format(time.RFC3339Nano)
	where, err := ParseWhere(fmt.Appendf(nil, `{"created_at": {"lte": %q}, "updated_at": {"gt": %q}}`, instant, instant))
	if err != nil {
		return nil, err
	}
	ids, more, err := Filter{Where: where}.At(now).Matching(ctx, tx, scope, nil, maxChanged)
	if err != nil {
		return nil, err
	}
	if more {
		return nil, errChanged()
	}
	rows, err := tx.Siblings(ctx, scope, ids)
	if err != nil {
		return nil, err
	}
	asked := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		asked[id] = true
	}
	var changed []Entry
	for _, e := range rows {
		if asked[e.ID] && isVisible(c, &a, &e, now) {
			changed = append(changed, e)
		}
	}
	return changed, nil
}

// deletedSince returns the entries, in their current state, that existed at the time at and
// were deleted since, if the caller may restore them in a session of their label. If there are
// more than maxChanged, it returns only some, but more than maxChanged.
//
// SECURITY: for everybody else a deleted entry does not exist, as of any time.
func deletedSince(ctx context.Context, tx EntryReader, c Caller, a acl.Access, at, now time.Time) ([]Entry, error) {
	if a.Level < acl.ReadWrite {
		return nil, nil
	}
	var deleted []Entry
	for label := acl.Public; label <= c.Taint; label++ {
		query := TrashQuery{Store: a.Store, Label: label, Limit: maxScan}
		for more := true; more && len(deleted) <= maxChanged; {
			rows, err := restorable(ctx, tx, c, a, query, now)
			if err != nil {
				return nil, err
			}
			more = len(rows) == query.Limit
			for _, e := range rows {
				if !e.DeletedAt.After(at) { // ordered by deletion: the rest were deleted earlier
					more = false
					break
				}
				if !e.CreatedAt.After(at) {
					deleted = append(deleted, e)
				}
			}
			if more {
				last := rows[len(rows)-1]
				query.AfterTime, query.AfterID = last.DeletedAt, last.ID
			}
		}
	}
	return deleted, nil
}

// versionAt returns an entry as it was at a time, or nil if that version is no longer stored.
// Its label is the current one.
func versionAt(ctx context.Context, tx HistoryReader, e *Entry, at time.Time) (*Entry, error) {
	versions, err := tx.History(ctx, HistoryQuery{Entry: e.ID, Until: at, Limit: 1})
	if err != nil || len(versions) == 0 {
		return nil, err
	}
	was := &versions[0]
	was.Label = max(was.Label, e.Label)
	if was.DeletedAt.After(at) {
		was.DeletedAt, was.DeletedBy = time.Time{}, ""
	}
	return was, nil
}

// stood reports whether a current row is live and has not changed since the time.
func (t *then) stood(e *Entry) bool { return !e.UpdatedAt.After(t.at) && e.Live(t.now) }

// withValues is Service.withValues for entries as they were at the time.
func (t *then) withValues(ctx context.Context, tx EntryReader, s *Service, entries []Entry) ([]Found, error) {
	former := make(map[uuid.UUID]bool, len(t.former))
	for i := range t.former {
		former[t.former[i].ID] = true
	}
	var present []Entry
	for _, e := range entries {
		if !former[e.ID] {
			present = append(present, e)
		}
	}
	whole, err := s.withValues(ctx, tx, present)
	if err != nil {
		return nil, err
	}
	items := make([]Found, 0, len(entries))
	for i := range entries {
		if !former[entries[i].ID] {
			if len(whole) > 0 && whole[0].ID == entries[i].ID {
				items, whole = append(items, whole[0]), whole[1:]
			}
			continue
		}
		was, err := versionAt(ctx, tx, &entries[i], t.at)
		if err != nil {
			return nil, err
		}
		if was != nil { // it was read in this transaction
			items = append(items, s.withETag(*was))
		}
	}
	return items, nil
}

// errChanged reports that more entries have changed since than may be read.
func errChanged() error {
	return rule(OptionAsOf, "must be later: more than %d older entries have changed since", maxChanged)
}

// errLost reports that the history of an entry does not reach back to the time.
func errLost() error {
	return rule(OptionAsOf, "must be later: the former versions of an entry that has changed since are no longer stored")
}

// GetAsOf is Get at a time in the past, in the form of ParseAsOf. Among the entries that the
// caller may see now, it finds the one to which the path resolved at the time, and returns it
// as it was then. The error is a RuleError if the history of an entry that is now at the path
// does not reach back that far.
func (s *Service) GetAsOf(ctx context.Context, c Caller, path Path, asOf, timezone string) (Found, error) {
	path = path.Normal()
	var found Found
	var a acl.Access
	err := s.view(ctx, c, func(tx ReadTx) (err error) {
		now := s.Instant()
		a, err = access(ctx, tx, c, path.Store, acl.Read, now)
		if err != nil {
			return err
		}
		if err := CheckPath(path); err != nil {
			return err
		}
		at, err := ParseAsOf(asOf, timezone, now)
		if err != nil {
			return err
		}
		rows, err := tx.At(ctx, path.At(a.Ceiling))
		if err != nil {
			return err
		}
		t, err := readThen(ctx, tx, c, a, Filter{}, rows, at, now, nil)
		if err != nil {
			return err
		}
		var standing []Entry
		for i := range rows {
			if t.stood(&rows[i]) {
				standing = append(standing, rows[i])
			}
		}
		for _, e := range t.former {
			if e.Path == path {
				standing = append(standing, e)
			}
		}
		for i := range t.lost {
			if t.lost[i].Path == path {
				return errLost()
			}
		}
		e := Resolve(c, a, standing, at)
		if e == nil {
			return ErrNotFound
		}
		items, err := t.withValues(ctx, tx, s, []Entry{*e})
		if err != nil {
			return err
		}
		if len(items) == 0 { // it was read in this transaction
			return ErrStale
		}
		found = items[0]
		return s.showSources(ctx, tx, c, &found)
	})
	s.Named(ctx, c, a)
	return found, err
}
