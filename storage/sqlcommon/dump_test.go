package sqlcommon

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/memory"
)

// dumped is a Reader that answers the queries for entries and their former versions.
type dumped struct {
	Reader
	entries []memory.Entry
	read    []int // the number of former versions that each query has read
}

// dumpedRow is a row of an entry or a former version.
type dumpedRow memory.Entry

func (r dumpedRow) Scan(dest ...any) error {
	*dest[0].(*uuid.UUID), *dest[4].(*int) = r.ID, r.Version
	return nil
}

func (*dumped) OfEntries(context.Context, []uuid.UUID) error { return nil }

func (d *dumped) Each(_ context.Context, scan func(Row) error, text string, args ...any) error {
	versions := 0
	for _, e := range d.entries {
		switch after, ids := args[0], args[0]; {
		case text == "entry.page":
			if id := after.(uuid.UUID); bytes.Compare(e.ID[:], id[:]) > 0 {
				_ = scan(dumpedRow(e))
			}
		case slices.Contains(ids.([]uuid.UUID), e.ID):
			for v := 1; v < e.Version; v++ {
				_ = scan(dumpedRow{ID: e.ID, Version: v})
				versions++
			}
		}
	}
	if text == "entry.versions_of" {
		d.read = append(d.read, versions)
	}
	return nil
}

// The dump reads entries in pages, and the former versions of one page may have 2 GB.
func TestADumpHoldsTheHistoriesOfFewEntriesAtATime(t *testing.T) {
	d := &dumped{}
	for i, n := range []int{1, 101, 101, 2, 1, 301, 1, 1, 200} {
		d.entries = append(d.entries, memory.Entry{ID: uuid.UUID{15: byte(i + 1)}, Version: n})
	}
	entries, versions := 0, 0
	err := NewReads(d, nil, &Dialect{}).dumpEntries(t.Context(), func(r memory.DumpRecord) error {
		if r.Entry != nil {
			entries++
		} else {
			versions++
		}
		return nil
	})
	if err != nil || entries != len(d.entries) || versions != 700 {
		t.Errorf("%d entries and %d former versions: %v", entries, versions, err)
	}
	if want := []int{200, 1, 300, 199}; !slices.Equal(d.read, want) {
		t.Errorf("read %v former versions at a time, want %v", d.read, want)
	}
}
