package memory

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// Then is what stood at a time in the stores of a scope, for a search. It belongs to the
// snapshot in which it was read.
type Then struct {
	then
	scope  acl.Scope
	caller Caller
	filter Filter
	former map[uuid.UUID]*Entry
	atPath map[Path][]*Entry // of former
	// hidden are the former entries that no search finds as they are now: encrypted, or not
	// in context.
	hidden map[uuid.UUID]bool
}

// pathBatch bounds the paths of one query.
const pathBatch = 100

// ReadThen returns what stood at a time in the stores of a scope, all of which the caller may
// read. It calls read with each entry that has changed since and passes the filter, as it
// was, with its value; which of them the caller would find is for Searchable to say. The
// error is a RuleError if history does not reach that far.
//
// SECURITY: see then. The scope is the caller's of the snapshot.
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

// covers reports whether an entry is in the namespace that is searched.
func (t *Then) covers(e *Entry) bool {
	return t.filter.Namespace == nil || *t.filter.Namespace == e.Namespace
}

// IsFormer reports whether an entry has changed, or was deleted, since.
func (t *Then) IsFormer(id uuid.UUID) bool { return t.former[id] != nil }

// Former returns the entries that have changed since, were found by a search then and pass
// the filter, as they were, without values.
func (t *Then) Former(ctx context.Context, tx PathReader) ([]*Entry, error) {
	var ids []uuid.UUID
	for i := range t.then.former {
		ids = append(ids, t.then.former[i].ID)
	}
	found, err := t.Searchable(ctx, tx, nil, ids)
	return slices.DeleteFunc(found, func(e *Entry) bool { return !t.IsFormer(e.ID) || !t.passes[e.ID] }), err
}

// Searchable returns what a search could find of what the paths of some entries resolved
// to: those of rows, which are Siblings of now, and the former ones among ids.
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

// Passing returns those of what Searchable returned that pass the filter.
func (t *Then) Passing(ctx context.Context, tx CandidateReader, entries []*Entry) ([]*Entry, error) {
	return t.passing(ctx, tx, t.scope, t.filter, entries)
}

// Whole returns a former entry with its value of then.
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
