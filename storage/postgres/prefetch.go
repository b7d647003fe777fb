package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// prefetched holds the prefetched rows of a writing transaction (memory.WritePlan). No other
// transaction changes these meanwhile, since the transaction holds the lock of the store.
type prefetched struct {
	paths map[memory.Path][]memory.Entry // the entries at each path, with labels up to label
	label acl.Label
	usage map[usageRead]memory.Usage // as stored, without what the transaction has collected
}

// usageRead identifies a prefetched usage: the arguments of a call of Usage, without a time.
type usageRead struct {
	store, writer string
	label         acl.Label
}

// PrepareWrite implements memory.EntryWriter. It acquires the lock of the store, and reads the
// store's row, the rows of the paths, the usage and the agent's settings, in one round trip.
func (w *writer) PrepareWrite(ctx context.Context, plan memory.WritePlan) error {
	store, paths, label, agent := plan.Store, plan.Paths, plan.Label, plan.Agent
	if err := w.ready(ctx); err != nil || !storable(store, agent) {
		return err
	}
	read := prefetched{paths: make(map[memory.Path][]memory.Entry, len(paths)), label: label, usage: make(map[usageRead]memory.Usage)}
	var namespaces, keys []string
	for _, p := range paths {
		if _, asked := read.paths[p]; !asked && p.Store == store && storable(store, p.Namespace, p.Key) {
			read.paths[p] = nil
			namespaces, keys = append(namespaces, p.Namespace), append(keys, p.Key)
		}
	}
	w.queueLock(storeKey(store))
	w.setRLSStore(store)
	var found *storeRow
	var usage memory.Usage
	scan := sqlcommon.ScanEntries()
	queries := []batchQuery{
		{"reading.locked", []any{store}, func(rows pgx.Rows) error {
			found = &storeRow{}
			err := rows.Scan(found.columns()...)
			found.freshDoc = found.nextDoc
			return err
		}},
		{"entry.at_paths", []any{store, namespaces, keys, int16(min(label, acl.Restricted))}, func(rows pgx.Rows) error {
			e, err := scan(&row{rows: rows})
			read.paths[e.Path] = append(read.paths[e.Path], e)
			return err
		}},
		{"usage.of", []any{store, int16(label), agent}, func(rows pgx.Rows) error {
			return rows.Scan(&usage.Entries, &usage.Bytes)
		}},
	}
	if _, read := w.settings[agent]; !read {
		queries = append(queries, w.settingsQuery(agent))
	}
	if err := w.queryBatch(ctx, queries); err != nil {
		return err
	}
	if found != nil && w.stores[store] == nil {
		w.stores[store] = found
	}
	read.usage[usageRead{store, agent, label}] = usage
	w.prefetched = read
	return nil
}

// at returns the rows of a path up to a ceiling. It returns false if they were not prefetched.
func (p *prefetched) at(path memory.Path, ceiling acl.Label) ([]memory.Entry, bool) {
	entries, read := p.paths[path]
	if !read || ceiling > p.label {
		return nil, false
	}
	entries = slices.Clone(entries)
	return slices.DeleteFunc(entries, func(e memory.Entry) bool { return e.Label > ceiling }), true
}

// clashes reports whether another undeleted entry has the path, owner and label of a new one.
// known is false if that was not prefetched.
func (p *prefetched) clashes(e *memory.Entry) (clash, known bool) {
	entries, known := p.at(e.Path, e.Label)
	return slices.ContainsFunc(entries, func(other memory.Entry) bool {
		return other.Label == e.Label && other.Owner == e.Owner && other.ID != e.ID
	}), known
}

// forget discards the prefetched rows that a write of e changes. old is the entry's row before
// the write, nil for a new entry; next is the row after it.
func (p *prefetched) forget(e *memory.Entry, old, next *storedRow) {
	if old != nil && (old.Store != next.Store || old.Namespace != e.Namespace || old.Key != e.Key) {
		p.forgetAll() // the entry left a path
		return
	}
	delete(p.paths, e.Path)
}

func (p *prefetched) forgetAll() { *p = prefetched{} }
