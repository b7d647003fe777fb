package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"mneme/acl"
)

// listAsOf is list as of r.AsOf.
func (s *Service) listAsOf(ctx context.Context, tx ReadTx, c Caller, a acl.Access, r ListRequest, after *listPosition, limit int) (items []Found, more bool, err error) {
	now := s.Instant()
	at, err := ParseAsOf(r.AsOf, r.Filter.Timezone, now)
	if err != nil {
		return nil, false, err
	}
	r.Filter = r.Filter.At(now)
	scope, err := acl.NewScope(ctx, tx, c.Principal, acl.ScopeRequest{Stores: []string{r.Store}}, now)
	if err != nil {
		return nil, false, err
	}
	if err := r.Filter.CheckPrefixes(ctx, tx, scope, now); err != nil {
		return nil, false, err
	}
	t, err := readThen(ctx, tx, c, a, r.Filter, nil, at, now, nil)
	if err != nil {
		return nil, false, err
	}
	if slices.ContainsFunc(t.lost, r.covers) {
		return nil, false, errLost()
	}
	entries, err := t.list(ctx, tx, c, a, scope, r, after, limit+1)
	if err != nil {
		return nil, false, err
	}
	batch := entries[:min(len(entries), limit)]
	batch = batch[:BatchOf(len(batch), func(i int) int { return batch[i].Size })]
	if items, err = t.withValues(ctx, tx, s, batch); err != nil {
		return nil, false, err
	}
	return items, len(batch) < len(entries), s.showSources(ctx, tx, c, pointers(items)...)
}

// covers reports whether an entry is in the listed namespace and has the prefix.
func (r *ListRequest) covers(e Entry) bool {
	return (r.Filter.Namespace == nil || *r.Filter.Namespace == e.Namespace) && strings.HasPrefix(e.Key, r.Prefix)
}

// list returns up to limit entries after a position, without values, in list order: the entries
// to which the paths resolved at the time, if they pass the filter. It merges a scan of the
// current rows with the former entries.
func (t *then) list(ctx context.Context, tx ReadTx, c Caller, a acl.Access, scope acl.Scope, r ListRequest, after *listPosition, limit int) ([]Entry, error) {
	query := ScanQuery{Store: r.Store, Ceiling: a.Ceiling, Namespace: r.Filter.Namespace, Prefix: r.Prefix, Limit: min(maxScan, 4*limit+16)}
	var former []Entry
	for _, e := range t.former {
		if r.covers(e) && e.InContext {
			former = append(former, e)
		}
	}
	slices.SortFunc(former, func(e, f Entry) int { return e.Path.Compare(f.Path) })
	if after != nil {
		query.After, query.AfterNamespace, query.AfterKey = true, after.Namespace, after.Key
		former = former[endOfPath(former, Path{r.Store, after.Namespace, after.Key}):]
	}
	var entries []Entry
	for last := false; !last && len(entries) < limit; {
		rows, err := tx.Scan(ctx, query)
		if err != nil {
			return nil, err
		}
		last = len(rows) < query.Limit
		_, grouped := groupByPath(rows, last)
		if grouped == 0 && !last { // one path has more rows than the scan returned
			query.Limit *= 2
			continue
		}
		n := len(former)
		if !last {
			end := rows[grouped-1].Path
			query.After, query.AfterNamespace, query.AfterKey = true, end.Namespace, end.Key
			query.Limit = max(query.Limit, maxScan)
			n = endOfPath(former, end)
		}
		standing := slices.DeleteFunc(rows[:grouped], func(e Entry) bool { return !t.stood(&e) })
		standing = append(standing, former[:n]...)
		former = former[n:]
		slices.SortStableFunc(standing, func(e, f Entry) int { return e.Path.Compare(f.Path) })
		kept, err := t.passing(ctx, tx, scope, r.Filter, resolveAll(c, a, standing, t.at))
		if err != nil {
			return nil, err
		}
		for _, e := range kept[:min(len(kept), limit-len(entries))] {
			entries = append(entries, *e)
		}
	}
	return entries, nil
}

// endOfPath returns how many entries, ordered by path, are at or before a path.
func endOfPath(entries []Entry, p Path) int {
	n := slices.IndexFunc(entries, func(e Entry) bool { return e.Path.Compare(p) > 0 })
	if n < 0 {
		return len(entries)
	}
	return n
}

// passing is Filter.Passing for entries as they were at the time. Only for entries that have
// not changed since, the database applies the filter; for the others, passes has the result.
func (t *then) passing(ctx context.Context, tx CandidateReader, scope acl.Scope, filter Filter, entries []*Entry) ([]*Entry, error) {
	var present []*Entry
	for _, e := range entries {
		if _, former := t.passes[e.ID]; !former {
			present = append(present, e)
		}
	}
	kept, err := filter.Passing(ctx, tx, scope, present)
	if err != nil {
		return nil, err
	}
	passed := make(map[uuid.UUID]bool, len(kept))
	for _, e := range kept {
		passed[e.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return !passed[e.ID] && !t.passes[e.ID] }), nil
}
