package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/test/backendtest"
)

// fakeMeter is a Meter that limits the hits of each search-only store in an answer, and
// records its calls. The zero value allows none.
type fakeMeter struct {
	hits    map[string]int // limits, by store
	refuse  error          // of Admit
	close   error          // of Sell
	leftOut []string
	skipped []search.Skipped

	admitted, opened []string           // stores, of the last search
	offered          []string           // keys of the candidates of the last sale
	closed           []string           // keys of the hits of the last sale, in brackets if not from a search-only store
	texts            map[string]string  // the shown texts of closed, by key
	sold             int                // number of sales without an error
	purchase         search.Purchase    // of the last search
	taken            map[uuid.UUID]bool // by the last sale
}

func (m *fakeMeter) Admit(_ context.Context, _ memory.ReadTx, _ memory.Caller, p search.Purchase, stores []acl.Access, _ time.Time) (search.Admission, error) {
	m.admitted, m.purchase = nil, p
	for _, a := range stores {
		m.admitted = append(m.admitted, a.Store)
	}
	return search.Admission{LeftOut: m.leftOut, Skipped: m.skipped}, m.refuse
}

func (m *fakeMeter) Sell(_ context.Context, _ memory.Tx, _ memory.Caller, _ search.Purchase, o search.Offering, _ time.Time) (search.Sale, error) {
	m.opened, m.offered, m.closed, m.texts = nil, nil, nil, make(map[string]string)
	left := make(map[string]int)
	for _, a := range o.Stores {
		m.opened = append(m.opened, a.Store)
		left[a.Store] = m.hits[a.Store]
	}
	for _, c := range o.Candidates {
		if c.ForSale {
			m.offered = append(m.offered, c.Entry.Key)
		}
	}
	m.taken = make(map[uuid.UUID]bool)
	sale := o.Choose(func(c *search.Candidate) bool {
		if left[c.Entry.Store] == 0 {
			return false
		}
		left[c.Entry.Store]--
		m.taken[c.Entry.ID] = true
		return true
	})
	for _, i := range sale.Shown {
		hit := o.Candidates[i].Hit
		key := hit.Key
		if hit.Level >= acl.Read {
			key = "[" + key + "]"
		}
		m.closed = append(m.closed, key)
		m.texts[key] = shownText(hit)
	}
	sale.Bill = search.Bill{Charges: []search.Charge{{Amount: 1}}, Skipped: o.Skipped}
	if m.close == nil {
		m.sold++
	}
	return sale, m.close
}

// shownText returns the text that a hit shows of its value.
func shownText(hit *search.Hit) string {
	if !hit.Truncated {
		return string(hit.Value)
	}
	var all []string
	for _, p := range hit.Passages {
		all = append(all, p.Text)
	}
	return strings.Join(all, " … ")
}

// market is a service with a Meter: reader has level search on stores seller and
// vendor, and entries of its own.
type market struct {
	*harness
	*fakeMeter
	data   *backendtest.Data
	reader memory.Caller
	// before, unless nil, runs before the next transaction that writes.
	before func()
	writes int
}

// observedStorage is a storage that counts a market's writes, and calls its hook before them.
type observedStorage struct {
	storage.Storage
	market *market
}

func (s observedStorage) Update(ctx context.Context, fn func(memory.Tx) error) error {
	s.market.writes++
	if before := s.market.before; before != nil {
		s.market.before = nil
		before()
	}
	return s.Storage.Update(ctx, fn)
}

func openMarket(t *testing.T, b backendtest.Backend) *market {
	t.Helper()
	m := &market{fakeMeter: &fakeMeter{hits: map[string]int{"seller": 10, "vendor": 10}}, reader: agent("reader", acl.Internal)}
	data := b.Open(t)
	m.data = data
	open := data.Storage
	data.Storage = func(t testing.TB) storage.Storage { return observedStorage{open(t), m} }
	m.harness = openOver(t, data, backendtest.Options{Search: search.Options{Meter: m.fakeMeter}}, encoder(t))
	for _, store := range []string{"seller", "vendor"} {
		m.MustShare(agent(store, acl.Internal), "reader", acl.Search)
	}
	return m
}

func (m *market) fill(store string, n int, value string) {
	m.t.Helper()
	for i := range n {
		m.PutText(agent(store, acl.Internal), store, fmt.Sprintf("%s%d", store, i), fmt.Sprintf("%s number %d", value, i), 201)
	}
}

// readAnswer is an answer with the Values that read it.
type readAnswer struct {
	search.Answer
	read *search.Values
}

// shown searches and returns the keys of the hits in order, in brackets if they are not from
// a search-only store. It calls between before it reads the values.
func (m *market) shown(r search.Request, between ...func()) (keys []string, a readAnswer) {
	m.t.Helper()
	m.Index()
	a.Answer = m.MustSearch(m.reader, r)
	a.read = a.Values()
	for _, f := range between {
		f()
	}
	err := a.read.Each(background, func(hit *search.Hit) error {
		key := hit.Key
		if hit.Level >= acl.Read {
			key = "[" + key + "]"
		} else if text := shownText(hit); text != m.texts[key] || text == "" {
			m.t.Errorf("%s shows %q, but the charge is for %q", key, text, m.texts[key])
		}
		keys = append(keys, key)
		return nil
	})
	must(m.harness, err)
	return keys, a
}

func (m *market) soldKeys() []string {
	return slices.DeleteFunc(slices.Clone(m.closed), func(key string) bool { return strings.HasPrefix(key, "[") })
}

func TestASearchChargesForWhatItShows(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		m := openMarket(t, b)
		m.fill("seller", 6, "a granite quarry")
		m.fill("vendor", 6, "a granite quarry")
		m.fill("reader", 12, "a granite wall")
		m.hits["seller"], m.hits["vendor"] = 3, 1
		for _, r := range []search.Request{{Query: "granite", Limit: 10}, {Query: "granite", Limit: 10, Stores: []string{"vendor", "reader", "seller", "vendor"}}} {
			keys, a := m.shown(r)
			if !slices.Equal(keys, m.closed) || len(keys) != 10 || len(m.soldKeys()) != 4 {
				t.Errorf("showed %q, sold %q", keys, m.closed)
			}
			if len(a.Bill.Charges) != 1 || a.Label != acl.Internal {
				t.Errorf("the bill is %+v, the label %v", a.Bill, a.Label)
			}
		}
		if named := m.purchase; !slices.Equal(named.Named, []string{"vendor", "reader", "seller"}) || named.Limit != 10 || m.sold != 2 {
			t.Errorf("the meter got %+v and made %d sales", named, m.sold)
		}
	})
}

// An answer shows sold hits even if they have since been deleted, edited or unshared.
func TestSoldHitsAreShownAsTheyWereSold(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		m := openMarket(t, b)
		m.fill("seller", 3, "a granite quarry")
		m.fill("reader", 3, "a granite wall")
		keys, _ := m.shown(search.Request{Query: "granite", Limit: 10}, func() {
			seller := agent("seller", acl.Internal)
			m.PutText(seller, "seller", "seller0", "something else", 200)
			must(m.harness, m.Delete(background, seller, path("seller", "seller1"), memory.Preconditions{}))
			must(m.harness, m.Unshare(background, seller, "seller", "reader"))
			must(m.harness, m.Delete(background, m.reader, path("reader", "reader1"), memory.Preconditions{}))
		})
		want := slices.DeleteFunc(slices.Clone(m.closed), func(key string) bool { return key == "[reader1]" })
		if !slices.Equal(keys, want) || len(m.soldKeys()) != 3 {
			t.Errorf("showed %q, sold %q", keys, m.closed)
		}
	})
}

func TestStoresThatTheMeterLeavesOutAreNotSearched(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		m := openMarket(t, b)
		m.fill("seller", 3, "a granite quarry")
		m.fill("vendor", 1, "a granite bridge")
		m.leftOut, m.skipped = []string{"seller"}, []search.Skipped{{Store: "seller", Offer: "o", Reason: search.SkipNotNamed}}
		keys, a := m.shown(search.Request{Query: "granite", Limit: 10})
		if !slices.Equal(keys, []string{"vendor0"}) || !slices.Equal(m.opened, []string{"vendor"}) || !slices.Equal(a.Bill.Skipped, m.skipped) {
			t.Errorf("showed %q of %q, skipped %v", keys, m.opened, a.Bill.Skipped)
		}
		m.opened = nil
		keys, a = m.shown(search.Request{Query: "granite", Limit: 10, Stores: []string{"seller"}})
		if len(keys) != 0 || m.opened != nil || !slices.Equal(a.Bill.Skipped, m.skipped) {
			t.Errorf("showed %q of %q, skipped %v", keys, m.opened, a.Bill.Skipped)
		}
		m.refuse = &search.CapError{Store: "seller", Cap: "searches_per_hour", RetryAfter: time.Minute}
		if a, err := m.Search(background, m.reader, search.Request{Query: "granite", Limit: 10}); !errors.Is(err, m.refuse) || len(a.Hits) > 0 {
			t.Errorf("%d hits, %v", len(a.Hits), err)
		}
	})
}

// The nearest of the reader's own entries do not reveal whether a store has an entry that
// answers the question, unless the answer shows that entry.
func TestNearestRevealsNothingThatIsNotShown(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		m := openMarket(t, b)
		m.fill("seller", 2, "a granite quarry")
		m.fill("vendor", 2, "a paper lantern")
		m.PutText(m.reader, "reader", "own", "The harbour crane is painted green.", 201)
		m.PutText(agent("reader", acl.Public), "reader", "other", "The train leaves on Thursday.", 201)
		r := search.Request{Query: "granite quarry", Limit: 10, Nearest: 3, NearestByDefault: true}
		answer := func(store string) (hits []string, said string) {
			r.Stores = []string{"reader", store}
			hits, a := m.shown(r)
			for _, n := range a.Nearest {
				said += n.Entry.Key + " "
			}
			return hits, fmt.Sprint(said, a.Label, a.Incomplete)
		}
		m.Index()
		best := m.MustSearch(m.reader, search.Request{Query: "granite quarry", Stores: []string{"seller"}}).Hits[0].Relevance
		own := m.MustSearch(m.reader, search.Request{Query: "granite quarry", Stores: []string{"reader"}}).Hits[0].Relevance
		if r.MinRelevance = (best + own) / 2; own >= r.MinRelevance {
			t.Fatalf("best relevance: the seller's %v, the reader's own %v", best, own)
		}
		m.hits["seller"], m.hits["vendor"] = 0, 0
		hits, there := answer("seller")
		if len(hits) != 0 || len(m.offered) != 2 || !strings.Contains(there, "own") {
			t.Errorf("showed %q of %q, and nearest %s", hits, m.offered, there)
		}
		_, absent := answer("vendor")
		if len(m.offered) != 0 || there != absent {
			t.Errorf("nearest %s with an entry that answers, and %s without one; offered %q", there, absent, m.offered)
		}
		r.Stores = nil
		m.leftOut = []string{"vendor"}
		if _, a := m.shown(r); len(a.Nearest) != 2 || a.Label != acl.Internal {
			t.Errorf("without named stores: %d nearest, label %v", len(a.Nearest), a.Label)
		}
		m.hits["seller"] = 1
		if hits, said := answer("seller"); !slices.Equal(hits, m.closed) || len(hits) != 1 || strings.Contains(said, "own") {
			t.Errorf("showed %q, and nearest %s", hits, said)
		}
	})
}

// A search without search-only stores writes nothing. A search that names none of them counts
// only if it shows a hit from one.
func TestASearchIsASaleOnlyIfAStoreIsNamedOrShown(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		m := openMarket(t, b)
		m.fill("seller", 2, "a granite quarry")
		m.fill("reader", 2, "a paper lantern")
		m.Index()
		other := agent("other", acl.Internal)
		for _, c := range []struct {
			caller memory.Caller
			r      search.Request
			opened []string
		}{
			{m.reader, search.Request{Query: "granite"}, []string{"seller"}},
			{m.reader, search.Request{Query: "xyzzy", MinRelevance: 1}, nil},
			{m.reader, search.Request{Query: "xyzzy", MinRelevance: 1, Stores: []string{"vendor", "reader"}}, []string{"vendor"}},
			{m.reader, search.Request{Query: "lantern", Stores: []string{"reader"}}, nil},
			{m.reader, search.Request{Query: "granite", Mode: search.ModeLexical}, nil},
			{other, search.Request{Query: "granite"}, nil},
		} {
			m.opened, m.writes, c.r.Limit = nil, 0, 10
			a, err := m.Search(background, c.caller, c.r)
			if err != nil || !slices.Equal(m.opened, c.opened) || m.writes != len(c.opened) || len(a.Bill.Charges) != len(c.opened) {
				t.Errorf("%q of %q: sold in %q by %d writes, %v", c.r.Query, c.r.Stores, m.opened, m.writes, err)
			}
		}
	})
}

func TestASaleThatFailsShowsNothing(t *testing.T) {
	m := openMarket(t, backendtest.Embedded())
	m.fill("seller", 2, "a granite quarry")
	m.fill("reader", 2, "a granite wall")
	m.close = search.ErrFenced
	if a, err := m.Search(background, m.reader, search.Request{Query: "granite", Limit: 10}); !errors.Is(err, m.close) || len(a.Hits) > 0 || m.sold != 0 {
		t.Errorf("%d hits, %v, %d sales", len(a.Hits), err, m.sold)
	}
}

// The transaction of a sale checks access again.
func TestASaleChecksAccessAgain(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		m := openMarket(t, b)
		m.fill("seller", 2, "a granite quarry")
		m.fill("vendor", 2, "a granite bridge")
		m.fill("reader", 2, "a granite wall")
		m.Index()
		seller := agent("seller", acl.Internal)
		// Write in another process: in this one the write would wait for the sale.
		other := openOver(t, m.data, backendtest.Options{})
		ends := func() { must(m.harness, other.Unshare(background, seller, "seller", "reader")) }

		m.before = func() {
			must(m.harness, other.Delete(background, seller, path("seller", "seller0"), memory.Preconditions{}))
		}
		if keys, _ := m.shown(search.Request{Query: "granite", Limit: 10}); slices.Contains(keys, "seller0") || !slices.Contains(keys, "seller1") {
			t.Errorf("showed %q after seller0 was deleted", keys)
		}
		m.before = ends
		if keys, _ := m.shown(search.Request{Query: "granite", Limit: 10}); slices.Contains(keys, "seller1") || len(keys) != 4 || slices.Contains(m.opened, "seller") {
			t.Errorf("showed %q of %q after the grant ended", keys, m.opened)
		}
		m.MustShare(seller, "reader", acl.Search)
		m.opened, m.before = nil, ends
		_, err := m.Search(background, m.reader, search.Request{Query: "granite", Limit: 10, Stores: []string{"seller", "vendor"}})
		if m.WantStatus(err, 403); m.opened != nil {
			t.Errorf("sold in %q", m.opened)
		}
	})
}

// A hit that does not fit into max_tokens is not charged. A charged hit still fits if other
// hits have grown since.
func TestSoldHitsFitTheBudget(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		m := openMarket(t, b)
		text := strings.Repeat("a granite quarry by the river ", 12) // 90 tokens
		m.fill("seller", 4, text)
		m.fill("reader", 4, text)
		for most := 50; most < 900; most += 93 {
			for _, passages := range []bool{false, true} {
				r := search.Request{Query: "granite quarry", Limit: 10, MaxTokens: most, Passages: passages}
				keys, a := m.shown(r)
				if !slices.Equal(keys, m.closed) || a.read.Tokens() > most || len(keys) == 0 || a.read.LeftOut() != 8-len(keys) && len(m.soldKeys()) == 4 {
					t.Errorf("%d tokens: showed %q in %d, sold %q, left out %d", most, keys, a.read.Tokens(), m.closed, a.read.LeftOut())
				}
			}
		}
		// The other hits grow.
		r := search.Request{Query: "granite quarry", Limit: 10, MaxTokens: 900}
		keys, a := m.shown(r, func() {
			for i := range 4 {
				m.PutText(m.reader, "reader", fmt.Sprint("reader", i), text+text+text, 200)
			}
		})
		for _, key := range m.soldKeys() {
			if !slices.Contains(keys, key) {
				t.Errorf("%s was sold, and %q shown", key, keys)
			}
		}
		if a.read.Tokens() > 900 || len(keys) == len(m.closed) {
			t.Errorf("%d tokens, showed %q of %q", a.read.Tokens(), keys, m.closed)
		}
	})
}

// An entry that does not fit into max_tokens ends the hits of its own store, but is not
// bought and uses no tokens that hits of other stores need.
func TestAnEntryThatDoesNotFitEndsOnlyItsOwnStore(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		m := openMarket(t, b)
		long := "a granite quarry" + strings.Repeat(" and nothing more of note", 15) // 98 tokens
		write := func(store, key, value string) { m.PutText(agent(store, acl.Internal), store, key, value, 201) }
		write("seller", "best", "granite quarry river")
		write("seller", "long", long)
		write("vendor", "short", "a granite wall, and much else that nobody asked for")
		write("reader", "own", "granite is found in the hills behind the house")
		r := search.Request{Query: "granite quarry river", Limit: 10}
		if keys, _ := m.shown(r); !slices.Equal(keys[:2], []string{"best", "long"}) || len(keys) != 4 {
			t.Fatalf("showed %q in this order", keys)
		}
		r.MaxTokens = 60
		keys, _ := m.shown(r)
		slices.Sort(keys)
		if want := []string{"[own]", "best", "short"}; !slices.Equal(keys, want) {
			t.Errorf("showed %q, want %q", keys, want)
		}
		if len(m.taken) != 2 {
			t.Errorf("took %d entries from the sale, and sold %q", len(m.taken), m.soldKeys())
		}
	})
}

// The pages after a page with sold hits have each of the other hits once.
func TestPagesAfterASaleHaveTheRemainingHits(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		m := openMarket(t, b)
		m.fill("seller", 5, "a granite quarry")
		m.fill("reader", 9, "a granite wall")
		m.hits["seller"] = 2
		m.Index()
		for _, tokens := range []int{0, 60} {
			seen := make(map[string]int)
			for _, hit := range m.pages(m.reader, search.Request{Query: "granite", Limit: 4, MaxTokens: tokens}, func() {}) {
				seen[hit.Key]++
			}
			own := 0
			for key, n := range seen {
				if n != 1 {
					t.Errorf("%s is on %d pages", key, n)
				}
				if strings.HasPrefix(key, "reader") {
					own++
				}
			}
			if own != 9 || len(seen) > 11 {
				t.Errorf("with %d tokens the pages have %v", tokens, seen)
			}
		}
	})
}

// The sold values of an answer are no larger than ten values of the maximum size.
func TestASaleIsBoundedInBytes(t *testing.T) {
	m := openMarket(t, backendtest.Embedded())
	value := "granite " + strings.Repeat("x", 90_000)
	m.fill("seller", 7, value)
	m.fill("vendor", 7, value)
	if keys, _ := m.shown(search.Request{Query: "granite", Limit: 20}); len(keys) < 10 || len(keys) > 11 {
		t.Errorf("showed %d hits", len(keys))
	}
}

func TestOnlyGrantsOfLevelSearchHaveCaps(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		owner := agent("owner", acl.Public)
		for _, c := range []struct {
			level acl.Level
			caps  acl.Caps
			want  int
		}{
			{acl.Search, acl.Caps{SearchesPerHour: 5, EntriesPerDay: 7}, 200},
			{acl.Search, acl.Caps{SearchesPerHour: 1_000_000_000}, 200},
			{acl.Search, acl.Caps{}, 200},
			{acl.Search, acl.Caps{SearchesPerHour: -1}, 422},
			{acl.Search, acl.Caps{EntriesPerDay: 1_000_000_001}, 422},
			{acl.Read, acl.Caps{SearchesPerHour: 5}, 422},
			{acl.None, acl.Caps{EntriesPerDay: 5}, 422},
			{acl.ReadWrite, acl.Caps{}, 200},
		} {
			grant, err := h.Share(background, owner, memory.ShareRequest{Store: "owner", Grantee: "friend", Level: c.level, Caps: c.caps})
			if h.WantStatus(err, c.want); err == nil && grant.Caps != c.caps {
				t.Errorf("the grant has caps %+v, want %+v", grant.Caps, c.caps)
			}
		}
	})
}
