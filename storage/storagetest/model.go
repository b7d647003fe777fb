package storagetest

import (
	"cmp"
	"context"
	"flag"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/size"
)

// model is the reference implementation with which testModel compares a storage: plain maps,
// which every query scans.
type model struct {
	rows    map[uuid.UUID]memory.Entry
	swept   map[uuid.UUID]memory.Entry
	history map[uuid.UUID][]memory.Entry // oldest first
	known   knownEntries                 // found by any search so far
	queue   map[uuid.UUID]int64          // the revision queued for each entry
	now     time.Time
	fixture *fixture
}

// modelRuns is the number of random histories that testModel runs, unless the flag
// -rapid.checks gives another number: after a change to a storage, use a few thousand.
func modelRuns() int { return size.Of(25, 40) }

// testModel applies random changes to a storage and a model, and compares their answers.
func testModel(t *testing.T, open func(t testing.TB) storage.Storage) {
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set(strconv.Itoa(modelRuns())); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = checks.Value.Set(checks.DefValue) }() // it was valid before
	}
	rapid.Check(t, func(r *rapid.T) {
		storage := open(t)
		defer func() { _ = storage.Close() }()
		m := &model{
			rows: make(map[uuid.UUID]memory.Entry), swept: make(map[uuid.UUID]memory.Entry),
			history: make(map[uuid.UUID][]memory.Entry), known: make(knownEntries), queue: make(map[uuid.UUID]int64), now: start,
			fixture: &fixture{T: t, storage: storage, ctx: context.Background()},
		}
		r.Repeat(map[string]func(*rapid.T){
			"create": m.create, "edit": m.edit, "delete": m.delete, "restore": m.restore,
			"trim": m.trim, "sweep": m.sweep, "purge": m.purge, "work": m.work, "wait": m.wait,
			"": m.check,
		})
	})
}

var (
	someStore = rapid.SampledFrom([]string{"a", "b", "c"})
	someOwner = rapid.SampledFrom([]string{"a", "x"})
	someLabel = rapid.SampledFrom([]acl.Label{acl.Public, acl.Internal, acl.Confidential, acl.Restricted})
	keys      = []string{"k", "k/1", "K", "é", "%"}
	someKey   = rapid.SampledFrom(keys)
	someText  = rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"red", "green", "blue", "river", "house", "tree"}), 0, 8).Draw(r, "words"), " ")
	})
	someTags = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"t", "u", "v"}), 0, 3, rapid.ID[string])
)

// change runs fn in a transaction of the storage that has prefetched the rows of one of the
// stores. It checks that the transaction sees at their paths what a later one sees.
func (m *model) change(fn func(ctx context.Context, tx memory.Tx) error) {
	ctx, store := m.fixture.ctx, []string{"a", "b", "c"}[len(m.rows)%3]
	paths := make([]memory.Path, len(keys))
	for i, key := range keys {
		paths[i] = memory.Path{Store: store, Key: key}
	}
	read := func(tx memory.EntryReader) (found []memory.Entry, usage memory.Usage) {
		for _, p := range paths {
			entries, err := tx.At(ctx, p.At(acl.Confidential))
			m.fixture.ok(err)
			found = append(found, entries...)
		}
		sortByID(found)
		usage, err := tx.Usage(ctx, store, "x", acl.Public, m.now)
		m.fixture.ok(err)
		return found, usage
	}
	var within []memory.Entry
	var usage memory.Usage
	m.fixture.update(func(tx memory.Tx) error {
		m.fixture.ok(tx.PrepareWrite(ctx, memory.WritePlan{Store: store, Paths: paths, Label: acl.Confidential, Agent: "x"}))
		if err := fn(ctx, tx); err != nil {
			return err
		}
		within, usage = read(tx)
		return nil
	})
	m.fixture.view(func(tx memory.ReadTx) error {
		after, usageAfter := read(tx)
		m.fixture.equal(within, after)
		m.fixture.equal(usage, usageAfter)
		return nil
	})
}

func (m *model) put(e memory.Entry) {
	for _, other := range m.rows {
		if other.ID != e.ID && other.DeletedAt.IsZero() && e.DeletedAt.IsZero() &&
			other.Path == e.Path && other.Owner == e.Owner && other.Label == e.Label {
			m.fixture.wantError(m.fixture.tryPut(e), memory.ErrExists)
			return
		}
	}
	m.change(func(ctx context.Context, tx memory.Tx) error { return put(ctx, tx, e) })
	if before, ok := m.rows[e.ID]; ok && e.Version > before.Version {
		m.history[e.ID] = append(m.history[e.ID], before)
	}
	m.rows[e.ID] = e
	m.queue[e.ID] = e.Revision
}

func (m *model) create(r *rapid.T) {
	e := entry(someStore.Draw(r, "store"), someKey.Draw(r, "key"), ownedBy(someOwner.Draw(r, "owner")),
		labelled(someLabel.Draw(r, "label")), says(someText.Draw(r, "text")), tagged(someTags.Draw(r, "tags")...))
	e.InContext, e.Encrypted = rapid.IntRange(0, 5).Draw(r, "out of context") > 0, rapid.IntRange(0, 5).Draw(r, "encrypted") == 0
	if rapid.IntRange(0, 2).Draw(r, "expires") == 0 {
		e.ExpiresAt = m.now.Add(time.Duration(rapid.IntRange(-1, 3).Draw(r, "hours")) * time.Hour)
	}
	m.put(e)
}

// some draws an entry that keep accepts. If there is none, it skips the random action.
func (m *model) some(r *rapid.T, keep func(memory.Entry) bool) memory.Entry {
	var kept []memory.Entry
	for _, e := range m.rows {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	if len(kept) == 0 {
		r.Skip("no such entry")
	}
	sortByID(kept)
	return kept[rapid.IntRange(0, len(kept)-1).Draw(r, "which")]
}

func (m *model) edit(r *rapid.T) {
	e := m.some(r, func(e memory.Entry) bool { return e.DeletedAt.IsZero() })
	switch rapid.IntRange(0, 3).Draw(r, "kind") {
	case 0:
		m.put(changed(e, func(e *memory.Entry) { e.Key = someKey.Draw(r, "key") }))
	case 1:
		m.put(changed(e, func(e *memory.Entry) { e.Store = someStore.Draw(r, "store") }))
	default:
		m.put(edited(e, says(someText.Draw(r, "text")), tagged(someTags.Draw(r, "tags")...), writtenBy(someOwner.Draw(r, "writer")),
			describedBy(someOwner.Draw(r, "type by"), someOwner.Draw(r, "description by"))))
	}
}

func (m *model) delete(r *rapid.T) {
	m.put(changed(m.some(r, func(e memory.Entry) bool { return e.DeletedAt.IsZero() }), deletedAt(m.now)))
}

func (m *model) restore(r *rapid.T) {
	m.put(edited(m.some(r, func(e memory.Entry) bool { return !e.DeletedAt.IsZero() }), restored))
}

// trim erases the former versions that exceed small limits: of one entry that has such versions,
// and then of all.
func (m *model) trim(r *rapid.T) {
	keep := memory.HistoryLimits{Versions: rapid.IntRange(1, 4).Draw(r, "versions"), Bytes: int64(rapid.IntRange(0, 60).Draw(r, "bytes"))}
	var excess []uuid.UUID
	for id, versions := range m.history {
		if kept := m.kept(versions, keep); len(kept) < len(versions) {
			excess = append(excess, id)
			m.history[id] = kept
		}
	}
	m.change(func(ctx context.Context, tx memory.Tx) error {
		ids, err := tx.TrimHistories(ctx, uuid.Nil, keep, 1000)
		m.fixture.ok(err)
		for _, id := range ids {
			m.fixture.ok(tx.TrimHistory(ctx, id, keep))
			m.fixture.ok(tx.TrimHistory(ctx, id, keep))
		}
		ids = slices.DeleteFunc(ids, func(id uuid.UUID) bool { _, swept := m.swept[id]; return swept })
		m.fixture.equal(sorted(ids), sorted(excess))
		return nil
	})
}

// kept returns the former versions within the limits, oldest first.
func (m *model) kept(versions []memory.Entry, keep memory.HistoryLimits) []memory.Entry {
	bytes := int64(0)
	for i := len(versions) - 1; i >= 0; i-- {
		bytes += int64(len(versions[i].Value) + len(versions[i].Source))
		if n := len(versions) - i; n > 1 && (n > keep.Versions-1 || bytes > keep.Bytes) {
			return versions[i+1:]
		}
	}
	return versions
}

func (m *model) sweep(r *rapid.T) {
	m.change(func(ctx context.Context, tx memory.Tx) error {
		ids, err := expiringIn(tx.Due(ctx, m.now, 100))
		if err != nil {
			return err
		}
		due := m.all(func(e memory.Entry) bool { return e.Expired(m.now) })
		m.fixture.equal(sorted(ids), sorted(idsOf(due...)))
		for _, e := range due {
			m.queue[e.ID] = e.Revision + 1
			m.swept[e.ID] = e
			delete(m.rows, e.ID)
			delete(m.history, e.ID)
		}
		return tx.Sweep(ctx, ids, m.now)
	})
}

func (m *model) purge(r *rapid.T) {
	cutoff := m.now.Add(-time.Duration(rapid.IntRange(0, 2).Draw(r, "hours")) * time.Hour)
	var want []uuid.UUID
	for _, rows := range []map[uuid.UUID]memory.Entry{m.rows, m.swept} {
		for id, e := range rows {
			if !e.DeletedAt.IsZero() && e.DeletedAt.Before(cutoff) || !e.ExpiresAt.IsZero() && e.ExpiresAt.Before(cutoff) {
				want = append(want, id)
				delete(rows, id)
				delete(m.history, id)
				delete(m.queue, id)
			}
		}
	}
	m.fixture.equal(sorted(m.fixture.purge(cutoff, 1000)), sorted(want))
}

// work leases some rows of the queue and completes them.
func (m *model) work(r *rapid.T) {
	leases := m.fixture.lease(m.now, rapid.IntRange(1, 3).Draw(r, "limit"))
	m.fixture.done(leases...)
	for _, l := range leases {
		m.fixture.equal(m.queue[l.Entry], l.Revision)
		delete(m.queue, l.Entry)
	}
}

func (m *model) wait(*rapid.T) { m.now = m.now.Add(time.Hour) }

func (m *model) all(keep func(memory.Entry) bool) []memory.Entry {
	var kept []memory.Entry
	for _, e := range m.rows {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	sortByID(kept)
	return kept
}

// check compares the answers of the storage with the model's.
func (m *model) check(r *rapid.T) {
	f := m.fixture
	f.equal(f.depth(m.now), len(m.queue))
	path := memory.Path{Store: someStore.Draw(r, "store"), Key: someKey.Draw(r, "key")}
	label, owner := someLabel.Draw(r, "label"), someOwner.Draw(r, "owner")
	query := terms(someText.Draw(r, "query"))
	limit := rapid.IntRange(1, 5).Draw(r, "limit")
	scope := []reach{{path.Store, label}, {someStore.Draw(r, "other store"), someLabel.Draw(r, "other label")}}
	if scope[0].store == scope[1].store {
		scope = scope[:1]
	}
	hits, scorer := m.rank(scope, query, limit)
	f.exact(f.lexical(f.scope(scope...), memory.LexicalQuery{Terms: query, Limit: limit, Now: m.now}), hits)
	f.exact(f.lexical(f.scope(scope...), memory.LexicalQuery{Terms: query, Limit: limit, Now: m.now, Known: m.known}), hits)
	m.checkCounts(scope, query, scorer)
	f.view(func(tx memory.ReadTx) error {
		at, err := tx.At(f.ctx, path.At(acl.Restricted))
		f.ok(err)
		sortByID(at)
		f.equal(at, withoutText(m.all(func(e memory.Entry) bool { return e.Path == path && e.DeletedAt.IsZero() })...))
		usage, err := tx.Usage(f.ctx, path.Store, owner, label, m.now)
		f.ok(err)
		f.equal(usage, m.usage(path.Store, owner, label))
		for id, versions := range m.history {
			history, err := tx.History(f.ctx, memory.HistoryQuery{Entry: id, Before: 0, Limit: 100})
			f.ok(err)
			slices.Reverse(history)
			f.equal(history, append(slices.Clone(versions), m.rows[id]))
		}
		return nil
	})
	f.equal(f.scan(memory.ScanQuery{Store: path.Store, Ceiling: label, Limit: 100}), m.scan(path.Store, label))
	filter := memory.Filter{Tags: someTags.Draw(r, "filter")}
	f.match(f.scope(reach{path.Store, label}), filter, idsOf(m.all(func(e memory.Entry) bool {
		return e.Store == path.Store && e.Label <= label && e.DeletedAt.IsZero() && e.InContext &&
			!slices.ContainsFunc(filter.Tags, func(t string) bool { return !slices.Contains(e.Tags, t) })
	})...)...)
}

func (m *model) rank(scope []reach, query []lexical.QueryTerm, limit int) ([]lexical.Hit, *lexical.Scorer) {
	return rank(m.all(func(memory.Entry) bool { return true }), func(e memory.Entry) bool {
		return e.Searchable() && e.Live(m.now) && contains(scope, e)
	}, query, limit)
}

func contains(scope []reach, e memory.Entry) bool {
	return slices.ContainsFunc(scope, func(r reach) bool { return r.store == e.Store && e.Label <= r.ceiling })
}

// checkCounts compares the Scorer of the scope, and the term counts of all entries, with those
// of the model. The scores that follow from them must be those of Lexical.
func (m *model) checkCounts(scope []reach, query []lexical.QueryTerm, want *lexical.Scorer) {
	f := m.fixture
	within, all := f.scope(scope...), m.all(func(memory.Entry) bool { return true })
	hits, scorer := f.scored(within, memory.LexicalQuery{Terms: query, Limit: 1000, Now: m.now})
	f.equal(weights(scorer, len(query)), weights(want, len(query)))
	scores := make(map[uuid.UUID]float64)
	for _, hit := range hits {
		scores[hit.Entry] = hit.Score
	}
	counts := f.termCounts(within, query, idsOf(all...)...)
	for _, e := range all {
		c, ok := counts[e.ID]
		f.equal(ok, e.DeletedAt.IsZero() && e.Searchable() && contains(scope, e))
		if !ok {
			continue
		}
		doc := words(e)
		f.equal(c, termCounts{countTerms(doc, query), doc.Length})
		if score := scorer.Score(c.counts, c.length); e.Live(m.now) && math.Float64bits(score) != math.Float64bits(scores[e.ID]) {
			f.Fatalf("the counts of %s score %v, the lexical leg %v", e.ID, score, scores[e.ID])
		}
	}
}

func (m *model) usage(store, writer string, label acl.Label) (u memory.Usage) {
	for _, e := range m.rows {
		if e.Store == store && e.UpdatedBy == writer && e.Label == label && e.Live(m.now) {
			u.Entries++
			u.Bytes += int64(len(e.Value))
		}
	}
	return u
}

func (m *model) scan(store string, ceiling acl.Label) []memory.Entry {
	entries := m.all(func(e memory.Entry) bool {
		return e.Store == store && e.Label <= ceiling && e.DeletedAt.IsZero() && e.InContext
	})
	slices.SortFunc(entries, func(a, b memory.Entry) int {
		return cmp.Or(a.Path.Compare(b.Path), cmp.Compare(a.Label, b.Label), strings.Compare(a.Owner, b.Owner))
	})
	return withoutText(entries...)
}
