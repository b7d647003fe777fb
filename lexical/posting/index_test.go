package posting_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/lexical/posting"
)

// packedTable stores packed blocks.
type packedTable struct{ table }

func (t packedTable) Find(_ context.Context, list posting.List, doc int64, read func(int64, []byte) error) error {
	start, found := int64(0), false
	for key := range t.table {
		if key.List == list && key.start <= doc && (!found || key.start > start) {
			start, found = key.start, true
		}
	}
	if !found {
		return nil
	}
	return read(start, t.table[tableKey{list, start}])
}

func (t packedTable) NextStart(_ context.Context, list posting.List, doc int64) (start int64, found bool, err error) {
	for key := range t.table {
		if key.List == list && key.start > doc && (!found || key.start < start) {
			start, found = key.start, true
		}
	}
	return start, found, nil
}

func (t packedTable) Insert(_ context.Context, b posting.Block) error {
	key := tableKey{b.List, b.Start}
	if t.table[key] != nil {
		return fmt.Errorf("block %v exists", key)
	}
	t.table[key] = b.Data
	return nil
}

func (t packedTable) Update(_ context.Context, b posting.Block) error {
	key := tableKey{b.List, b.Start}
	if t.table[key] == nil {
		return fmt.Errorf("block %v does not exist", key)
	}
	t.table[key] = b.Data
	return nil
}

func (t packedTable) Delete(_ context.Context, list posting.List, start int64) error {
	delete(t.table, tableKey{list, start})
	return nil
}

// index is a small storage with forward documents, totals and blocks of one
// layout.
type index struct {
	layout    posting.Layout
	documents map[posting.DocKey]*posting.Document
	totals    map[posting.List]posting.Total // keys have no Term
	blocks    table
	flush     func() ([]posting.Total, error)
	replace   func(from, to *posting.Document) (bool, error)
	created   func(doc int64)
}

func newPacked(ctx context.Context) *index {
	x := &index{layout: posting.Packed, blocks: table{}}
	w := posting.NewPackedWriter()
	x.flush = func() ([]posting.Total, error) {
		defer func() { w = posting.NewPackedWriter() }()
		return w.TakeTotals(), w.Flush(ctx, packedTable{x.blocks})
	}
	x.replace = func(from, to *posting.Document) (bool, error) { return w.Replace(from, to) }
	x.created = func(doc int64) { w.Created(doc) }
	return x.empty()
}

func newAligned(ctx context.Context) *index {
	x := &index{layout: posting.Aligned, blocks: table{}, created: func(int64) {}}
	w := posting.NewAlignedWriter()
	x.flush = func() ([]posting.Total, error) { return w.TakeTotals(), w.Flush(ctx, x.blocks) }
	x.replace = w.Replace
	return x.empty()
}

func (x *index) empty() *index {
	x.documents, x.totals = make(map[posting.DocKey]*posting.Document), make(map[posting.List]posting.Total)
	return x
}

// set indexes a document, or removes it if text is nil.
func (x *index) set(key posting.DocKey, label acl.Label, text *string) error {
	var next *posting.Document
	if text != nil {
		words := lexical.Analyze(*text)
		next = &posting.Document{DocKey: key, Label: label, Length: words.Length, Terms: x.layout.EncodeTerms(words.Terms)}
	}
	if _, err := x.replace(x.documents[key], next); err != nil {
		return err
	}
	if delete(x.documents, key); next != nil {
		x.documents[key] = next
	}
	return nil
}

func (x *index) commit() error {
	totals, err := x.flush()
	for _, t := range totals {
		key := posting.List{Store: t.Store, Label: t.Label}
		sum := x.totals[key]
		x.totals[key] = posting.Total{Documents: sum.Documents + t.Documents, Length: sum.Length + t.Length}
	}
	return err
}

// rank evaluates a query over all stores up to a label, without the expired
// documents. It adds the blocks in the given order.
func (x *index) rank(ctx context.Context, terms []lexical.QueryTerm, ceiling acl.Label, expired []posting.DocKey, limit int, order func(a, b tableKey) int) ([]posting.Scored, error) {
	e := posting.NewEvaluation(x.layout, terms)
	defer e.Close()
	for key, t := range x.totals {
		if key.Label <= ceiling {
			e.AddTotal(t.Documents, t.Length)
		}
	}
	for _, key := range expired {
		if d := x.documents[key]; d != nil && d.Label <= ceiling {
			e.Expire(key, int64(d.Length))
		}
	}
	keys := e.TermKeys()
	for _, key := range slices.SortedFunc(maps.Keys(x.blocks), order) {
		if i := slices.Index(keys, key.Term); i >= 0 && key.Label <= ceiling {
			if err := e.AddBlock(key.Store, i, key.start, x.blocks[key]); err != nil {
				return nil, err
			}
		}
	}
	return e.Rank(ctx, limit)
}

// byKey is the order of a primary key.
func byKey(a, b tableKey) int {
	return cmp.Or(cmp.Compare(a.Store, b.Store), strings.Compare(a.Term, b.Term), cmp.Compare(a.Label, b.Label), cmp.Compare(a.start, b.start))
}

func TestBothLayoutsRankLikeTheReference(t *testing.T) {
	words := strings.Fields("alpha beta gamma delta epsilon zeta eta theta")
	type document struct {
		label acl.Label
		text  string
	}
	rapid.Check(t, func(r *rapid.T) {
		ctx := t.Context()
		indexes := []*index{newPacked(ctx), newAligned(ctx)}
		documents := make(map[posting.DocKey]document)
		last := int64(0)
		for range rapid.IntRange(1, 8).Draw(r, "transactions") {
			for range rapid.IntRange(1, 30).Draw(r, "changes") {
				var key posting.DocKey
				if len(documents) > 0 && rapid.Bool().Draw(r, "existing") {
					keys := slices.SortedFunc(maps.Keys(documents), func(a, b posting.DocKey) int { return cmp.Compare(a.Doc, b.Doc) })
					key = rapid.SampledFrom(keys).Draw(r, "doc")
				} else {
					last += rapid.Int64Range(1, 700).Draw(r, "gap")
					key = posting.DocKey{Store: rapid.Int64Range(1, 2).Draw(r, "store"), Doc: last}
					for _, x := range indexes {
						x.created(last)
					}
				}
				d := document{
					label: rapid.SampledFrom([]acl.Label{acl.Public, acl.Internal}).Draw(r, "label"),
					text:  strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(r, "words"), " "),
				}
				text := &d.text
				if documents[key] = d; rapid.IntRange(0, 4).Draw(r, "removed") == 0 {
					delete(documents, key)
					text = nil
				}
				for _, x := range indexes {
					if err := x.set(key, d.label, text); err != nil {
						r.Fatal(err)
					}
				}
			}
			for _, x := range indexes {
				if err := x.commit(); err != nil {
					r.Fatal(err)
				}
			}
		}
		var expired []posting.DocKey
		for key := range documents {
			if key.Doc%5 == 0 {
				expired = append(expired, key)
			}
		}
		terms := lexical.ParseQuery(strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 5).Draw(r, "query"), " "))
		for i := 1; i < len(terms) && rapid.Bool().Draw(r, "variant"); i++ { // variants of the first term: only the largest score counts
			terms[i].For, terms[i].Variant = terms[0].Text, true
			terms[i].Share = rapid.SampledFrom([]float64{1, 0.5}).Draw(r, "share")
		}
		ceiling := rapid.SampledFrom([]acl.Label{acl.Public, acl.Internal}).Draw(r, "ceiling")
		limit := rapid.IntRange(1, 20).Draw(r, "limit")

		// The reference scores every document of the scope.
		var stats lexical.Stats
		df := make([]int64, len(terms))
		found := make(map[posting.DocKey]lexical.Document)
		for key, d := range documents {
			if d.label > ceiling || slices.Contains(expired, key) {
				continue
			}
			doc := lexical.Analyze(d.text)
			found[key] = doc
			stats.Documents++
			stats.Length += int64(doc.Length)
			for i, q := range terms {
				if slices.ContainsFunc(doc.Terms, func(t lexical.Term) bool { return t.Text == q.Text }) {
					df[i]++
				}
			}
		}
		scorer := lexical.NewScorer(stats, terms, df)
		var want []posting.Scored
		for key, doc := range found {
			counts := make([]int, len(terms))
			for i, q := range terms {
				for _, term := range doc.Terms {
					if term.Text == q.Text {
						counts[i] = term.Count
					}
				}
			}
			s := posting.Scored{DocKey: key, Score: scorer.Score(counts, doc.Length)}
			if s.Score > 0 {
				want = append(want, s)
			}
		}
		slices.SortFunc(want, func(a, b posting.Scored) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Store, b.Store), cmp.Compare(a.Doc, b.Doc))
		})
		end := min(limit, len(want))
		for end > 0 && end < len(want) && want[end].Score == want[end-1].Score {
			end++
		}
		want = want[:end]

		backwards := func(a, b tableKey) int { return byKey(b, a) }
		for i, x := range indexes {
			for j, order := range []func(a, b tableKey) int{byKey, backwards} {
				got, err := x.rank(ctx, terms, ceiling, expired, limit, order)
				if err != nil || !slices.Equal(got, want) {
					r.Fatalf("layout %d, order %d: got %v, want %v: %v", i, j, got, want, err)
				}
			}
		}
		for _, x := range indexes { // removing all documents leaves no blocks and totals
			for key := range documents {
				if err := x.set(key, 0, nil); err != nil {
					r.Fatal(err)
				}
			}
			if err := x.commit(); err != nil || len(x.blocks) > 0 {
				r.Fatalf("%d blocks are left: %v", len(x.blocks), err)
			}
			for key, sum := range x.totals {
				if sum != (posting.Total{}) {
					r.Fatalf("%v: a total of %v is left", key, sum)
				}
			}
		}
	})
}

func TestRestrictLimitsTheResultAndNotTheCounts(t *testing.T) {
	ctx := t.Context()
	x := newAligned(ctx)
	for doc, text := range []string{"needle", "needle hay", "hay"} {
		if err := x.set(posting.DocKey{Store: 1, Doc: int64(doc)}, acl.Public, &text); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.commit(); err != nil {
		t.Fatal(err)
	}
	terms := lexical.ParseQuery("needle")
	all, err := x.rank(ctx, terms, acl.Public, nil, 10, byKey)
	if err != nil || len(all) != 2 {
		t.Fatalf("%v %v", all, err)
	}
	for _, docs := range [][]posting.DocKey{nil, {all[1].DocKey}} {
		e := posting.NewEvaluation(x.layout, terms)
		e.AddTotal(3, 4)
		e.Restrict(docs)
		if err := e.AddBlock(1, 0, 0, x.blocks[tableKey{posting.List{Store: 1, Term: e.TermKeys()[0], Label: acl.Public}, 0}]); err != nil {
			t.Fatal(err)
		}
		got, err := e.Rank(ctx, 10)
		e.Close()
		if err != nil || !slices.Equal(got, all[2-len(docs):]) {
			t.Errorf("restricted to %v: %v %v, of %v", docs, got, err, all)
		}
	}
}

func BenchmarkEvaluation(b *testing.B) {
	ctx := b.Context()
	terms := lexical.ParseQuery("alpha beta gamma")
	for name, x := range map[string]*index{"packed": newPacked(ctx), "aligned": newAligned(ctx)} {
		for doc := range int64(20_000) {
			text := "alpha"
			if doc%3 == 0 {
				text += " beta"
			}
			if doc%100 == 0 {
				text += " gamma gamma"
			}
			x.created(doc)
			if err := x.set(posting.DocKey{Store: 1, Doc: doc}, acl.Public, &text); err != nil {
				b.Fatal(err)
			}
		}
		if err := x.commit(); err != nil {
			b.Fatal(err)
		}
		keys := slices.SortedFunc(maps.Keys(x.blocks), byKey)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e := posting.NewEvaluation(x.layout, terms)
				e.AddTotal(20_000, 30_000)
				texts := e.TermKeys()
				for _, key := range keys {
					if err := e.AddBlock(1, slices.Index(texts, key.Term), key.start, x.blocks[key]); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := e.Rank(ctx, 200); err != nil {
					b.Fatal(err)
				}
				e.Close()
			}
		})
	}
}
