package storagetest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// corpus returns entries of store a that the queries of these tests match.
func corpus() []memory.Entry {
	var entries []memory.Entry
	for i, words := range []string{
		"red apple", "green apple apple pie", "red house by the river", "a house and a garden with apple trees",
		"river boat", "none of these", "red red red", "apple", "garden of green trees by the red river",
	} {
		entries = append(entries, entry("a", fmt.Sprint("corpus/", i), says(words), labelled(acl.Label(1+i%2))))
	}
	return entries
}

var lexicals = []clause{
	{"scores are those of lexical.Scorer over the scope, summed in the order of the terms", func(f *fixture) {
		entries := corpus()
		f.put(entries...)
		elsewhere := entry("b", "k", says("green river house"))
		f.put(elsewhere)
		all := append(entries, elsewhere)
		for _, query := range []string{"red apple", "river", "the green house by the river with red apple trees", "zebra", "", "apple apple apple red"} {
			for _, scope := range [][]reach{{{"a", acl.Internal}}, {{"a", acl.Public}}, {{"a", acl.Internal}, {"b", acl.Public}}, {{"b", acl.Restricted}}, {{"none", acl.Public}}} {
				f.exact(f.search(f.scope(scope...), query, 100), reference(all, scope, query, 100))
			}
		}
	}},

	{"other stores, higher labels, hidden, encrypted, deleted, swept and expired entries change no score", func(f *fixture) {
		f.put(corpus()...)
		const query = "red apple by the green river"
		scope := f.scope(reach{"a", acl.Internal})
		before := f.search(scope, query, 100)
		var gone, old, swept []memory.Entry
		for i := range 40 {
			noise := says(fmt.Sprint("red apple apple green river boat number ", i))
			key := fmt.Sprint("noise/", i)
			f.put(entry("b", key, noise), entry("a", key, noise, labelled(acl.Confidential)),
				entry("a", key, noise, outOfContext), entry("a", key, noise, encrypted, ownedBy("b")))
			gone = append(gone, entry("a", key, noise, ownedBy("c")))
			old = append(old, entry("a", key, noise, ownedBy("d"), expiring(start), labelled(acl.Label(1+i%2))))
			swept = append(swept, entry("a", key, noise, ownedBy("e"), expiring(after(-time.Hour))))
		}
		f.put(gone...)
		f.put(old...)
		f.put(swept...)
		for _, e := range gone {
			f.delete(e, start)
		}
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(swept...), start) })
		f.exact(f.search(scope, query, 100), before)
		f.equal(len(f.search(f.scope(reach{"b", acl.Public}), query, 100)), 40)
	}},

	{"entries that have expired at Now do not count, later ones do", func(f *fixture) {
		f.put(entry("a", "1", says("needle"), expiring(after(time.Hour))), entry("a", "2", says("needle hay")))
		scope := f.scope(reach{"a", acl.Public})
		at := func(now time.Time) []lexical.Hit {
			return f.lexical(scope, memory.LexicalQuery{Terms: terms("needle"), Limit: 10, Now: now})
		}
		f.equal(len(at(after(time.Hour-time.Microsecond))), 2)
		f.equal(len(at(after(time.Hour))), 1)
	}},

	{"entries without words count as documents", func(f *fixture) {
		f.put(entry("a", "1", says("needle")))
		scope := f.scope(reach{"a", acl.Public})
		alone := f.search(scope, "needle", 10)[0].Score
		f.put(entry("a", "2", says("")))
		if f.search(scope, "needle", 10)[0].Score <= alone {
			f.Error("an entry without words does not count as a document")
		}
	}},

	{"the first Limit hits, and every further one that ties with the last, are returned", func(f *fixture) {
		var best, tied []memory.Entry
		for i := range 3 {
			best = append(best, entry("a", fmt.Sprint("best", i), says("needle needle needle")))
		}
		for i := range 20 {
			tied = append(tied, entry("a", fmt.Sprint("tied", i), says("needle in hay")))
		}
		f.put(tied...)
		f.put(best...)
		f.put(entry("a", "last", says("needle in a very large heap of hay with much else besides it")))
		scope := f.scope(reach{"a", acl.Public})
		for _, c := range []struct{ limit, want int }{{1, 3}, {3, 3}, {4, 23}, {23, 23}, {24, 24}, {100, 24}} {
			f.equal(len(f.search(scope, "needle", c.limit)), c.want)
		}
	}},

	{"Only restricts the hits and changes no score", func(f *fixture) {
		entries := corpus()
		f.put(entries...)
		scope := f.scope(reach{"a", acl.Internal})
		query := memory.LexicalQuery{Terms: terms("red apple river"), Limit: 100, Now: start}
		all := make(map[uuid.UUID]float64)
		for _, h := range f.lexical(scope, query) {
			all[h.Entry] = h.Score
		}
		query.Only = append(idsOf(entries[:4]...), uuid.Must(uuid.NewV7()))
		hits := f.lexical(scope, query)
		f.equal(len(hits), 4)
		for _, h := range hits {
			f.equal(math.Float64bits(h.Score), math.Float64bits(all[h.Entry]))
		}
		query.Limit = 1
		f.equal(len(f.lexical(scope, query)), 1)
		query.Only = []uuid.UUID{}
		f.equal(len(f.lexical(scope, query)), 0)
	}},

	{"Only adds no hits from outside the scope", func(f *fixture) {
		high, other := entry("a", "k", says("needle"), labelled(acl.Restricted)), entry("b", "k", says("needle"))
		f.put(high, other, entry("a", "low", says("needle")))
		hits := f.lexical(f.scope(reach{"a", acl.Public}), memory.LexicalQuery{Terms: terms("needle"), Limit: 10, Now: start, Only: idsOf(high, other)})
		f.equal(len(hits), 0)
	}},

	{"an empty scope finds nothing", func(f *fixture) {
		f.put(entry("a", "k", says("needle")))
		f.equal(len(f.search(acl.Scope{}, "needle", 10)), 0)
	}},

	{"edits, deletions and restores are visible immediately", func(f *fixture) {
		e := entry("a", "k", says("first words"))
		f.put(e)
		scope := f.scope(reach{"a", acl.Public})
		found := func(query string, want int) {
			f.Helper()
			f.equal(len(f.search(scope, query, 10)), want)
		}
		e = edited(e, says("second words and more of them"))
		f.put(e)
		found("first", 0)
		found("second", 1)
		f.exact(f.search(scope, "words", 10), reference([]memory.Entry{e}, []reach{{"a", acl.Public}}, "words", 10))
		e = f.delete(e, start)
		found("second", 0)
		f.put(changed(e, restored))
		found("second", 1)
	}},

	{"long posting lists stay correct after insertions, edits and deletions in the middle", func(f *fixture) {
		f.large()
		const n = 1500
		var entries []memory.Entry
		for i := range n {
			entries = append(entries, entry("a", fmt.Sprint(i), says(fmt.Sprintf("common word%d", i%7)), labelled(acl.Label(1+i%3))))
		}
		for i := 0; i < n; i += 100 {
			f.put(entries[i : i+100]...)
		}
		f.update(func(tx memory.Tx) error {
			for i := range entries {
				switch {
				case i%3 == 0:
					entries[i] = changed(entries[i], deletedAt(start))
				case i%5 == 0:
					entries[i] = edited(entries[i], says("common common and otherwise changed"))
				default:
					continue
				}
				if err := put(f.ctx, tx, entries[i]); err != nil {
					return err
				}
			}
			return nil
		})
		f.update(func(tx memory.Tx) error {
			for i := 0; i < n; i += 6 {
				entries[i] = edited(entries[i], restored, says("common again"))
				if err := put(f.ctx, tx, entries[i]); err != nil {
					return err
				}
			}
			return nil
		})
		scope := []reach{{"a", acl.Internal}}
		for _, query := range []string{"common", "again common word3"} {
			f.exact(f.search(f.scope(scope...), query, 50), reference(entries, scope, query, 50))
		}
	}},

	{"a scope of a thousand stores is searched completely", func(f *fixture) {
		f.large()
		var entries []memory.Entry
		var scope []reach
		for i := range 1000 {
			store := fmt.Sprint("s", i)
			entries = append(entries, entry(store, "k", says(fmt.Sprint("shared words of store", i%10))))
			scope = append(scope, reach{store, acl.Public})
		}
		f.put(entries...)
		f.exact(f.search(f.scope(scope...), "store shared words", 5), reference(entries, scope, "store shared words", 5))
	}},

	{"Terms counts the terms with a prefix in each store of the scope", func(f *fixture) {
		f.put(entry("a", "1", says("pea peas peak")), entry("a", "2", says("peas peel speak p\U0010ffff pez")),
			entry("a", "3", says("pear"), labelled(acl.Restricted)), entry("b", "4", says("peace peach pet pew")), entry("a", "5", says("perch"), encrypted))
		for _, c := range []struct {
			scope  []reach
			prefix string
			limit  int
			want   bool
		}{
			{[]reach{{"a", acl.Public}}, "pea", 2, true},
			{[]reach{{"a", acl.Public}}, "pea", 3, false},
			{[]reach{{"a", acl.Restricted}}, "pea", 3, true},
			{[]reach{{"a", acl.Public}, {"b", acl.Public}}, "pea", 3, false}, // neither has more than 3
			{[]reach{{"a", acl.Public}}, "pe", 4, true},
			{[]reach{{"a", acl.Public}}, "pe", 5, false},
			{[]reach{{"a", acl.Public}}, "p\U0010ffff", 0, true},
			{[]reach{{"a", acl.Public}}, "q", 0, false},
			{[]reach{{"a", acl.Public}}, "perch", 0, false},
			{[]reach{{"none", acl.Public}}, "pea", 0, false},
			{nil, "pea", 0, false},
		} {
			f.view(func(tx memory.ReadTx) error {
				many, err := tx.ManyTerms(f.ctx, f.scope(c.scope...), memory.TermQuery{Prefix: c.prefix, Now: start, Limit: c.limit})
				if many != c.want {
					f.Errorf("%v %q %d: %v", c.scope, c.prefix, c.limit, many)
				}
				return err
			})
		}
	}},

	{"Terms lists the terms with a prefix within the scope", func(f *fixture) {
		f.put(entry("a", "1", says("pea peas peak")), entry("a", "2", says("peas peel speak p\U0010ffff pez")),
			entry("a", "3", says("pear"), labelled(acl.Restricted)), entry("b", "4", says("peace peach pea pew")), entry("a", "5", says("perch"), encrypted))
		for _, c := range []struct {
			scope  []reach
			prefix string
			limit  int
			want   string
			more   bool
		}{
			{[]reach{{"a", acl.Public}}, "pea", 10, "pea peak peas", false},
			{[]reach{{"a", acl.Restricted}}, "pea", 10, "pea peak pear peas", false},
			{[]reach{{"a", acl.Public}, {"b", acl.Public}}, "pea", 10, "pea peace peach peak peas", false},
			{[]reach{{"a", acl.Public}, {"b", acl.Public}}, "pea", 6, "pea peace peach peak peas", false}, // both stores have pea
			{[]reach{{"a", acl.Public}, {"b", acl.Public}}, "pea", 5, "", true},
			{[]reach{{"a", acl.Public}}, "p", 5, "", true},
			{[]reach{{"a", acl.Public}}, "p\U0010ffff", 5, "p\U0010ffff", false},
			{[]reach{{"a", acl.Public}}, "q", 5, "", false},
			{[]reach{{"a", acl.Public}}, "perch", 5, "", false},
			{[]reach{{"none", acl.Public}}, "pea", 5, "", false},
			{nil, "pea", 5, "", false},
		} {
			f.view(func(tx memory.ReadTx) error {
				got, more, err := tx.Terms(f.ctx, f.scope(c.scope...), memory.TermQuery{Prefix: c.prefix, Now: start, Limit: c.limit})
				if strings.Join(got, " ") != c.want || more != c.more {
					f.Errorf("%v %q %d: %q, more %v", c.scope, c.prefix, c.limit, got, more)
				}
				return err
			})
		}
	}},

	{"Terms of expired entries alone are neither counted nor listed", func(f *fixture) {
		f.put(entry("a", "1", says("pea peas")), entry("a", "2", says("pea peak pear speak"), expiring(start)), entry("a", "3", says("peat"), expiring(after(time.Microsecond))),
			entry("a", "4", says("pear"), labelled(acl.Restricted)), entry("a", "5", says("pearl"), expiring(start), labelled(acl.Restricted)),
			entry("b", "6", says("pea peach"), expiring(start)), entry("b", "7", says("peak peace")), entry("c", "8", says("peak")))
		for _, c := range []struct {
			scope  []reach
			prefix string
			want   string
			listed int // the lowest limit with which Terms lists all
			most   int // the lowest limit that no single store exceeds
		}{
			{[]reach{{"a", acl.Public}}, "pea", "pea peas peat", 3, 3},
			{[]reach{{"a", acl.Restricted}}, "pea", "pea pear peas peat", 4, 4},
			{[]reach{{"b", acl.Public}}, "pea", "peace peak", 2, 2},
			{[]reach{{"a", acl.Public}, {"b", acl.Public}, {"c", acl.Public}}, "pea", "pea peace peak peas peat", 6, 3}, // two stores have peak
			{[]reach{{"b", acl.Public}}, "peach", "", 0, 0},
			{[]reach{{"a", acl.Restricted}}, "pearl", "", 0, 0},
		} {
			f.view(func(tx memory.ReadTx) error {
				for limit := range 8 {
					query := memory.TermQuery{Prefix: c.prefix, Now: start, Limit: limit}
					got, more, err := tx.Terms(f.ctx, f.scope(c.scope...), query)
					if err != nil {
						return err
					}
					want := c.want
					if limit < c.listed {
						want = ""
					}
					if strings.Join(got, " ") != want || more != (limit < c.listed) {
						f.Errorf("%v %q %d: %q, more %v", c.scope, c.prefix, limit, got, more)
					}
					if more, err = tx.ManyTerms(f.ctx, f.scope(c.scope...), query); err != nil {
						return err
					}
					if more != (limit < c.most) {
						f.Errorf("%v %q %d: more in one store: %v", c.scope, c.prefix, limit, more)
					}
				}
				return nil
			})
		}
		// A writing transaction lists the same terms, also after its own writes.
		f.update(func(tx memory.Tx) error {
			got, _, err := tx.Terms(f.ctx, f.scope(reach{"b", acl.Public}), memory.TermQuery{Prefix: "pea", Now: start, Limit: 9})
			f.equal(got, []string{"peace", "peak"})
			return err
		})
	}},

	{"any term is plain text", func(f *fixture) {
		odd := []string{"'", "\"", "O'Brien", "\"NEAR(x)\"", "--", "DROP", "%", "_", "*", "x*", "\\", "\\u0041", "[", "{}", "日本語", "ไทย", "ünïcode", "😀"}
		f.put(entry("a", "k", says(strings.Join(odd, " "))), entry("a", "k2", says("x u0041 NEAR A y")))
		scope := f.scope(reach{"a", acl.Public})
		for _, word := range odd {
			f.equal(len(f.search(scope, word, 10)), 1)
		}
		for _, word := range []string{"\u2028", "no\x00nul", "\xff", "OR", "ü", "日"} {
			f.equal(len(f.lexical(scope, memory.LexicalQuery{Terms: []lexical.QueryTerm{{Text: word, Weight: 1}}, Limit: 10, Now: start})), 0)
		}
	}},
}

// reference ranks every entry of the scope by the definition of the score, without an index.
func reference(entries []memory.Entry, scope []reach, text string, limit int) []lexical.Hit {
	hits, _ := rank(entries, func(e memory.Entry) bool {
		for _, r := range scope {
			if e.Store == r.store && e.Label.CanFlowTo(r.ceiling) {
				return e.Searchable() && e.Live(start)
			}
		}
		return false
	}, terms(text), limit)
	return hits
}

// rank returns the hits among the entries within a scope, and the scope's Scorer.
func rank(entries []memory.Entry, within func(memory.Entry) bool, query []lexical.QueryTerm, limit int) ([]lexical.Hit, *lexical.Scorer) {
	var stats lexical.Stats
	df := make([]int64, len(query))
	type candidate struct {
		id     uuid.UUID
		length int
		counts []int
	}
	var candidates []candidate
	for _, e := range entries {
		if !within(e) {
			continue
		}
		doc := words(e)
		stats.Documents++
		stats.Length += int64(doc.Length)
		c := candidate{id: e.ID, length: doc.Length, counts: countTerms(doc, query)}
		matched := false
		for i, count := range c.counts {
			if count > 0 {
				df[i]++
				matched = true
			}
		}
		if matched {
			candidates = append(candidates, c)
		}
	}
	scorer := lexical.NewScorer(stats, query, df)
	var hits []lexical.Hit
	for _, c := range candidates {
		score := 0.0
		for i, count := range c.counts {
			score += scorer.Term(i, count, c.length)
		}
		hits = append(hits, lexical.Hit{Entry: c.id, Score: score})
	}
	sortTies(hits)
	end := min(limit, len(hits))
	for end > 0 && end < len(hits) && hits[end].Score == hits[end-1].Score {
		end++
	}
	return hits[:end], scorer
}

// countTerms returns how often a document contains each term of a query.
func countTerms(doc lexical.Document, query []lexical.QueryTerm) []int {
	counts := make([]int, len(query))
	for i, q := range query {
		for _, t := range doc.Terms {
			if t.Text == q.Text {
				counts[i] = t.Count
			}
		}
	}
	return counts
}

// exact compares hits including the bits of their scores.
func (f *fixture) exact(got, want []lexical.Hit) {
	f.Helper()
	if len(got) != len(want) {
		f.Fatalf("%d hits, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].Entry != want[i].Entry || math.Float64bits(got[i].Score) != math.Float64bits(want[i].Score) {
			f.Fatalf("hit %d is %v, want %v", i, got[i], want[i])
		}
	}
}
