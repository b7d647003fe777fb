package sqlcommon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mneme/memory"
)

// keeper is a Reader that counts the queries it runs, by text.
type keeper struct {
	Reader
	kept    *Kept
	queries int
}

func (k *keeper) Kept(context.Context) (*Kept, error) { return k.kept, nil }

func (k *keeper) Each(_ context.Context, scan func(Row) error, text string, args ...any) error {
	k.queries++
	return scan(textRow(fmt.Sprint(text, args)))
}

type textRow string

func (r textRow) Scan(dest ...any) error {
	*dest[0].(*string) = string(r)
	return nil
}

func (k *keeper) list(t *testing.T, text string, args ...any) string {
	t.Helper()
	list, err := KeptList(t.Context(), k, func(row Row) (s string, err error) {
		err = row.Scan(&s)
		return s, err
	}, text, args...)
	if err != nil || len(list) != 1 || list[0] != fmt.Sprint(text, args) {
		t.Fatalf("KeptList(%q, %q) = %q, %v", text, args, list, err)
	}
	return list[0]
}

func TestAQueryRunsOnceForEachVersion(t *testing.T) {
	k := &keeper{kept: new(Kept)}
	queries := [][]any{{"a", "b"}, {"a", "1:b"}, {"a1:", "b"}, {"", "a1:b"}, {[]string{"a", "b"}}, {[]string{"a", "b"}, "c"}, {[]string{"a"}, "b"}, {[]string{}}, {""}, {"a", []string{}}}
	for version := range int64(3) {
		k.kept.At(version)
		for range 2 {
			for _, args := range queries {
				k.list(t, "x", args...)
				k.list(t, "y", args...)
			}
		}
		if want := 2 * len(queries) * int(version+1); k.queries != want {
			t.Errorf("version %d: %d queries ran, want %d", version, k.queries, want)
		}
	}
	k.kept, k.queries = nil, 0
	k.list(t, "x", "a")
	if k.list(t, "x", "a"); k.queries != 2 {
		t.Errorf("where nothing is kept, %d queries ran, want 2", k.queries)
	}
}

func TestAnotherOrderOfStoresIsReadFromTheCache(t *testing.T) {
	k := &keeper{kept: new(Kept)}
	reads := NewReads(k, nil, &Dialect{})
	queries := []memory.FeedQuery{{Store: "c"}, {Store: "a"}, {Store: "b"}}
	for range 2 {
		if _, err := reads.Feed(t.Context(), queries...); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(queries)
	}
	if k.queries != 1 {
		t.Errorf("%d queries ran, want 1", k.queries)
	}
}

func TestTheRowCacheIsBounded(t *testing.T) {
	k := &keeper{kept: new(Kept)}
	long := slices.Repeat([]string{strings.Repeat("x", 100)}, 100)
	for i := range 200 {
		if k.list(t, fmt.Sprint(i), long); k.kept.bytes > maxKept {
			t.Fatalf("%d bytes are kept", k.kept.bytes)
		}
	}
	if len(k.kept.lists) == 0 {
		t.Error("nothing is kept")
	}
	n := len(k.kept.lists)
	if k.list(t, "longer", slices.Repeat(long, 120)); len(k.kept.lists) != n {
		t.Error("a query longer than the bound is kept, or emptied what was")
	}
}
