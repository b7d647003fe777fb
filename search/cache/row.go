package cache

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"sync/atomic"
	"unique"
	"unsafe"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/lru"
	"mneme/internal/prefetch"
	"mneme/memory"
)

// Rows keeps rows of entries that searches have read. A search reads hundreds of rows,
// without their values, and those of similar questions are mostly the same ones.
//
// A cached row is used if it is still the row of the search's snapshot. The feed says
// so: its position shows whether a path of a store has changed at a label, and its
// records show which. So one look at the positions replaces hundreds of rows, and
// writes of other processes count like those of this one.
//
// SECURITY: rows are held once for all who read with the same ceiling, but used for those
// alone who have read them themselves. Those are told apart by agent and taint, like the
// embeddings of questions (QueryKey), and each learns of changes for itself, so that the
// speed of an answer does not reveal what others asked; how long an unused row stays in a
// full cache does depend on whether others use it. Positions and records above the ceiling
// are not looked at. The scope of the snapshot decides which stores' rows are used.
type Rows struct {
	seed    maphash.Seed
	viewers *lru.Cache[Viewer, uint64] // their numbers
	last    atomic.Uint64              // the last number: of a viewer, a cachedStore or a pathRows
	rows    *lru.Cache[rowKey, *pathRows]
	read    readSet // by numbers of cachedStores
	stores  *lru.Cache[storeKey, *cachedStore]
}

const (
	// viewerBytes bounds the numbers of viewers: some 3,000.
	viewerBytes = 1 << 20
	// maxCachedStores is how many stores have rows in a cache, each counted once for each
	// agent and taint.
	maxCachedStores = 2048
	// maxChangedPaths is how many changed paths of a store are told apart. When there
	// are more, all its rows are read again.
	maxChangedPaths = 256
	// minCached is how many candidates a store must have in a viewer's first search for its
	// rows to be cached: finding out whether the rows of a store have changed takes about as
	// long as reading one of them.
	minCached = 4
)

// Viewer is who searches.
type Viewer struct {
	agent string
	taint acl.Label
}

// ViewerOf returns the viewer that a caller is.
func ViewerOf(c memory.Caller) Viewer { return Viewer{c.Agent, c.Taint} }

type rowKey struct {
	ceiling acl.Label
	id      uuid.UUID
}

type storeKey struct {
	viewer uint64 // Rows.Number
	store  string
}

// NewRows returns a cache of at most so many bytes.
func NewRows(maxBytes int) *Rows {
	const storeBytes = 4096 // with half of maxChangedPaths
	return &Rows{
		seed:    maphash.MakeSeed(),
		viewers: lru.New(viewerBytes, func(v Viewer, _ uint64) int { return len(v.agent) }),
		rows:    lru.New(maxBytes/8*7, func(_ rowKey, p *pathRows) int { return int(unsafe.Sizeof(*p)) + p.bytes }),
		read:    newReadSet(maxBytes / 8),
		stores:  lru.New(maxCachedStores*storeBytes, func(storeKey, *cachedStore) int { return storeBytes - lru.Overhead }),
	}
}

// Number returns the number of a viewer, by which rows are cached. No other has ever had
// it; one who has not searched for long gets another one.
func (c *Rows) Number(v Viewer) uint64 {
	return c.viewers.GetOrPut(v, func() uint64 { return c.last.Add(1) })
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

// RowTx is what Rows reads.
type RowTx interface {
	memory.CandidateReader
	memory.FeedReader
}

// Siblings returns what tx.Siblings does, in part from the cache, those of a path one
// after another. The entries must not be changed.
func (c *Rows) Siblings(ctx context.Context, tx RowTx, v Viewer, scope acl.Scope, ids []uuid.UUID) ([]*memory.Entry, error) {
	read := &cachedRead{cache: c, tx: tx, viewer: c.Number(v), scope: scope, heads: make(map[string]memory.FeedPositions)}
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

// merged returns the cached rows, and those that were read since others were missing, those
// of a path one after another. No missing one is cached.
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
	cache  *Rows
	tx     RowTx
	viewer uint64
	scope  acl.Scope
	heads  map[string]memory.FeedPositions // of the stores that were looked at, in the snapshot
}

// cached returns the rows of ids that are cached and still valid, each once, and the
// ids that have none.
func (r *cachedRead) cached(ctx context.Context, ids []uuid.UUID) (found []*memory.Entry, missing []uuid.UUID, err error) {
	shared, indexes := r.lookUp(ids)
	stores := make(map[string]readRows)
	for store, at := range indexes {
		if s := r.known(store); s != nil {
			if read := s.hasRead(r.cache.read, shared, at); len(read.indexes) > 0 {
				stores[store] = read
			}
		}
	}
	if err := r.look(ctx, slices.Collect(maps.Keys(stores))); err != nil {
		return nil, nil, err
	}
	groups := make([]*pathRows, len(ids))
	for store, read := range stores {
		if err := r.catchUp(ctx, read.cachedStore, store); err != nil {
			return nil, nil, err
		}
		read.choose(r.heads[store], shared, groups)
	}
	found = make([]*memory.Entry, 0, len(ids))
	several := make(map[*pathRows]bool) // those of several rows that were found
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
	if len(several) > 0 { // two may have the same path: two searches read it
		memory.GroupByPath(found)
		missing = slices.DeleteFunc(missing, func(id uuid.UUID) bool { // it is cached for others of its path alone
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

// lookUp returns the rows that are cached of each of ids, by whomever they were read, and
// the indexes of those of each store.
//
// SECURITY: rows of a store outside the scope, or read for another ceiling, are not used.
func (r *cachedRead) lookUp(ids []uuid.UUID) (shared []*pathRows, indexes map[string][]int) {
	shared, indexes = make([]*pathRows, len(ids)), make(map[string][]int)
	var ceilings [acl.Restricted + 1]bool
	r.scope.Any(func(a acl.Access) bool { ceilings[a.Ceiling] = true; return false })
	for ceiling := acl.Public; ceiling <= acl.Restricted; ceiling++ {
		if !ceilings[ceiling] {
			continue
		}
		found := make([]*pathRows, len(ids))
		r.cache.rows.GetEach(len(ids), func(i int) rowKey { return rowKey{ceiling, ids[i]} }, func(i int, g *pathRows) { found[i] = g })
		for _, g := range found {
			if g != nil {
				prefetch.Of(g)
			}
		}
		var store unique.Handle[string] // of the row before: the next one is mostly of the same
		var name string
		var within bool // the scope, with this ceiling
		var at []int
		for i, g := range found {
			if g == nil {
				continue
			}
			if g.store != store {
				store, name = g.store, g.store.Value()
				a, ok := r.scope.Access(name)
				within, at = ok && a.Ceiling == ceiling, indexes[name]
			}
			if within {
				shared[i], at = g, append(at, i)
				indexes[name] = at
				prefetch.Slice(g.rows)
			}
		}
	}
	return shared, indexes
}

// known returns what the viewer knows of a store within the scope; nil: nothing.
//
// SECURITY: what is known for another ceiling is not used.
func (r *cachedRead) known(store string) *cachedStore {
	s, ok := r.cache.stores.Get(storeKey{r.viewer, store})
	if a, within := r.scope.Access(store); !ok || !within || a.Ceiling != s.ceiling {
		return nil
	}
	return s
}

// look reads the positions of stores' feeds.
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

// catchUp learns what has changed in a store up to the snapshot.
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

// open returns what the viewer knows of a store of the scope. If it is nothing, it begins
// with the snapshot.
func (r *cachedRead) open(store string) *cachedStore {
	if s := r.known(store); s != nil {
		return s
	}
	a, _ := r.scope.Access(store)
	s := &cachedStore{
		ceiling: a.Ceiling, number: r.cache.last.Add(1), positions: r.heads[store], changed: make(map[uint64]uint64),
	}
	r.cache.stores.Put(storeKey{r.viewer, store}, s)
	return s
}
