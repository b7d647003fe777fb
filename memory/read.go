package memory

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
)

// Get returns the entry that the caller sees at a path.
func (s *Service) Get(ctx context.Context, c Caller, path Path) (Found, error) {
	var found Found
	err := s.storage.View(ctx, func(tx ReadTx) error {
		_, e, err := s.see(ctx, tx, c, path, acl.Read)
		if err != nil {
			return err
		}
		found = s.found(*e)
		return s.showSources(ctx, tx, c, &found)
	})
	return found, err
}

// see is Get inside a transaction, with the access that allowed it.
func (s *Service) see(ctx context.Context, tx ReadTx, c Caller, path Path, level acl.Level) (acl.Access, *Entry, error) {
	now := s.instant()
	a, err := access(ctx, tx, c, path.Store, level, now)
	if err != nil {
		return acl.Access{}, nil, err
	}
	if err := checkPath(path); err != nil {
		return acl.Access{}, nil, err
	}
	entries, err := tx.At(ctx, path)
	if err != nil {
		return acl.Access{}, nil, err
	}
	e := shown(c, a, entries, now)
	if e == nil {
		return acl.Access{}, nil, ErrNotFound
	}
	return a, e, nil
}

// listPosition is where a page of a list ended.
type listPosition struct{ Namespace, Key string }

// List returns a page of the entries that the caller sees in a store, one a
// path, in (namespace, key) order. Writes between pages neither repeat nor
// skip an entry that stays.
func (s *Service) List(ctx context.Context, c Caller, r ListRequest) (Page, error) {
	bound := []string{"list", c.Agent, c.Taint.String(), r.Store, filterName(r.Filter), r.Prefix}
	var after *listPosition
	var cursorErr error
	if r.Cursor != "" {
		after = new(listPosition)
		cursorErr = s.secret.openCursor(r.Cursor, after, bound)
	}
	var page Page
	err := s.storage.View(ctx, func(tx ReadTx) error {
		if cursorErr != nil {
			return cursorErr
		}
		a, err := access(ctx, tx, c, r.Store, acl.Read, s.instant())
		if err != nil {
			return err
		}
		if err := checkList(r); err != nil {
			return err
		}
		items, more, err := s.list(ctx, tx, c, a, r, after)
		if err != nil {
			return err
		}
		page.Items = items
		if more {
			last := items[len(items)-1]
			page.Next, err = s.secret.sealCursor(listPosition{last.Namespace, last.Key}, bound)
		}
		return err
	})
	return page, err
}

func checkList(r ListRequest) error {
	if err := r.Filter.check(); err != nil {
		return err
	}
	if len(r.Prefix) > MaxKey {
		return rule("prefix", "must have at most %d bytes", MaxKey)
	}
	if err := checkName("prefix", r.Prefix); err != nil {
		return err
	}
	return checkLimit(r.Limit)
}

// list gathers up to r.Limit visible entries behind a position, and tells
// whether there are more. The filter is judged on what each path shows.
func (s *Service) list(ctx context.Context, tx ReadTx, c Caller, a acl.Access, r ListRequest, after *listPosition) ([]Found, bool, error) {
	now := s.instant()
	query := ScanQuery{Store: r.Store, Ceiling: a.Ceiling, Namespace: r.Filter.Namespace, Prefix: r.Prefix, Limit: 4*r.Limit + 16}
	if after != nil {
		query.After, query.AfterNamespace, query.AfterKey = true, after.Namespace, after.Key
	}
	var chosen []Entry
	for len(chosen) <= r.Limit {
		rows, err := tx.Scan(ctx, query)
		if err != nil {
			return nil, false, err
		}
		last := len(rows) < query.Limit
		groups, whole := byPath(rows, last)
		if whole == 0 && !last { // one path fills the stretch: take a longer one
			query.Limit *= 2
			continue
		}
		for _, group := range groups {
			if e := shown(c, a, group, now); e != nil && r.Filter.passes(e) {
				chosen = append(chosen, *e)
			}
		}
		if last {
			break
		}
		end := rows[whole-1]
		query.After, query.AfterNamespace, query.AfterKey = true, end.Namespace, end.Key
	}
	more := len(chosen) > r.Limit
	chosen = chosen[:min(len(chosen), r.Limit)]
	if r.WithoutText {
		return s.bare(chosen), more, nil
	}
	items, err := s.fill(ctx, tx, chosen)
	if err != nil {
		return nil, false, err
	}
	return items, more, s.showSources(ctx, tx, c, each(items)...)
}

// byPath cuts ordered rows into groups of one path each, and tells how many
// rows the groups hold. Unless the rows are the last, the final path may go
// on beyond them and is left out.
func byPath(rows []Entry, last bool) (groups [][]Entry, whole int) {
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && rows[end].Path == rows[start].Path {
			end++
		}
		if end == len(rows) && !last {
			break
		}
		groups = append(groups, rows[start:end])
		whole = end
		start = end
	}
	return groups, whole
}

// bare are entries as they were scanned: without values and sources.
func (s *Service) bare(entries []Entry) []Found {
	items := make([]Found, len(entries))
	for i, e := range entries {
		items[i] = s.found(e)
	}
	return items
}

// fill reads the values of entries that were scanned without them.
func (s *Service) fill(ctx context.Context, tx ReadTx, entries []Entry) ([]Found, error) {
	ids := idsOf(entries)
	whole, err := tx.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	at := make(map[uuid.UUID]*Entry, len(whole))
	for i := range whole {
		at[whole[i].ID] = &whole[i]
	}
	items := make([]Found, 0, len(entries))
	for _, id := range ids {
		if e := at[id]; e != nil {
			items = append(items, s.found(*e))
		}
	}
	return items, nil
}

// each points to every item.
func each(items []Found) []*Found {
	all := make([]*Found, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}

// passes tells whether an entry passes the filter.
func (f Filter) passes(e *Entry) bool {
	if f.Namespace != nil && *f.Namespace != e.Namespace || f.Type != "" && f.Type != e.Type {
		return false
	}
	for _, tag := range f.Tags {
		if !slices.Contains(e.Tags, tag) {
			return false
		}
	}
	return true
}

// filterName is an unambiguous name of a filter.
func filterName(f Filter) string {
	name, _ := json.Marshal(f)
	return string(name)
}

// Export yields every entry of a store that the caller could list, in list
// order, each page of it from its own snapshot.
func (s *Service) Export(ctx context.Context, c Caller, store string, yield func(Found) error) error {
	r := ListRequest{Store: store, Limit: 100}
	for {
		page, err := s.List(ctx, c, r)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := yield(item); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return nil
		}
		r.Cursor = page.Next
	}
}
