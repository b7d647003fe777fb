package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/period"
)

// OptionAsOf is the name of the option that asks for what stood at a time, as requests
// have it.
const OptionAsOf = "as_of"

// maxChanged bounds the entries older than the time of an AsOf that have changed since, in
// one store: each has its history read.
const maxChanged = 1000

// ParseAsOf returns the instant of an option as_of: a time, or the last instant of a date
// in a zone, or now if that is yet to come. The error is a RuleError.
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

// then is what stood in a store at a time, of what the caller may see now.
//
// SECURITY: every entry is judged by the caller's access, and the entry's label and state,
// of now. Only its contents, path and expiry, and what shadowed it, are those of then.
type then struct {
	at, now time.Time
	// former are the entries that have changed or were deleted since, as they were, without
	// values; passes says which of them pass the filter.
	former []Entry
	passes map[uuid.UUID]bool
	// lost are the entries, as they are now, that were there already, but of which no
	// version from before is kept.
	lost []Entry
}

// readThen returns what has changed in the store of an access since a time. extra are rows
// of now which no scope has, since they are not in context. each, unless nil, is called with
// the entries of former as they are and, with their values, as they were.
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

// changedSince returns the visible entries in context, as they are now, that were created
// by a time and have changed since.
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

// deletedSince returns the entries, as they are now, that were created by a time and
// deleted since, of those that the caller may restore in a session of their label; more
// than maxChanged if there are more.
//
// SECURITY: for everybody else a deleted entry is gone, as of any time.
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
				if !e.DeletedAt.After(at) { // and so are the next ones
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

// versionAt returns an entry as it was at a time; nil if that version is not kept. Its
// label is that of now.
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

// stood reports whether a row of now was as it is at the time.
func (t *then) stood(e *Entry) bool { return !e.UpdatedAt.After(t.at) && e.Live(t.now) }

// withValues is Service.withValues for entries that stood at the time.
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

// errChanged says that more entries have changed since than are read.
func errChanged() error {
	return rule(OptionAsOf, "must be later: more than %d older entries have changed since", maxChanged)
}

// errLost says that the history of an entry does not reach to the time.
func errLost() error {
	return rule(OptionAsOf, "must be later: the versions from then of an entry that has changed since are not kept")
}

// GetAsOf is Get of what stood at a time, in the form of ParseAsOf: the version of then of
// the entry that the path resolved to, of the entries that the caller may see now. The
// error is a RuleError if the history of an entry that is at the path now does not reach
// that far.
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
