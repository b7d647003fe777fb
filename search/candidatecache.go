package search

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/lru"
	"mneme/memory"
)

// candidateCache keeps rows of candidates that searches have read. A search reads
// hundreds of rows, without their values, and those of similar questions are mostly
// the same ones.
//
// A cached row is used if it is still the row of the search's snapshot. The feed says
// so: its position shows whether a path of a store has changed at a label, and its
// records show which. So one look at the positions replaces hundreds of rows, and
// writes of other processes count like those of this one.
//
// SECURITY: rows are cached by agent and taint, like the embeddings of questions
// (queryKey), so that the speed of an answer does not reveal what others asked. They
// are used for the ceiling for which they were read, and positions and records above
// it are not looked at. The scope of the snapshot decides which stores' rows are used.
// Viewers who have read the same row hold the same memory.
type candidateCache struct {
	seed    maphash.Seed
	viewers *lru.Cache[viewer, uint64] // their numbers
	last    atomic.Uint64              // number of the last viewer
	rows    *lru.Cache[rowKey, *pathRows]
	shared  *lru.Cache[uuid.UUID, *memory.Entry] // rows that were read last, by whomever
	stores  *lru.Cache[storeKey, *cachedStore]
}

const (
	// candidateCacheBytes is the default of Options.CandidateCache: some 45,000 rows, and
	// what 10,000 entries are scored by.
	candidateCacheBytes = 64 << 20
	// viewerBytes bounds the numbers of viewers: some 3,000.
	viewerBytes = 1 << 20
	// maxCachedStores is how many stores have rows in a cache, each counted once for each
	// agent and taint.
	maxCachedStores = 2048
	// maxChangedPaths is how many changed paths of a store are told apart. When there
	// are more, all its rows are read again.
	maxChangedPaths = 256
	// minCached is how many candidates a store must have in a search for its rows to be
	// cached: finding out whether the rows of a store have changed takes about as long
	// as reading one of them.
	minCached = 4
)

// viewer is who searches.
type viewer struct {
	agent string
	taint acl.Label
}

func viewerOf(c memory.Caller) viewer { return viewer{c.Agent, c.Taint} }

type rowKey struct {
	viewer uint64 // candidateCache.number
	id     uuid.UUID
}

type storeKey struct {
	viewer uint64
	store  string
}

// pathRows are all rows that Siblings returns for a path.
type pathRows struct {
	store *cachedStore // by which they are valid
	epoch int          // of store when they were valid last
	path  uint64       // hash of namespace and key
	rows  []*memory.Entry
	bytes int // what is counted for the rows
}

func newCandidateCache(maxBytes int) *candidateCache {
	const storeBytes = 4096 // with half of maxChangedPaths
	return &candidateCache{
		seed:    maphash.MakeSeed(),
		viewers: lru.New(viewerBytes, func(v viewer, _ uint64) int { return len(v.agent) }),
		rows:    lru.New(maxBytes/4*3, func(_ rowKey, p *pathRows) int { return int(unsafe.Sizeof(*p)) + p.bytes - lru.Overhead/2 }),
		shared:  lru.New(maxBytes/4, func(_ uuid.UUID, e *memory.Entry) int { return rowBytes(e) }),
		stores:  lru.New(maxCachedStores*storeBytes, func(storeKey, *cachedStore) int { return storeBytes - lru.Overhead }),
	}
}

// number returns the number of a viewer, by which rows are cached. No other has ever had
// it; one who has not searched for long gets another one.
func (c *candidateCache) number(v viewer) uint64 {
	return c.viewers.GetOrPut(v, func() uint64 { return c.last.Add(1) })
}

// rowBytes returns the memory of a row; that of strings that many rows share is counted
// for each.
func rowBytes(e *memory.Entry) int {
	n := int(unsafe.Sizeof(*e)) + len(e.Store) + len(e.Namespace) + len(e.Key) + len(e.Owner) + len(e.UpdatedBy) + len(e.Type) + len(e.Description)
	for _, tag := range e.Tags {
		n += len(tag) + int(unsafe.Sizeof(tag))
	}
	return n
}

// add adds a copy of a row that was read. If another viewer has read it, both hold the same
// memory, which is counted for the first of them.
func (p *pathRows) add(e *memory.Entry, shared *lru.Cache[uuid.UUID, *memory.Entry]) {
	p.bytes += int(unsafe.Sizeof(e))
	if other, ok := shared.Get(e.ID); ok && isSameRow(e, other) {
		p.rows = append(p.rows, other)
		return
	}
	row := *e
	shared.Put(row.ID, &row)
	p.rows = append(p.rows, &row)
	p.bytes += rowBytes(&row)
}

// isSameRow reports whether two rows of an ID are the same: each change has a revision of
// its own.
func isSameRow(a, b *memory.Entry) bool {
	return a.Revision == b.Revision && a.Version == b.Version && a.UpdatedAt.Equal(b.UpdatedAt) &&
		a.Path == b.Path && a.Label == b.Label && a.Owner == b.Owner && a.Size == b.Size
}

// pathHash returns the hash of a path in its store.
func (c *candidateCache) pathHash(namespace, key string) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	_, _ = h.WriteString(namespace) // it never fails
	_ = h.WriteByte(0)
	_, _ = h.WriteString(key)
	return h.Sum64()
}

// candidateTx is what the cache reads.
type candidateTx interface {
	memory.CandidateReader
	memory.FeedReader
}

// Siblings returns what tx.Siblings does, in part from the cache, those of a path one
// after another. The entries must not be changed.
func (c *candidateCache) Siblings(ctx context.Context, tx candidateTx, v viewer, scope acl.Scope, ids []uuid.UUID) ([]*memory.Entry, error) {
	read := &cachedRead{cache: c, tx: tx, viewer: c.number(v), scope: scope, heads: make(map[string]memory.FeedPositions)}
	found, missing, err := read.cached(ctx, ids)
	if err != nil || len(missing) == 0 {
		return found, err
	}
	rows, err := tx.At(ctx, memory.Siblings{Scope: scope, IDs: missing})
	if err != nil {
		return nil, err
	}
	if err := read.keep(ctx, rows); err != nil {
		return nil, err
	}
	seen := make(map[uuid.UUID]bool, len(found))
	for _, e := range found {
		seen[e.ID] = true
	}
	for i := range rows { // a path may have a cached row and one that is missing
		if !seen[rows[i].ID] {
			found = append(found, &rows[i])
		}
	}
	memory.GroupByPath(found)
	return found, nil
}

// cachedRead is one call of Siblings.
type cachedRead struct {
	cache  *candidateCache
	tx     candidateTx
	viewer uint64
	scope  acl.Scope
	heads  map[string]memory.FeedPositions // of the stores that were looked at, in the snapshot
}

// cached returns the rows of ids that are cached and still valid, each once, and the
// ids that have none.
func (r *cachedRead) cached(ctx context.Context, ids []uuid.UUID) (found []*memory.Entry, missing []uuid.UUID, err error) {
	groups := make([]*pathRows, len(ids)) // nil: not cached
	r.cache.rows.GetEach(len(ids), func(i int) rowKey { return rowKey{r.viewer, ids[i]} }, func(i int, g *pathRows) { groups[i] = g })
	stores := make(map[string]*cachedStore)
	for i, g := range groups {
		if g == nil {
			continue
		}
		store := g.rows[0].Store
		known, ok := stores[store]
		if !ok {
			known = r.known(store)
			stores[store] = known
		}
		if g.store != known {
			groups[i] = nil
		}
	}
	maps.DeleteFunc(stores, func(_ string, s *cachedStore) bool { return s == nil })
	if err := r.look(ctx, slices.Collect(maps.Keys(stores))); err != nil {
		return nil, nil, err
	}
	epochs := make(map[*cachedStore]int, len(stores)) // of the snapshot; -1: not known
	for store, s := range stores {
		if epochs[s], err = r.catchUp(ctx, s, store); err != nil {
			return nil, nil, err
		}
	}
	keepValid(groups, epochs)
	found = make([]*memory.Entry, 0, len(ids))
	several := make(map[*pathRows]bool) // those of several rows that were found
	for i, g := range groups {
		switch {
		case g == nil:
			missing = append(missing, ids[i])
		case len(g.rows) == 1:
			found = append(found, g.rows[0])
		case !several[g]:
			several[g] = true
			found = append(found, g.rows...)
		}
	}
	if len(several) > 0 { // two may have the same path: two searches read it
		memory.GroupByPath(found)
	}
	return found, missing, nil
}

// known returns what is known of a store for the scope; nil: nothing.
//
// SECURITY: rows of a store outside the scope, or read for another ceiling, are not
// used.
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

// catchUp learns what has changed in a store up to the snapshot, and returns the
// epoch of the snapshot: -1 if others know of later changes.
func (r *cachedRead) catchUp(ctx context.Context, s *cachedStore, store string) (epoch int, err error) {
	head := r.heads[store]
	s.mu.Lock()
	positions := s.positions
	s.mu.Unlock()
	if positions != head {
		feeds, err := r.tx.Feed(ctx, memory.FeedQuery{Store: store, Ceiling: s.ceiling, After: positions, Limit: maxChangedPaths})
		if err != nil {
			return -1, err
		}
		s.moveOn(positions, head, feeds[0], r.cache.pathHash)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.positions != head {
		return -1, nil
	}
	return s.epoch, nil
}

// keep caches rows that were read, with all rows of each of their paths.
func (r *cachedRead) keep(ctx context.Context, rows []memory.Entry) error {
	counts := make(map[string]int)
	for i := range rows {
		counts[rows[i].Store]++
	}
	var unseen []string
	for store, n := range counts {
		if _, seen := r.heads[store]; !seen && n >= minCached {
			unseen = append(unseen, store)
		}
	}
	if err := r.look(ctx, unseen); err != nil {
		return err
	}
	stores := make(map[string]*pathRows) // without path and rows; nil: not to be cached
	for store := range counts {
		stores[store] = r.open(store)
	}
	groups := make(map[memory.Path]*pathRows)
	for i := range rows {
		e := &rows[i]
		g := groups[e.Path]
		if g == nil {
			if stores[e.Store] == nil {
				continue
			}
			g = new(*stores[e.Store])
			g.path = r.cache.pathHash(e.Namespace, e.Key)
			groups[e.Path] = g
		}
		g.add(e, r.cache.shared)
	}
	for _, g := range groups {
		for _, e := range g.rows {
			r.cache.rows.Put(rowKey{r.viewer, e.ID}, g)
		}
	}
	return nil
}

// open returns a pathRows of a store's rows in the snapshot: nil if its position is
// not known, or others know of later changes.
func (r *cachedRead) open(store string) *pathRows {
	head, seen := r.heads[store]
	a, ok := r.scope.Access(store)
	if !seen || !ok {
		return nil
	}
	key := storeKey{r.viewer, store}
	create := func() *cachedStore {
		return &cachedStore{ceiling: a.Ceiling, positions: head, changed: make(map[uint64]int)}
	}
	s := r.cache.stores.GetOrPut(key, create)
	if s.ceiling != a.Ceiling {
		s = create()
		r.cache.stores.Put(key, s)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.positions != head {
		return nil
	}
	return &pathRows{store: s, epoch: s.epoch}
}
