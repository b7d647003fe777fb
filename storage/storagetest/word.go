package storagetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/condition"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/size"
)

// wordMatches are the clauses of Matching with Filter.Match.
var wordMatches = []clause{
	{"Match finds the rows that its definition finds, for random texts and matches", func(f *fixture) {
		r := rand.New(rand.NewPCG(33, 33))
		var entries []memory.Entry
		for i := range 120 {
			entries = append(entries, randomText(r, []string{"a", "b", "c"}[i%3], fmt.Sprint(i)))
		}
		f.put(entries...)
		for i := range entries {
			switch r.IntN(6) {
			case 0:
				entries[i] = edited(entries[i], says(randomWords(r)))
			case 1:
				entries[i] = changed(entries[i], deletedAt(start))
			default:
				continue
			}
			f.put(entries[i])
		}
		matches := size.Of(150, 400)
		if testing.Short() {
			matches = 100
		}
		for range matches {
			m := randomMatch(r)
			if m == nil {
				continue
			}
			filter := memory.Filter{Match: m}
			switch r.IntN(4) {
			case 0:
				filter.Tags = []string{"red"}
			case 1:
				filter.Where = condition.Compare(condition.Key, condition.Prefix, condition.Text("1"))
			}
			scope := []reach{{"a", acl.Confidential}, {"b", acl.Public}}[:1+r.IntN(2)]
			f.judges(entries, scope, filter)
		}
	}},

	{"Match is judged by the present text of searchable, undeleted entries of the scope", func(f *fixture) {
		e := entry("a", "some-key", says("alpha beta"), tagged("green tag"), func(e *memory.Entry) { e.Description = "a description" })
		old, high := entry("a", "old", says("alpha"), expiring(start)), entry("a", "high", says("alpha"), labelled(acl.Restricted))
		f.put(e, old, high, entry("b", "other", says("alpha")), entry("a", "hidden", says("alpha"), outOfContext), entry("a", "sealed", says("alpha"), encrypted))
		scope := f.scope(reach{"a", acl.Public})
		alpha, beta := matching("alpha"), matching("beta")
		for _, words := range []string{"alpha beta", "some key", "description", "green tag", "gre*"} {
			f.match(scope, matching(words), e.ID)
		}
		f.match(scope, matching("beta some"))
		f.match(scope, alpha, e.ID, old.ID)
		f.match(scope, memory.Filter{Match: newMatch(nil, nil, []string{"beta"})}, old.ID)
		f.match(f.scope(reach{"a", acl.Restricted}), alpha, e.ID, old.ID, high.ID)
		f.match(acl.Scope{}, alpha)
		f.put(edited(e, says("gamma")))
		f.match(scope, beta)
		f.match(scope, matching("gamma description"))
		f.match(scope, matching("gamma"), e.ID)
		e = edited(edited(e), says("delta"), deletedAt(start))
		f.put(e)
		f.match(scope, matching("delta"))
		f.put(changed(e, restored))
		f.match(scope, matching("delta"), e.ID)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(old), after(time.Minute)) })
		f.match(scope, alpha)
		moved := changed(high, func(e *memory.Entry) { e.Store, e.Label = "b", acl.Public })
		f.put(moved)
		f.match(f.scope(reach{"a", acl.Restricted}), alpha)
		f.put(entry("empty", "hidden", says("alpha"), outOfContext)) // a store without searchable entries
		f.match(f.scope(reach{"empty", acl.Restricted}), alpha)
		f.match(f.scope(reach{"empty", acl.Restricted}), matching("alpha beta"))
	}},

	{"Match of given ids judges these, and more is true beyond the limit", func(f *fixture) {
		var all []memory.Entry
		for i := range 8 {
			all = append(all, entry("a", fmt.Sprint(i), says([]string{"red house", "house red"}[i%2])))
		}
		f.put(all...)
		scope := f.scope(reach{"a", acl.Public})
		for name, filter := range map[string]memory.Filter{"word": matching("house"), "phrase": matching("red house"), "none": {Match: newMatch(nil, nil, []string{"blue house"})}} {
			matched := map[string]int{"word": 8, "phrase": 4, "none": 8}[name]
			f.view(func(tx memory.ReadTx) error {
				ids, more, err := tx.Matching(f.ctx, scope, filter, nil, matched)
				f.ok(err)
				f.equal([]any{len(ids), more}, []any{matched, false})
				ids, more, err = tx.Matching(f.ctx, scope, filter, nil, matched-1)
				f.ok(err)
				f.equal([]any{len(ids), more}, []any{0, true})
				ids, more, err = tx.Matching(f.ctx, scope, filter, idsOf(all[:4]...), 4)
				f.ok(err)
				f.equal([]any{len(ids), more}, []any{min(4, matched/2), false})
				_, more, err = tx.Matching(f.ctx, scope, filter, idsOf(all[:4]...), 1)
				f.equal(more, true)
				return err
			})
		}
	}},

	{"a long text is matched as a whole", func(f *fixture) {
		if testing.Short() {
			f.Skip("writes a long text")
		}
		var text strings.Builder
		words := size.Of(20_000, 130_000) // more than a tsvector holds
		for i := range words {
			fmt.Fprintf(&text, "word%dx%d ", i, i%7)
		}
		long, short := entry("a", "long", says(text.String()+"needle in the end")), entry("a", "short", says("needle"))
		f.put(long, short)
		scope := f.scope(reach{"a", acl.Public})
		f.match(scope, matching("needle"), long.ID, short.ID)
		f.match(scope, matching(fmt.Sprintf("word%dx*", words-1)), long.ID)
		f.match(scope, matching("word0x0 word1x1"), long.ID)
		f.match(scope, matching("needle in the end"), long.ID)
		f.match(scope, memory.Filter{Match: newMatch([]string{"needle"}, nil, []string{"end"})}, short.ID)
		f.match(scope, memory.Filter{Match: newMatch(nil, nil, []string{"end"})}, short.ID)
		f.put(edited(long, says("short again")))
		f.match(scope, matching("needle"), short.ID)
		f.match(scope, matching("again"), long.ID)
	}},

	{"a scope of many stores is matched completely", func(f *fixture) {
		f.large()
		var entries []memory.Entry
		var scope []reach
		for i := range size.Of(400, 1000) {
			store := fmt.Sprint("s", i)
			entries = append(entries, entry(store, "k", says(fmt.Sprint("shared words of number", i%10)), labelled(acl.Label(1+i%4))))
			scope = append(scope, reach{store, acl.Internal})
		}
		f.put(entries...)
		for _, item := range []string{"number3", "shared words", "numb*"} {
			f.judges(entries, scope, matching(item))
		}
	}},

	{"filling gives every searchable, undeleted entry its terms and forms", func(f *fixture) {
		entries := []memory.Entry{entry("a", "1", says("alpha")), entry("b", "2", says("alpha"), labelled(acl.Restricted)),
			entry("a", "3", says("alpha"), encrypted), entry("a", "4", says("alpha"), outOfContext), entry("a", "5", says("alpha"), deletedAt(start))}
		f.update(func(tx memory.Tx) error {
			for _, e := range entries {
				doc := words(e)
				doc.Forms = []string{"outdated"}
				doc.Terms = []lexical.Term{{Text: "outdated", Count: 1}}
				if err := tx.Put(f.ctx, e, doc); err != nil {
					return err
				}
			}
			return nil
		})
		var found []uuid.UUID
		for batch := []memory.Entry{{}}; len(batch) > 0; {
			f.update(func(tx memory.Tx) (err error) {
				batch, err = tx.Searchable(f.ctx, batch[len(batch)-1].ID, 1)
				for _, e := range batch {
					found = append(found, e.ID)
					err = errors.Join(err, tx.PutDocument(f.ctx, e, words(e), time.Time{}))
				}
				return err
			})
		}
		f.equal(found, sorted(idsOf(entries[0], entries[1])))
		scope := f.scope(reach{"a", acl.Restricted}, reach{"b", acl.Restricted})
		f.match(scope, matching("alpha"), entries[0].ID, entries[1].ID)
		f.match(scope, matching("outdated"))
		f.equal(len(f.search(scope, "alpha", 10)), 2)
		f.equal(len(f.search(scope, "outdated", 10)), 0)
	}},
}

// judges checks that Matching finds the entries of a scope that pass the filter by its
// definition, Judge: among all entries and among some that are given by ID.
func (f *fixture) judges(entries []memory.Entry, reaches []reach, filter memory.Filter) {
	f.Helper()
	judge := filter.Judge()
	var all, given, someOf []uuid.UUID
	for i := range entries {
		e := &entries[i]
		within := slices.ContainsFunc(reaches, func(r reach) bool { return r.store == e.Store && e.Label.CanFlowTo(r.ceiling) })
		fits := within && e.Searchable() && e.DeletedAt.IsZero() && judge(e)
		if fits {
			all = append(all, e.ID)
		}
		if i%2 == 0 {
			given = append(given, e.ID)
			if fits {
				someOf = append(someOf, e.ID)
			}
		}
	}
	scope := f.scope(reaches...)
	f.view(func(tx memory.ReadTx) error {
		for _, c := range []struct{ ids, want []uuid.UUID }{{nil, all}, {given, someOf}} {
			got, _, err := tx.Matching(f.ctx, scope, filter, c.ids, len(entries))
			f.ok(err)
			if !slices.Equal(sorted(got), sorted(c.want)) {
				f.Errorf("match %s: %d rows, want %d", asJSON(filter.Match), len(got), len(c.want))
			}
		}
		return nil
	})
}

func newMatch(all, either, none []string) *lexical.Match {
	m, err := lexical.ParseMatch(all, either, none)
	if err != nil {
		panic(err)
	}
	return m
}

// matching returns the filter for entries that match an item.
func matching(item string) memory.Filter {
	return memory.Filter{Match: newMatch([]string{item}, nil, nil)}
}

// vocabulary has words of several scripts, compounds, stop words and punctuation.
var vocabulary = strings.Fields(`to be or not the adrenaline pen pens peas running ran e-mail email mail build_status buildStatus build status
	getUserName user-name iPhone don't O'Brien l'homme 3.14 1,000 v1.2.3 1.2.3 C++ C# U.S. Straße café ёлка елки المكتبات विद्यार्थी שלום
	東京 東京都 京都 カタカナ 한국어 한국어를 ภาษา ภาษาไทย ไทย 🎉 🇩🇪 , — . (x) "y" \ ' * & | ! : § a_b-c`)

func randomWords(r *rand.Rand) string {
	var text strings.Builder
	for range 1 + r.IntN(12) {
		text.WriteString(vocabulary[r.IntN(len(vocabulary))])
		text.WriteString([]string{" ", " ", " ", "", ", ", "\n"}[r.IntN(6)])
	}
	return text.String()
}

func randomText(r *rand.Rand, store, key string) memory.Entry {
	e := entry(store, key, says(randomWords(r)), labelled(acl.Label(1+r.IntN(4))))
	if r.IntN(2) == 0 {
		e.Description = randomWords(r)
	}
	if r.IntN(2) == 0 {
		e.Tags = []string{"red"}
	}
	e.InContext, e.Encrypted = r.IntN(12) > 0, r.IntN(12) == 0
	return e
}

// randomMatch returns a match, or nil if the drawn one is invalid.
func randomMatch(r *rand.Rand) *lexical.Match {
	var lists [3][]string
	for range 1 + r.IntN(4) {
		item := vocabulary[r.IntN(len(vocabulary))]
		switch r.IntN(4) {
		case 0:
			letters := []rune(item)
			item = string(letters[:1+r.IntN(len(letters))]) + "*"
		case 1, 2:
			for range r.IntN(3) {
				item += " " + vocabulary[r.IntN(len(vocabulary))]
			}
		}
		i := r.IntN(3)
		lists[i] = append(lists[i], item)
	}
	m, err := lexical.ParseMatch(lists[0], lists[1], lists[2])
	if err != nil {
		return nil
	}
	return m
}

// FuzzMatch checks that a storage finds what the definition of a match finds, for any text and
// items.
func FuzzMatch(f *testing.F, open func(t testing.TB) storage.Storage) {
	s := open(f)
	f.Cleanup(func() { _ = s.Close() })
	for _, seed := range [][4]string{{"to be, or not to be", "to be or", "pea*", "none"}, {"東京都 e-mail", "東京 email", "ภาษา*", "don't"}, {"a'b\\c \"d\"", "'b", "\\c", "d"},
		{"to be, or not to be", "to be2222222 or", "pea?", "non^"}} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, text, all, either, none string) {
		if strings.ContainsRune(text, 0) || len(text) > 1000 {
			return
		}
		entries := []memory.Entry{entry("fuzz", uuid.NewString(), says(text)), entry("fuzz", uuid.NewString(), says(text+" "+all))}
		fixture := &fixture{T: t, storage: s, ctx: t.Context()}
		fixture.put(entries...)
		for _, lists := range [][3][]string{{{all}, nil, nil}, {nil, {either, all}, nil}, {nil, nil, {none}}, {{all}, {either, none}, {none, either}}} {
			m, err := lexical.ParseMatch(lists[0], lists[1], lists[2])
			if err != nil {
				continue
			}
			fixture.judges(entries, []reach{{"fuzz", acl.Public}}, memory.Filter{Match: m})
		}
		fixture.delete(entries[0], start)
		fixture.delete(entries[1], start)
	})
}
