package fusion_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mneme/fusion"
)

// item is a candidate with its id.
type item[ID comparable] struct {
	ID ID
	fusion.Item
}

// rrf merges lists of ids.
func rrf[ID comparable](compare func(a, b ID) int, lists ...[]ID) []*item[ID] {
	byID, in := make(map[ID]*item[ID]), make([][]*item[ID], len(lists))
	for l, list := range lists {
		for _, id := range list {
			if byID[id] == nil {
				byID[id] = &item[ID]{ID: id}
			}
			in[l] = append(in[l], byID[id])
		}
	}
	itemOf := func(i *item[ID]) *fusion.Item { return &i.Item }
	return fusion.RRF(func(a, b *item[ID]) int { return compare(a.ID, b.ID) }, itemOf, in...)
}

func ids(items []*item[string]) string {
	var names []string
	for _, item := range items {
		names = append(names, item.ID)
	}
	return strings.Join(names, " ")
}

func TestRRFOrder(t *testing.T) {
	for name, c := range map[string]struct {
		lists []string // IDs separated by spaces
		want  string
	}{
		"no lists":                          {nil, ""},
		"empty lists":                       {[]string{"", ""}, ""},
		"one list keeps its order":          {[]string{"c a b"}, "c a b"},
		"an empty list changes nothing":     {[]string{"c a b", ""}, "c a b"},
		"agreement is kept":                 {[]string{"b a c", "b a c"}, "b a c"},
		"first in both before first in one": {[]string{"x b a", "x c a"}, "x a b c"},
		"two low ranks beat one high":       {[]string{"a b c d", "e f g d"}, "d a e b f c g"},
		"equal scores are ordered by id":    {[]string{"b a", "a b"}, "a b"},
		"single items at equal ranks":       {[]string{"z", "y", "x"}, "x y z"},
	} {
		t.Run(name, func(t *testing.T) {
			var lists [][]string
			for _, list := range c.lists {
				lists = append(lists, strings.Fields(list))
			}
			if got := ids(rrf(strings.Compare, lists...)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestRRFScoresAndRanks(t *testing.T) {
	items := rrf(strings.Compare, []string{"a", "b"}, []string{"b"})
	second, first := 62.0, 61.0 // variables: constants would be added exactly
	if got, want := items[0].Score, 1/second+1/first; items[0].ID != "b" || got != want {
		t.Errorf("first %q at %v, want b at %v", items[0].ID, got, want)
	}
	if !slices.Equal(items[0].Ranks, []int{2, 1}) || !slices.Equal(items[1].Ranks, []int{1, 0}) {
		t.Errorf("ranks %v and %v, want [2 1] and [1 0]", items[0].Ranks, items[1].Ranks)
	}
}

func TestRRFResetsFusedItems(t *testing.T) {
	first := rrf(strings.Compare, []string{"a", "b", "c"}, []string{"c", "a"})
	again := []*item[string]{first[2], first[0]}
	itemOf := func(i *item[string]) *fusion.Item { return &i.Item }
	items := fusion.RRF(func(a, b *item[string]) int { return strings.Compare(a.ID, b.ID) }, itemOf, again)
	if got := ids(items); got != "b a" {
		t.Fatalf("%q, want %q", got, "b a")
	}
	for i, item := range items {
		if want := 1 / float64(fusion.K+i+1); item.Score != want || !slices.Equal(item.Ranks, []int{i + 1}) {
			t.Errorf("%s has the score %v and the ranks %v, want %v and %d", item.ID, item.Score, item.Ranks, want, i+1)
		}
	}
}

// lists draws 0 to 3 lists without duplicates that have many items in common.
func lists(r *rapid.T) [][]int {
	return rapid.SliceOfN(rapid.SliceOfDistinct(rapid.IntRange(0, 40), rapid.ID[int]), 0, 3).Draw(r, "lists")
}

func TestRRFProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := lists(r)
		given := make([][]int, len(in))
		for i := range in {
			given[i] = slices.Clone(in[i])
		}
		items := rrf(cmp.Compare[int], in...)

		all := make(map[int]bool)
		for l, list := range in {
			if !slices.Equal(list, given[l]) {
				r.Fatalf("list %d was modified", l)
			}
			for _, id := range list {
				all[id] = true
			}
		}
		if len(items) != len(all) {
			r.Fatalf("%d items of %d IDs", len(items), len(all))
		}
		for i, item := range items {
			if !all[item.ID] {
				r.Fatalf("item %d is duplicate or unknown", item.ID)
			}
			delete(all, item.ID)
			sum := 0.0
			for l, list := range in {
				if rank := slices.Index(list, item.ID) + 1; item.Ranks[l] != rank {
					r.Fatalf("item %d has rank %d in list %d, want %d", item.ID, item.Ranks[l], l, rank)
				} else if rank > 0 {
					sum += 1 / float64(fusion.K+rank)
				}
			}
			if math.Abs(item.Score-sum) > 1e-15 || item.Score <= 0 || item.Score > float64(len(in))/(fusion.K+1)+1e-15 {
				r.Fatalf("item %d scores %v, want %v", item.ID, item.Score, sum)
			}
			if i > 0 {
				if before := items[i-1]; before.Score < item.Score || before.Score == item.Score && before.ID > item.ID {
					r.Fatalf("items %d and %d are in the wrong order", before.ID, item.ID)
				}
			}
		}
	})
}

func TestRRFIsDeterministic(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := lists(r)
		same := func(a, b *item[int]) bool {
			return a.ID == b.ID && a.Score == b.Score && slices.Equal(a.Ranks, b.Ranks)
		}
		if !slices.EqualFunc(rrf(cmp.Compare[int], in...), rrf(cmp.Compare[int], in...), same) {
			r.Fatal("two calls differ")
		}
	})
}

func TestRRFOfTwoListsDoesNotDependOnTheirOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		draw := rapid.SliceOfDistinct(rapid.IntRange(0, 40), rapid.ID[int])
		a, b := draw.Draw(r, "a"), draw.Draw(r, "b")
		same := func(x, y *item[int]) bool { return x.ID == y.ID && x.Score == y.Score }
		if !slices.EqualFunc(rrf(cmp.Compare[int], a, b), rrf(cmp.Compare[int], b, a), same) {
			r.Fatal("the order of the lists matters")
		}
	})
}

func TestItemThatIsBetterInEveryListIsBetterFused(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		items := rrf(cmp.Compare[int], lists(r)...)
		for i, later := range items {
			for _, earlier := range items[:i] {
				beaten := true // later is ahead in every list that contains earlier
				for l, rank := range earlier.Ranks {
					beaten = beaten && later.Ranks[l] > 0 && (rank == 0 || later.Ranks[l] < rank)
				}
				if beaten {
					r.Fatalf("item %d is behind %d, which it beats in every list", later.ID, earlier.ID)
				}
			}
		}
	})
}

func TestItemAddedAtTheEndMovesNoOther(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := lists(r)
		if len(in) == 0 {
			return
		}
		before := rrf(cmp.Compare[int], in...)
		l := rapid.IntRange(0, len(in)-1).Draw(r, "list")
		in[l] = append(slices.Clone(in[l]), 99)
		after := slices.DeleteFunc(rrf(cmp.Compare[int], in...), func(i *item[int]) bool { return i.ID == 99 })
		same := func(x, y *item[int]) bool { return x.ID == y.ID && x.Score == y.Score }
		if !slices.EqualFunc(before, after, same) {
			r.Fatal("other items moved")
		}
	})
}
