package cache

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"unique"
	"unsafe"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/lru"
	"mneme/memory"
)

// Rows keeps rows of entries that searches have read. A search reads hundreds of rows, without
// their values, and similar questions read mostly the same ones.
//
// A cached row is used if it is still the row of the search's snapshot. The feed of its store
// decides this: the feed's position at a label shows whether any path of the store has changed
// at that label, and the feed's records show which paths. So a search reads the positions
// instead of hundreds of rows, and writes of other processes count like those of this one.
//
// SECURITY: each session learns of changes for itself, and reads no positions and records above
// its ceiling, so that the speed of an answer reveals neither what others asked nor what changed
// above the ceiling. The scope of the snapshot decides which stores' rows are used.
type Rows struct {
	seed    maphash.Seed
	readers *Readers
	rows    *shared[rowKey, *pathRows]
	stores  *lru.Cache[storeKey, *cachedStore]
}

const (
	// maxCachedStores is how many stores have rows in a cache. A store counts once for each
	// agent and taint that has searched it.
	maxCachedStores = 2048
	// maxChangedPaths bounds the paths in cachedStore.changed. If more paths of a store have
	// changed, all its rows are read again.
	maxChangedPaths = 256
	// minCached is how many candidates a store must have in a Reader's first search for its
	// rows to be cached: finding out whether the rows of a store have changed takes about as
	// long as reading one of them.
	minCached = 4
)

type rowKey struct {
	ceiling acl.Label
	id      uuid.UUID
}

type storeKey struct {
	searcher Reader
	store    string
}

// NewRows returns a cache of at most maxBytes bytes.
func NewRows(readers *Readers, maxBytes int) *Rows {
	const storeBytes = 4096 // of a cachedStore with maxChangedPaths/2 changed paths
	return &Rows{
		seed:    maphash.MakeSeed(),
		readers: readers,
		rows:    newShared(maxBytes, func(_ rowKey, p *pathRows) int { return int(unsafe.Sizeof(*p)) + p.bytes }),
		stores:  lru.New(maxCachedStores*storeBytes, func(storeKey, *cachedStore) int { return storeBytes - lru.Overhead }),
	}
}

// pathHash returns the hash of a path in its store.
func (c *Rows) pathHash(namespace, key string) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	_, _ = h.WriteString(namespace) // it never fails
	_ = h.WriteByte(0)
	_, _ = h.WriteString(key)
	return h.Sum64()
}

// RowTx is the part of a transaction that Rows reads.
type RowTx interface {
	memory.CandidateReader
	memory.FeedReader
}

// Siblings returns the rows that tx.Siblings returns, in part from the cache, with the rows of a
// path one after another. The caller must not change them.
func (c *Rows) Siblings(ctx context.Context, tx RowTx, searcher Reader, scope acl.Scope, ids []uuid.UUID) ([]*memory.Entry, error) {
	read := &cachedRead{cache: c, tx: tx, searcher: searcher, scope: scope, heads: make(map[string]memory.FeedPositions)}
	found, missing, err := read.cached(ctx, ids)
	if err != nil || len(missing) == 0 {
		return found, err
	}
	rows, err := tx.Siblings(ctx, scope, missing)
	if err != nil {
		return nil, err
	}
	if err := read.keep(ctx, rows); err != nil {
		return nil, err
	}
	return merged(found, missing, rows), nil
}

// merged returns the cached rows and the rows that were read for the missing ids, with the rows
// of a path one after another. No missing id has a cached row.
func merged(cached []*memory.Entry, missing []uuid.UUID, read []memory.Entry) []*memory.Entry {
	all := slices.Grow(cached, len(read))
	asked := make(map[uuid.UUID]bool, len(missing))
	for _, id := range missing {
		asked[id] = true
	}
	both := false // a path has a cached row and one that was missing
	for i := range read {
		e := &read[i]
		if !asked[e.ID] && slices.ContainsFunc(cached, func(c *memory.Entry) bool { return c.ID == e.ID }) {
			both = true
			continue
		}
		all = append(all, e)
	}
	if both {
		memory.GroupByPath(all)
	} else {
		memory.GroupByPath(all[len(cached):])
	}
	return all
}

// cachedRead is one call of Siblings.
type cachedRead struct {
	cache    *Rows
	tx       RowTx
	searcher Reader
	scope    acl.Scope
	heads    map[string]memory.FeedPositions // by store: positions in the snapshot
}

// cached returns the cached rows of ids that are still valid, each once, with the other rows of
// their paths, and the ids that have none.
func (r *cachedRead) cached(ctx context.Context, ids []uuid.UUID) (found []*memory.Entry, missing []uuid.UUID, err error) {
	groups, read := r.lookUp(ids)
	if err := r.look(ctx, slices.Collect(maps.Keys(read))); err != nil {
		return nil, nil, err
	}
	for store, rows := range read {
		if err := r.catchUp(ctx, rows.cachedStore, store); err != nil {
			return nil, nil, err
		}
		rows.choose(r.heads[store], groups)
	}
	found = make([]*memory.Entry, 0, len(ids))
	several := make(map[*pathRows]bool) // paths with several rows, which are in found
	for i, g := range groups {
		switch {
		case g == nil:
			missing = append(missing, ids[i])
		case len(g.rows) == 1:
			found = append(found, &g.rows[0])
		case !several[g]:
			several[g] = true
			for k := range g.rows {
				found = append(found, &g.rows[k])
			}
		}
	}
	if len(several) > 0 { // two searches may have cached rows of the same path
		memory.GroupByPath(found)
		missing = slices.DeleteFunc(missing, func(id uuid.UUID) bool { // cached under other ids of its path only
			for g := range several {
				if slices.ContainsFunc(g.rows, func(e memory.Entry) bool { return e.ID == id }) {
					return true
				}
			}
			return false
		})
	}
	return found, missing, nil
}

// lookUp returns, for each of ids, the cached rows of its path; nil if there are none or the
// searcher has not read them. read has them by store.
//
// SECURITY: rows of a store outside the scope, or read for another ceiling, are not used.
func (r *cachedRead) lookUp(ids []uuid.UUID) (rows []*pathRows, read map[string]*readRows) {
	rows, read = make([]*pathRows, len(ids)), make(map[string]*readRows)
	var ceilings [acl.Restricted + 1]bool
	r.scope.Any(func(a acl.Access) bool { ceilings[a.Ceiling] = true; return false })
	for ceiling := acl.Public; ceiling <= acl.Restricted; ceiling++ {
		if !ceilings[ceiling] {
			continue
		}
		var store unique.Handle[string] // of the previous row: mostly the same store
		var known *cachedStore
		readers, stores := make([]Reader, len(ids)), make([]*cachedStore, len(ids))
		as := func(i int, g *pathRows) Reader {
			if g.store != store {
				store, known = g.store, r.known(g.store.Value())
			}
			if known == nil || known.ceiling != ceiling {
				return Reader{}
			}
			readers[i], stores[i] = known.readerOf(g), known
			return readers[i]
		}
		var of *readRows
		for i, g := range r.cache.rows.get(len(ids), func(i int) rowKey { return rowKey{ceiling, ids[i]} }, as) {
			if g == nil {
				continue
			}
			rows[i] = g
			if of == nil || of.cachedStore != stores[i] {
				name := g.store.Value()
				if of = read[name]; of == nil {
					of = &readRows{cachedStore: stores[i]}
					read[name] = of
				}
			}
			of.indexes, of.readers = append(of.indexes, i), append(of.readers, readers[i])
		}
	}
	return rows, read
}

// known returns the searcher's cachedStore of a store of the scope; nil: there is none.
//
// SECURITY: a cachedStore for another ceiling is not used.
func (r *cachedRead) known(store string) *cachedStore {
	s, ok := r.cache.stores.Get(storeKey{r.searcher, store})
	if a, within := r.scope.Access(store); !ok || !within || a.Ceiling != s.ceiling {
		return nil
	}
	return s
}

// look reads the positions of the stores' feeds in the snapshot.
func (r *cachedRead) look(ctx context.Context, stores []string) error {
	if len(stores) == 0 {
		return nil
	}
	queries := make([]memory.FeedQuery, len(stores))
	for i, store := range stores {
		a, _ := r.scope.Access(store)
		queries[i] = memory.FeedQuery{Store: store, Ceiling: a.Ceiling}
	}
	feeds, err := r.tx.Feed(ctx, queries...)
	if err != nil {
		return err
	}
	for i, store := range stores {
		r.heads[store] = feeds[i].Last
	}
	return nil
}

// catchUp records in s what has changed in a store up to the snapshot.
func (r *cachedRead) catchUp(ctx context.Context, s *cachedStore, store string) error {
	head := r.heads[store]
	s.mu.Lock()
	positions := s.positions
	s.mu.Unlock()
	if positions == head {
		return nil
	}
	feeds, err := r.tx.Feed(ctx, memory.FeedQuery{Store: store, Ceiling: s.ceiling, After: positions, Limit: maxChangedPaths})
	if err == nil {
		s.moveOn(positions, head, feeds[0], r.cache)
	}
	return err
}

// keep caches rows that were read, with all rows of each of their paths.
func (r *cachedRead) keep(ctx context.Context, rows []memory.Entry) error {
	counts := make(map[string]int)
	for i := range rows {
		counts[rows[i].Store]++
	}
	var unseen []string
	for store, n := range counts {
		if _, seen := r.heads[store]; !seen && (n >= minCached || r.known(store) != nil) {
			unseen = append(unseen, store)
		}
	}
	if err := r.look(ctx, unseen); err != nil {
		return err
	}
	groups := make(map[memory.Path]*pathRows)
	stores := make(map[string][]*pathRows)
	for i := range rows {
		e := &rows[i]
		if _, seen := r.heads[e.Store]; !seen {
			continue
		}
		g := groups[e.Path]
		if g == nil {
			g = &pathRows{path: r.cache.pathHash(e.Namespace, e.Key), store: unique.Make(e.Store)}
			groups[e.Path] = g
			stores[e.Store] = append(stores[e.Store], g)
		}
		g.rows = append(g.rows, *e)
		g.bytes += rowBytes(e)
	}
	for store, groups := range stores {
		s := r.open(store)
		if err := r.catchUp(ctx, s, store); err != nil {
			return err
		}
		s.keep(r.cache, r.heads[store], groups)
	}
	return nil
}

// open returns the searcher's cachedStore of a store of the scope. If there is none, it creates
// one that knows all changes up to the snapshot.
func (r *cachedRead) open(store string) *cachedStore {
	if s := r.known(store); s != nil {
		return s
	}
	a, _ := r.scope.Access(store)
	s := &cachedStore{
		ceiling: a.Ceiling, positions: r.heads[store], reader: r.cache.readers.next(), changed: make(map[uint64]Reader),
	}
	r.cache.stores.Put(storeKey{r.searcher, store}, s)
	return s
}
