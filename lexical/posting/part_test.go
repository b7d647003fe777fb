package posting_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/lexical/posting"
)

// parts is an index whose transactions have parts, some of which are rolled back.
type parts struct {
	*index
	writer *posting.PackedWriter
}

func newParts() *parts {
	x := &index{layout: posting.Packed, blocks: table{}}
	return &parts{index: x.empty()}
}

// flush writes what the writer has collected.
func (p *parts) flush(ctx context.Context) error {
	p.index.flush = func() ([]posting.Total, error) {
		return p.writer.TakeTotals(), p.writer.Flush(ctx, packedTable{p.blocks})
	}
	return p.commit()
}

// part runs change as one part, and rolls it back unless commit is set.
func (p *parts) part(commit bool, change func() error) error {
	documents, totals, blocks, before := maps.Clone(p.documents), maps.Clone(p.totals), maps.Clone(p.blocks), p.writer
	p.writer = posting.NewPackedWriter()
	p.writer.Follow(before)
	p.replace = p.writer.Replace
	err := change()
	if commit {
		p.writer = p.writer.Collected()
	} else {
		p.documents, p.totals, p.blocks, p.writer = documents, totals, blocks, before
	}
	return err
}

// postings returns the postings of all lists that have some.
func (p *parts) postings() (map[posting.List][]posting.Posting, error) {
	lists := make(map[posting.List][]posting.Posting)
	for _, key := range slices.SortedFunc(maps.Keys(p.blocks), byKey) {
		var err error
		if lists[key.List], err = p.layout.DecodeBlock(lists[key.List], key.start, p.blocks[key]); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// The parts of a transaction collect the same changes as one writer, except those of the
// parts that are rolled back, wherever the writer flushes before the end.
func TestPartsOfATransactionAddUp(t *testing.T) {
	words := strings.Fields("alpha beta gamma delta")
	rapid.Check(t, func(r *rapid.T) {
		ctx := t.Context()
		got, want := newParts(), newParts()
		last := int64(0)
		for range rapid.IntRange(1, 4).Draw(r, "transactions") {
			got.writer, want.writer = posting.NewPackedWriter(), posting.NewPackedWriter()
			want.replace = want.writer.Replace
			for range rapid.IntRange(1, 6).Draw(r, "parts") {
				kept, newest := rapid.Bool().Draw(r, "kept"), last
				err := got.part(kept, func() error {
					for range rapid.IntRange(0, 8).Draw(r, "changes") {
						key := posting.DocKey{Store: 1, Doc: rapid.Int64Range(1, last+3).Draw(r, "doc")}
						if key.Doc > last {
							last = key.Doc
							got.writer.Created(key.Doc)
							if kept {
								want.writer.Created(key.Doc)
							}
						}
						text := new(string)
						if *text = strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 5).Draw(r, "words"), " "); *text == "" {
							text = nil
						}
						if err := got.set(key, acl.Public, text); err != nil {
							return err
						}
						if kept {
							if err := want.set(key, acl.Public, text); err != nil {
								return err
							}
						}
						if rapid.IntRange(0, 9).Draw(r, "written before the end") == 0 {
							if err := got.flush(ctx); err != nil {
								return err
							}
						}
					}
					return nil
				})
				if err != nil {
					r.Fatal(err)
				}
				if !kept {
					last = newest // SQLite assigns them again
				}
			}
			for _, p := range []*parts{got, want} {
				if err := p.flush(ctx); err != nil {
					r.Fatal(err)
				}
			}
			a, err := got.postings()
			if err != nil {
				r.Fatal(err)
			}
			b, err := want.postings()
			if err != nil {
				r.Fatal(err)
			}
			if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(nonZero(got.totals), nonZero(want.totals)) {
				r.Fatalf("got %v, %v, want %v, %v", a, got.totals, b, want.totals)
			}
		}
	})
}

func nonZero(totals map[posting.List]posting.Total) map[posting.List]posting.Total {
	maps.DeleteFunc(totals, func(_ posting.List, t posting.Total) bool { return t == posting.Total{} })
	return totals
}
