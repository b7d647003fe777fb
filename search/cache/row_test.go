package cache

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"unique"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/internal/lru"
	"mneme/memory"
)

// snapshot is a database with entries of one store, each at a path of its own unless a test
// changes the paths. It records what is read.
type snapshot struct {
	rows    []memory.Entry
	records []memory.FeedRecord
	head    memory.FeedPositions
	removed memory.FeedPositions
	asked   []uuid.UUID // ids that Siblings was asked for
	looked  int         // calls of Feed that read only positions
	learned int         // calls of Feed that read records
}

// readersOf has the Readers of tests.
var readersOf = NewReaders()

// readerOf returns the Reader of an agent's sessions of a label.
func readerOf(agent string, taint acl.Label) Reader {
	return readersOf.Of(memory.Caller{Principal: acl.Principal{Agent: agent, Taint: taint}})
}

// roomy is a size in bytes at which a cache has room for all rows of a test.
const roomy = 64 << 20

// newSnapshot returns a snapshot of n public entries of a store.
func newSnapshot(store string, n int) *snapshot {
	s := new(snapshot)
	for i := range n {
		s.rows = append(s.rows, memory.Entry{
			ID: uuid.Must(uuid.NewV7()), Path: memory.Path{Store: store, Key: fmt.Sprint("k", i)}, Label: acl.Public, Revision: 1, Tags: []string{"tag"},
		})
	}
	return s
}

func (s *snapshot) At(context.Context, memory.AtPaths) ([]memory.Entry, error) { panic("not used") }

func (s *snapshot) Siblings(_ context.Context, scope acl.Scope, ids []uuid.UUID) (rows []memory.Entry, err error) {
	s.asked = append(s.asked, ids...)
	paths := make(map[memory.Path]bool)
	for _, e := range s.rows {
		if scope.Allows(e.Store, e.Label) && slices.Contains(ids, e.ID) {
			paths[e.Path] = true
		}
	}
	for _, e := range s.rows {
		if scope.Allows(e.Store, e.Label) && paths[e.Path] {
			rows = append(rows, e)
		}
	}
	return rows, nil
}

func (s *snapshot) Matching(context.Context, acl.Scope, memory.Filter, []uuid.UUID, int) ([]uuid.UUID, bool, error) {
	panic("not used")
}

func (s *snapshot) Feed(_ context.Context, queries ...memory.FeedQuery) (feeds []memory.Feed, err error) {
	if queries[0].Limit == 0 {
		s.looked++
	} else {
		s.learned++
	}
	for _, q := range queries {
		feed := memory.Feed{Last: s.head, Removed: s.removed}
		clear(feed.Last[q.Ceiling:])
		clear(feed.Removed[q.Ceiling:])
		for _, r := range s.records {
			if q.Limit > 0 && r.Label <= q.Ceiling && r.Position > *q.After.Of(r.Label) && r.Position > *s.removed.Of(r.Label) {
				feed.Records = append(feed.Records, r)
			}
		}
		feeds = append(feeds, feed)
	}
	return feeds, nil
}

// change is a commit that changes a row: its revision and owner, and the feed.
func (s *snapshot) change(i int) {
	e := &s.rows[i]
	e.Revision++
	e.Owner = fmt.Sprint("owner", e.Revision)
	s.announce(*e)
}

// announce adds a record of a row to the feed.
func (s *snapshot) announce(e memory.Entry) {
	position := s.head.Of(e.Label)
	*position++
	s.records = append(s.records, memory.FeedRecord{Label: e.Label, Position: *position, Namespace: e.Namespace, Key: e.Key})
}

// idsOf returns the ids of entries.
func idsOf(entries []memory.Entry) []uuid.UUID {
	ids := make([]uuid.UUID, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	return ids
}

// pointersTo returns pointers to entries.
func pointersTo(entries []memory.Entry) []*memory.Entry {
	pointers := make([]*memory.Entry, len(entries))
	for i := range entries {
		pointers[i] = &entries[i]
	}
	return pointers
}

// read asks the cache for all rows, compares them with those of the snapshot, and
// returns how many were read from it.
func (s *snapshot) read(t *testing.T, c *Rows, v Reader, scope acl.Scope) int {
	t.Helper()
	s.asked = nil
	got, err := c.Siblings(t.Context(), s, v, scope, idsOf(s.rows))
	if err != nil {
		t.Fatal(err)
	}
	asked := len(s.asked)
	want, err := s.Siblings(t.Context(), scope, idsOf(s.rows))
	if err != nil {
		t.Fatal(err)
	}
	text := func(rows []*memory.Entry) []string {
		var all []string
		for _, e := range rows {
			all = append(all, fmt.Sprintf("%+v", *e))
		}
		slices.Sort(all)
		return all
	}
	if !slices.Equal(text(got), text(pointersTo(want))) {
		t.Fatalf("the cache returns\n%v\nthe rows are\n%v", text(got), text(pointersTo(want)))
	}
	return asked
}

func TestRowsThatHaveNotChangedAreReadOnce(t *testing.T) {
	const n = 20
	store := acltest.StoreName(1)
	public := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public})
	ada, bob := readerOf("ada", acl.Public), readerOf("bob", acl.Public)
	for _, step := range []struct {
		what  string
		do    func(s *snapshot)
		v     Reader
		scope acl.Scope
		want  int // rows read
	}{
		{"nothing", func(*snapshot) {}, ada, public, 0},
		{"another agent asks", func(*snapshot) {}, bob, public, n},
		{"a session of another label asks", func(*snapshot) {}, readerOf("ada", acl.Internal), public, n},
		{"one row changes", func(s *snapshot) { s.change(3) }, ada, public, 1},
		{"one row changes twice", func(s *snapshot) { s.change(3); s.change(3) }, ada, public, 1},
		{"a row comes to the path of another", func(s *snapshot) {
			e := s.rows[5]
			e.ID, e.Owner = uuid.Must(uuid.NewV7()), "bob"
			s.rows = append(s.rows, e)
			s.announce(e)
		}, ada, public, 2},
		{"a row goes to another path", func(s *snapshot) {
			s.announce(s.rows[5])
			s.rows[5].Key = "elsewhere"
			s.announce(s.rows[5])
		}, ada, public, 1},
		{"a row is deleted", func(s *snapshot) { s.announce(s.rows[5]); s.rows = slices.Delete(s.rows, 5, 6) }, ada, public, 0},
		{"a row was deleted and purged", func(s *snapshot) {
			s.announce(s.rows[5])
			s.records[len(s.records)-1].Key = ""
			s.rows = slices.Delete(s.rows, 5, 6)
		}, ada, public, n - 1},
		{"more rows change than are told apart", func(s *snapshot) {
			for range maxChangedPaths + 1 {
				s.change(3)
			}
		}, ada, public, n},
		{"the records of a change were removed", func(s *snapshot) { s.change(3); s.removed = s.head }, ada, public, n},
		{"what has a higher label changes", func(s *snapshot) {
			e := memory.Entry{ID: uuid.Must(uuid.NewV7()), Path: s.rows[3].Path, Label: acl.Internal}
			s.announce(e)
		}, ada, public, 0},
		{"the ceiling is higher", func(*snapshot) {}, ada, acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Internal}), n},
		{"the store is out of reach", func(*snapshot) {}, ada, acltest.Scope(t, acltest.Reach{Number: 2, Ceiling: acl.Public}), n},
	} {
		c := NewRows(readersOf, roomy)
		s := newSnapshot(store, n)
		if got := s.read(t, c, ada, public); got != n {
			t.Fatalf("%d rows were read at first, want %d", got, n)
		}
		step.do(s)
		if got := s.read(t, c, step.v, step.scope); got != step.want {
			t.Errorf("%s: %d rows were read, want %d", step.what, got, step.want)
		}
		if got := s.read(t, c, step.v, step.scope); step.scope.Allows(store, acl.Public) && got != 0 {
			t.Errorf("%s: %d rows were read again", step.what, got)
		}
	}
}

func TestRowsAboveALowerCeilingAreNotShown(t *testing.T) {
	c, s, v := NewRows(readersOf, roomy), newSnapshot(acltest.StoreName(1), 10), readerOf("ada", acl.Internal)
	for i := range 5 {
		s.rows[i].Label = acl.Internal
	}
	for _, ceiling := range []acl.Label{acl.Internal, acl.Public, acl.Internal} {
		scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: ceiling})
		if got := s.read(t, c, v, scope); got != 10 {
			t.Errorf("%d rows were read up to %v, want all", got, ceiling)
		}
	}
}

func TestRowsAreCachedOfStoresWithDifferentCeilings(t *testing.T) {
	const n = 10
	c, s, v := NewRows(readersOf, roomy), newSnapshot(acltest.StoreName(1), n), readerOf("ada", acl.Restricted)
	s.rows = append(s.rows, newSnapshot(acltest.StoreName(2), n).rows...)
	s.rows[0].Label, s.rows[n].Label = acl.Internal, acl.Internal
	ceilings := []acl.Label{acl.Public, acl.Internal}
	// One row is above the ceiling of its store: first that of store 1, then that of store 2.
	for round, want := range []int{2 * n, 1, 2 * n, 1} {
		lower := ceilings[round/2]
		scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: lower}, acltest.Reach{Number: 2, Ceiling: acl.Public + acl.Internal - lower})
		if got := s.read(t, c, v, scope); got != want {
			t.Errorf("round %d: %d rows were read, want %d", round, got, want)
		}
	}
}

func TestASnapshotHasItsOwnRows(t *testing.T) {
	scope, v := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public}), readerOf("ada", acl.Public)
	c, older := NewRows(readersOf, roomy), newSnapshot(acltest.StoreName(1), 10)
	older.read(t, c, v, scope)
	newer := *older
	newer.rows = slices.Clone(older.rows)
	newer.change(3)
	newer.read(t, c, v, scope)
	for range 2 {
		if got := older.read(t, c, v, scope); got != 10 {
			t.Errorf("%d rows were read in the older snapshot, want all: others know of later changes", got)
		}
		if got := newer.read(t, c, v, scope); got != 0 {
			t.Errorf("%d rows were read in the newer snapshot again", got)
		}
	}
}

func TestARowThatSeveralHaveReadIsHeldOnce(t *testing.T) {
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public})
	c, s := NewRows(readersOf, roomy), newSnapshot(acltest.StoreName(1), 10)
	var read [2][]*memory.Entry
	for i, agent := range []string{"ada", "bob"} {
		v := readerOf(agent, acl.Public)
		if got := s.read(t, c, v, scope); got != 10 {
			t.Errorf("%s has read %d rows, want all", agent, got)
		}
		read[i], _ = c.Siblings(t.Context(), s, v, scope, idsOf(s.rows))
	}
	if !slices.Equal(read[0], read[1]) {
		t.Error("two viewers hold rows of their own")
	}
	s.change(3)
	s.read(t, c, readerOf("ada", acl.Public), scope)
	if got := s.read(t, c, readerOf("bob", acl.Public), scope); got != 1 {
		t.Errorf("bob has read %d rows, want the one that only ada has read since it changed", got)
	}
}

func TestFewRowsOfAStoreAreNotCached(t *testing.T) {
	scope, v := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public}), readerOf("ada", acl.Public)
	c, s := NewRows(readersOf, roomy), newSnapshot(acltest.StoreName(1), minCached-1)
	for range 2 {
		if got := s.read(t, c, v, scope); got != minCached-1 || s.looked != 0 {
			t.Errorf("%d rows were read and %d times positions, want all and none", got, s.looked)
		}
	}
}

func TestCachedRowsAreBounded(t *testing.T) {
	const limit = 50_000
	scope, v := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public}), readerOf("ada", acl.Public)
	c, s := NewRows(readersOf, limit), newSnapshot(acltest.StoreName(1), 1000)
	s.read(t, c, v, scope)
	if got := c.rows.bytes(); got > limit || got < limit/2 {
		t.Errorf("%d bytes are cached, want about %d", got, limit)
	}
	if got := s.read(t, c, v, scope); got == 0 || got == 1000 {
		t.Errorf("%d of 1,000 rows were read again, want those that have no room", got)
	}
}

func TestAViewerReadsTheSameRowsWhateverOthersHaveRead(t *testing.T) {
	const store = 1
	ada, bob := readerOf("ada", acl.Public), readerOf("bob", acl.Public)
	scopes := []acl.Scope{
		acltest.Scope(t, acltest.Reach{Number: store, Ceiling: acl.Public}), acltest.Scope(t, acltest.Reach{Number: store, Ceiling: acl.Internal}),
	}
	rapid.Check(t, func(rt *rapid.T) {
		alone, beside := NewRows(readersOf, roomy), NewRows(NewReaders(), roomy)
		s := newSnapshot(acltest.StoreName(store), 8)
		read := func(c *Rows, v Reader, scope acl.Scope, ids []uuid.UUID) string {
			s.asked, s.looked, s.learned = nil, 0, 0
			if _, err := c.Siblings(t.Context(), s, v, scope, ids); err != nil {
				rt.Fatal(err)
			}
			return fmt.Sprintf("%v, looks %d times and learns of changes %d times", s.asked, s.looked, s.learned)
		}
		for range rapid.IntRange(10, 60).Draw(rt, "steps") {
			i := rapid.IntRange(0, len(s.rows)-1).Draw(rt, "row")
			switch rapid.SampledFrom([]string{"ada", "ada", "ada", "all", "bob", "bob", "change", "change", "add", "remove", "many", "lost"}).Draw(rt, "step") {
			case "ada":
				if rapid.Bool().Draw(rt, "bob before her") {
					s.read(t, beside, bob, scopes[0])
				}
				ids := idsOf(s.rows[i:rapid.IntRange(i+1, len(s.rows)).Draw(rt, "end")])
				if want, got := read(alone, ada, scopes[0], ids), read(beside, ada, scopes[0], ids); got != want {
					rt.Fatalf("ada reads %s beside others, and alone %s", got, want)
				}
			case "all":
				s.read(t, beside, ada, scopes[0])
				s.read(t, alone, ada, scopes[0])
			case "bob":
				read(beside, bob, rapid.SampledFrom(scopes).Draw(rt, "scope"), idsOf(s.rows[i:]))
			case "change":
				s.change(i)
			case "add":
				e := s.rows[i]
				e.ID, e.Label = uuid.Must(uuid.NewV7()), rapid.SampledFrom([]acl.Label{acl.Public, acl.Internal}).Draw(rt, "label")
				s.rows = append(s.rows, e)
				s.announce(e)
			case "remove":
				if len(s.rows) > 6 {
					s.announce(s.rows[i])
					s.rows = slices.Delete(s.rows, i, i+1)
				}
			case "many":
				for range maxChangedPaths + 1 {
					s.change(i)
				}
			case "lost":
				s.change(i)
				s.removed = s.head
			}
		}
	})
}

func TestARowOfAPathThatSeveralHaveReadInPartIsCached(t *testing.T) {
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public})
	c, s, v := NewRows(readersOf, roomy), newSnapshot(acltest.StoreName(1), 10), readerOf("ada", acl.Public)
	s.rows[1].Path = s.rows[0].Path
	s.read(t, c, v, scope)
	c.rows.values = lru.New(roomy, func(rowKey, *pathRows) int { return 0 }) // all were evicted
	group := &pathRows{stamp: 1 << 20, store: unique.Make(s.rows[0].Store), rows: slices.Clone(s.rows[:2])}
	c.rows.values.Put(rowKey{acl.Public, s.rows[0].ID}, group) // but for one of the two, which another has read
	for _, want := range []int{10, 0} {
		if got := s.read(t, c, v, scope); got != want {
			t.Errorf("%d rows were read, want %d", got, want)
		}
	}
}

// Rows of a path are one after another, also where one is cached and another had to be read.
func TestRowsOfAPathStayTogether(t *testing.T) {
	row := func(key string) memory.Entry {
		return memory.Entry{ID: uuid.New(), Path: memory.Path{Store: "s", Key: key}}
	}
	b, d, b2, a, a2 := row("b"), row("d"), row("b"), row("a"), row("a")
	keys := func(cached []*memory.Entry, missing []uuid.UUID, read ...memory.Entry) (keys string) {
		for _, e := range merged(cached, missing, read) {
			keys += e.Key
		}
		return keys
	}
	if got := keys([]*memory.Entry{&d, &b}, []uuid.UUID{a.ID}, a2, a); got != "dbaa" {
		t.Errorf("the rows are %s", got)
	}
	if got := keys([]*memory.Entry{&b, &d}, []uuid.UUID{a.ID, b2.ID}, b2, a, b); got != "abbd" {
		t.Errorf("the rows are %s", got)
	}
}

// A row that is no longer cached under its own id, but still under another id of its path, is
// returned once and not read again.
func TestARowThatIsCachedForOthersOfItsPath(t *testing.T) {
	s := newSnapshot(acltest.StoreName(1), minCached)
	s.rows[1].Path = s.rows[0].Path
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public})
	c, ada := NewRows(readersOf, roomy), readerOf("ada", acl.Public)
	s.read(t, c, ada, scope)
	evicted := rowKey{acl.Public, s.rows[1].ID}
	c.rows.values.Put(evicted, &pathRows{stamp: 1 << 20, store: unique.Make("another")})
	if asked := s.read(t, c, ada, scope); asked != 0 {
		t.Errorf("%d rows were read", asked)
	}
}
