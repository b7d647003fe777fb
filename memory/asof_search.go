package memory

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// Then holds, for a search, the former state of entries in the stores of a scope: their state
// at a time in the past. It is valid in the snapshot in which it was read.
type Then struct {
	then
	scope  acl.Scope
	caller Caller
	filter Filter
	former map[uuid.UUID]*Entry
	atPath map[Path][]*Entry // former entries by path
	// hidden are former entries that no search finds in their current state, because they are
	// now encrypted or not in context.
	hidden map[uuid.UUID]bool
}

// pathBatch bounds the number of paths in one query.
const pathBatch = 100

// ReadThen reads which entries in the stores of a scope have changed since the time at. The
// caller must be allowed to read all these stores. ReadThen calls read with each entry that has
// changed since and passes the filter, in its former state and with its value. Searchable then
// decides which of them the caller would find. The error is a RuleError if history does not
// reach back that far.
//
// SECURITY: see type then. The scope must be the caller's in this snapshot.
func ReadThen(ctx context.Context, tx ReadTx, c Caller, scope acl.Scope, filter Filter, at, now time.Time, read func(*Entry)) (*Then, error) {
	t := &Then{
		then: then{at: at, now: now, passes: make(map[uuid.UUID]bool)}, scope: scope, caller: c, filter: filter,
		former: make(map[uuid.UUID]*Entry), atPath: make(map[Path][]*Entry), hidden: make(map[uuid.UUID]bool),
	}
	each := func(is, was *Entry, passes bool) {
		t.passes[was.ID] = passes
		t.hidden[was.ID] = is.Encrypted || !is.InContext
		if passes && was.Searchable() && !t.hidden[was.ID] {
			read(was)
		}
	}
	for _, a := range scope.Stores() {
		of, err := readThen(ctx, tx, c, a, filter, nil, at, now, each)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(of.lost, func(e Entry) bool { return e.Searchable() && t.covers(&e) }) {
			return nil, errLost()
		}
		t.then.former = append(t.then.former, of.former...)
		if len(t.then.former) > maxChanged {
			return nil, errChanged()
		}
	}
	for i := range t.then.former {
		e := &t.then.former[i]
		t.former[e.ID] = e
		t.atPath[e.Path] = append(t.atPath[e.Path], e)
	}
	return t, nil
}

// covers reports whether an entry is in the searched namespace.
func (t *Then) covers(e *Entry) bool {
	return t.filter.Namespace == nil || *t.filter.Namespace == e.Namespace
}

// IsFormer reports whether an entry was changed or deleted after the time.
func (t *Then) IsFormer(id uuid.UUID) bool { return t.former[id] != nil }

// Former returns the entries that were changed or deleted after the time, in their former state
// and without values: those that pass the filter and that a search at the time would have
// found.
func (t *Then) Former(ctx context.Context, tx PathReader) ([]*Entry, error) {
	var ids []uuid.UUID
	for i := range t.then.former {
		ids = append(ids, t.then.former[i].ID)
	}
	found, err := t.Searchable(ctx, tx, nil, ids)
	return slices.DeleteFunc(found, func(e *Entry) bool { return !t.IsFormer(e.ID) || !t.passes[e.ID] }), err
}

// Searchable returns the entries to which some paths resolved at the time, if a search could
// find them. The paths are those of rows and of the former entries with ids. rows are current
// rows from Siblings, which has all entries of each of their paths.
func (t *Then) Searchable(ctx context.Context, tx PathReader, rows []*Entry, ids []uuid.UUID) ([]*Entry, error) {
	paths := make(map[Path]bool)
	var standing []*Entry
	for _, e := range rows {
		paths[e.Path] = true
		if t.stood(e) {
			standing = append(standing, e)
		}
	}
	unread := make(map[string][]Path)
	for _, id := range ids {
		if was := t.former[id]; was != nil && !paths[was.Path] {
			paths[was.Path] = true
			unread[was.Store] = append(unread[was.Store], was.Path)
		}
	}
	for store, of := range unread {
		a, _ := t.scope.Access(store)
		for batch := range slices.Chunk(of, pathBatch) {
			found, err := tx.At(ctx, AtPaths{Paths: batch, Ceiling: a.Ceiling, InContext: true})
			if err != nil {
				return nil, err
			}
			for i := range found {
				if e := &found[i]; t.stood(e) {
					standing = append(standing, e)
				}
			}
		}
	}
	for path := range paths {
		standing = append(standing, t.atPath[path]...)
	}
	GroupByPath(standing)
	found := SearchableFor(t.caller, t.scope, standing, t.at)
	return slices.DeleteFunc(found, func(e *Entry) bool { return t.IsFormer(e.ID) && t.hidden[e.ID] }), nil
}

// Passing returns the entries, which Searchable returned, that pass the filter.
func (t *Then) Passing(ctx context.Context, tx CandidateReader, entries []*Entry) ([]*Entry, error) {
	return t.passing(ctx, tx, t.scope, t.filter, entries)
}

// Whole returns a former entry with its value at the time.
func (t *Then) Whole(ctx context.Context, tx HistoryReader, e *Entry) (Entry, error) {
	was, err := versionAt(ctx, tx, e, t.at)
	if err != nil {
		return Entry{}, err
	}
	if was == nil { // it was read in this snapshot
		return Entry{}, ErrStale
	}
	was.Size = 0
	return *was, nil
}
