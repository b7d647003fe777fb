package memory

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// listPosition is the path of the last entry of a page.
type listPosition struct{ Namespace, Key string }

// List returns a page of the entries that the caller sees in a store, one per path, in
// (namespace, key) order. Writes between two pages do not make List repeat or skip other
// entries. It holds all values of the page in memory, unlike EachListed.
func (s *Service) List(ctx context.Context, c Caller, r ListRequest) (page Page, err error) {
	page.Next, err = s.EachListed(ctx, c, r, page.add)
	return page, err
}

// add appends an item.
func (p *Page) add(f Found) error {
	p.Items = append(p.Items, f)
	return nil
}

// EachListed yields the entries of a page and returns the cursor of the next one. It reads
// values in batches. Each batch has its own snapshot, which decides what the caller sees.
func (s *Service) EachListed(ctx context.Context, c Caller, r ListRequest, yield func(Found) error) (next string, err error) {
	r.Filter, r.Prefix = r.Filter.Normal(), NormalName(r.Prefix)
	bound := []string{"list", c.Agent, c.Taint.String(), r.Store, filterName(r.Filter), r.Prefix}
	if r.AsOf != "" {
		bound = append(bound, OptionAsOf, r.AsOf)
	}
	var after *listPosition
	if r.Cursor != "" {
		after = new(listPosition)
		if err := s.secret.OpenCursor(r.Cursor, after, bound); err != nil {
			return "", err
		}
	}
	r.Filter = r.Filter.Counted(s.limits.Conditions)
	var passing matched
	for left, size := r.Limit, 0; ; {
		var items []Found
		var more bool
		var a acl.Access
		err := s.view(ctx, c, func(tx ReadTx) (err error) {
			a, err = access(ctx, tx, c, r.Store, acl.Read, s.Instant())
			if err != nil {
				return err
			}
			if err := checkList(r); err != nil {
				return err
			}
			if r.AsOf != "" {
				items, more, err = s.listAsOf(ctx, tx, c, a, r, after, nextBatch(left, size))
				return err
			}
			items, more, err = s.list(ctx, tx, c, a, r, after, &passing, nextBatch(left, size))
			return err
		})
		if err != nil {
			return "", err
		}
		s.Named(ctx, c, a)
		for i := range items {
			after = &listPosition{items[i].Namespace, items[i].Key}
			if err := yield(items[i]); err != nil {
				return "", err
			}
		}
		size = len(items)
		if left -= size; !more {
			return "", nil
		}
		if left <= 0 {
			return s.secret.SealCursor(*after, bound)
		}
	}
}

// nextBatch returns how many rows to read for the next batch of a page that still needs left
// entries: all of these, unless the previous batch had few rows because their values are long.
func nextBatch(left, previous int) int {
	if previous == 0 {
		return left
	}
	return min(left, 2*previous)
}

func checkList(r ListRequest) error {
	if err := r.Filter.Check(); err != nil {
		return err
	}
	if len(r.Prefix) > MaxKey {
		return rule("prefix", "must have at most %d bytes", MaxKey)
	}
	if err := checkName("prefix", r.Prefix); err != nil {
		return err
	}
	return CheckLimit(r.Limit)
}

// matched holds the IDs of a page's remaining entries that pass its filter, if the first batch
// found that they are few. Later batches read these entries by ID, and need not read the values
// of the other entries again.
type matched struct {
	few, many bool        // at most one is true; neither before the first batch
	rest      []uuid.UUID // in the order of the page
}

// list returns the visible entries after a position, up to limit and up to BatchBytes of
// values. more reports whether there are more.
func (s *Service) list(ctx context.Context, tx ReadTx, c Caller, a acl.Access, r ListRequest, after *listPosition, passing *matched, limit int) (items []Found, more bool, err error) {
	now := s.Instant()
	r.Filter = r.Filter.At(now)
	scope, err := acl.NewScope(ctx, tx, c.Principal, acl.ScopeRequest{Stores: []string{r.Store}}, now)
	if err != nil {
		return nil, false, err
	}
	if err := r.Filter.CheckPrefixes(ctx, tx, scope, now); err != nil {
		return nil, false, err
	}
	var entries []Entry
	switch {
	case passing.few:
		entries, err = passing.next(ctx, tx, c, a, scope, r.Filter, limit, now)
	case !passing.many:
		entries, passing.few, err = listMatching(ctx, tx, c, a, scope, r, after, now)
		passing.many = !passing.few
	}
	if err != nil {
		return nil, false, err
	}
	if !passing.few {
		query := ScanQuery{Store: r.Store, Ceiling: a.Ceiling, Namespace: r.Filter.Namespace, Prefix: r.Prefix, Sources: r.WithTool}
		if after != nil {
			query.After, query.AfterNamespace, query.AfterKey = true, after.Namespace, after.Key
		}
		entries, err = scanVisible(ctx, tx, c, a, query, limit+1, now, func(entries []*Entry) ([]*Entry, error) {
			return r.Filter.Passing(ctx, tx, scope, entries)
		})
		if err != nil {
			return nil, false, err
		}
	}
	batch := entries[:min(len(entries), limit)]
	if r.WithoutText {
		items = s.withETags(batch)
		return items, len(entries) > limit, showTools(items)
	}
	if items, _, err = s.withBatch(ctx, tx, c, batch); err != nil {
		return nil, false, err
	}
	passing.push(pointers(entries[len(items):]))
	return items, len(items) < len(entries) || len(passing.rest) > 0, nil
}

// next returns the next entries, up to limit and up to BatchBytes of values. An entry may have
// changed since the first batch: next returns the one to which its path resolves now, if that
// passes the filter.
func (m *matched) next(ctx context.Context, tx ReadTx, c Caller, a acl.Access, scope acl.Scope, filter Filter, limit int, now time.Time) ([]Entry, error) {
	n := min(len(m.rest), limit)
	rows, err := tx.Siblings(ctx, scope, m.rest[:n])
	if err != nil {
		return nil, err
	}
	m.rest = m.rest[n:]
	resolved := resolveAll(c, a, rows, now)
	whole := BatchOf(len(resolved), func(i int) int { return resolved[i].Size })
	m.push(resolved[whole:])
	resolved = resolved[:whole]
	kept, err := filter.Passing(ctx, tx, scope, resolved)
	entries := make([]Entry, len(kept))
	for i, e := range kept {
		entries[i] = *e
	}
	return entries, err
}

// push puts entries that did not fit into a batch back to the front of rest. It does nothing
// unless few is set.
func (m *matched) push(entries []*Entry) {
	if !m.few {
		return
	}
	ids := make([]uuid.UUID, len(entries), len(entries)+len(m.rest))
	for i, e := range entries {
		ids[i] = e.ID
	}
	m.rest = append(ids, m.rest...)
}

// resolveAll returns the entries to which the paths of rows resolve, in list order.
func resolveAll(c Caller, a acl.Access, rows []Entry, now time.Time) (resolved []*Entry) {
	slices.SortFunc(rows, func(e, f Entry) int { return e.Path.Compare(f.Path) })
	groups, _ := groupByPath(rows, true)
	for _, group := range groups {
		if e := Resolve(c, a, group, now); e != nil {
			resolved = append(resolved, e)
		}
	}
	return resolved
}

// maxMatching is the maximum number of entries for which few is set: up to it, a list finds the
// entries that pass its filter and reads them by ID; beyond, it scans the store.
const maxMatching = 1000

// listMatching returns all entries of a list after a position, without values and authors, if
// at most maxMatching entries pass its filter. Otherwise few is false.
func listMatching(ctx context.Context, tx CandidateReader, c Caller, a acl.Access, scope acl.Scope, r ListRequest, after *listPosition, now time.Time) (entries []Entry, few bool, err error) {
	if r.WithoutText || len(r.Filter.Tags) == 0 && r.Filter.Type == "" && r.Filter.Where == nil && r.Filter.Match == nil { // a scan filters by namespace anyway
		return nil, false, nil
	}
	ids, more, err := r.Filter.within(r.Prefix, after).Matching(ctx, tx, scope, nil, maxMatching)
	if err != nil || more {
		return nil, false, err
	}
	rows, err := tx.Siblings(ctx, scope, ids)
	if err != nil {
		return nil, false, err
	}
	passed := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		passed[id] = true
	}
	for _, e := range resolveAll(c, a, rows, now) {
		if passed[e.ID] {
			entries = append(entries, *e)
		}
	}
	return entries, true, nil
}

// maxScan bounds the rows of one scan.
const maxScan = 1000

// scanVisible returns up to limit entries, without values, in (namespace, key) order. They are
// the entries to which the paths of a scan resolve for the caller, as far as keep returns them.
// It sets query.Limit.
func scanVisible(ctx context.Context, tx EntryReader, c Caller, a acl.Access, query ScanQuery, limit int, now time.Time, keep func([]*Entry) ([]*Entry, error)) ([]Entry, error) {
	query.Limit = min(maxScan, 4*limit+16) // a path may have several rows
	var entries []Entry
	for len(entries) < limit {
		rows, err := tx.Scan(ctx, query)
		if err != nil {
			return nil, err
		}
		last := len(rows) < query.Limit
		groups, grouped := groupByPath(rows, last)
		if grouped == 0 && !last { // one path has more rows than the scan returned
			query.Limit *= 2
			continue
		}
		var resolved []*Entry
		for _, group := range groups {
			if e := Resolve(c, a, group, now); e != nil {
				resolved = append(resolved, e)
			}
		}
		kept, err := keep(resolved)
		if err != nil {
			return nil, err
		}
		for _, e := range kept[:min(len(kept), limit-len(entries))] {
			entries = append(entries, *e)
		}
		if last {
			break
		}
		end := rows[grouped-1]
		query.After, query.AfterNamespace, query.AfterKey = true, end.Namespace, end.Key
		query.Limit = max(query.Limit, maxScan) // keep left out many of the rows
	}
	return entries, nil
}

// keepAll retains all entries of a scan.
func keepAll(entries []*Entry) ([]*Entry, error) { return entries, nil }

// groupByPath splits ordered rows into groups of one path each, and returns how many rows the
// groups contain. Unless the rows are the last ones, the final path may have further rows and
// is left out.
func groupByPath(rows []Entry, last bool) (groups [][]Entry, grouped int) {
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && rows[end].Path == rows[start].Path {
			end++
		}
		if end == len(rows) && !last {
			break
		}
		groups = append(groups, rows[start:end])
		grouped = end
		start = end
	}
	return groups, grouped
}

// filterName is an unambiguous encoding of a filter.
func filterName(f Filter) string {
	name, _ := json.Marshal(f)
	return string(name)
}

// Export yields every entry of a store that the caller can list and that passes the filter, in
// the order of List. It reads values in batches, as EachListed does.
func (s *Service) Export(ctx context.Context, c Caller, store string, filter Filter, yield func(Found) error) error {
	r := ListRequest{Store: store, Filter: filter.At(s.Instant()), Limit: 100}
	for {
		next, err := s.EachListed(ctx, c, r, yield)
		if err != nil || next == "" {
			return err
		}
		r.Cursor = next
	}
}
