package vectortest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"mneme/acl"
	"mneme/vector"
)

// listed tests indexes that implement vector.Lister.
func listed(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	lister, ok := p.index.(vector.Lister)
	if !ok {
		t.Skip("the index does not implement vector.Lister")
	}
	list := func() (held []vector.IndexedEntry) {
		t.Helper()
		err := lister.List(context.Background(), func(h vector.IndexedEntry) error {
			held = append(held, h)
			return nil
		})
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		return held
	}
	if held := list(); len(held) > 0 {
		t.Fatalf("an empty index lists %d entries", len(held))
	}
	var records []vector.Record
	var want []vector.IndexedEntry
	for n := range 60 {
		store, label, chunks := int64(n%3+1), labels[n%4], 1+n%12
		for chunk := range chunks {
			records = append(records, record(n, chunk, store, label, axis(chunk)))
		}
		want = append(want, listing(records[len(records)-chunks:]...))
	}
	slices.Reverse(records)
	p.upsert(t, records...)
	if held := list(); !slices.Equal(held, want) {
		t.Fatalf("listed %v, want %v", held, want)
	}

	p.remove(t, id(7))
	changed := record(8, 0, 2, acl.Restricted, axis(0))
	p.upsert(t, changed)
	want[8] = listing(changed)
	want = slices.Delete(want, 7, 8)
	held := list()
	if !slices.Equal(held, want) {
		t.Fatalf("listed %v, want %v", held, want)
	}
	if !slices.IsSortedFunc(held, func(a, b vector.IndexedEntry) int { return bytes.Compare(a.Entry[:], b.Entry[:]) }) {
		t.Error("not ordered by id")
	}

	stop := errors.New("stop")
	calls := 0
	err := lister.List(context.Background(), func(vector.IndexedEntry) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("%d calls and error %v, want the error of the first call", calls, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := lister.List(ctx, func(vector.IndexedEntry) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled context: error %v", err)
	}
}

// listing returns the expected IndexedEntry for the records of one entry.
func listing(records ...vector.Record) vector.IndexedEntry {
	e := vector.IndexedEntry{Entry: records[0].Entry}
	for _, r := range records {
		e.Digest += r.Digest()
	}
	return e
}
