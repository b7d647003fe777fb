package cache

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mneme/memory"
)

// values is a snapshot of entries. It counts the entries whose contents are read.
type values struct {
	memory.EntryReader // only Contents is used
	entries            []memory.Entry
	asked              int
}

func newValues(n int) *values {
	s := new(values)
	for range n {
		s.entries = append(s.entries, memory.Entry{ID: uuid.Must(uuid.NewV7())})
	}
	for i := range n {
		s.write(i, fmt.Sprint("value ", i))
	}
	return s
}

// write is a commit that changes the value of an entry.
func (s *values) write(i int, value string) {
	e := &s.entries[i]
	e.Revision++
	e.Value, _ = json.Marshal(fmt.Sprint(value, " ", e.Revision))
	e.TypeBy, e.DescriptionBy = fmt.Sprint("typed ", e.Revision), fmt.Sprint("described ", e.Revision)
}

func (s *values) Contents(_ context.Context, ids []uuid.UUID) (contents []memory.Entry, err error) {
	for _, id := range ids {
		for _, e := range s.entries {
			if e.ID == id {
				s.asked++
				contents = append(contents, memory.Entry{ID: id, Value: e.Value, TypeBy: e.TypeBy, DescriptionBy: e.DescriptionBy})
			}
		}
	}
	return contents, nil
}

// read completes the rows of all entries, compares them with the entries, and returns how many
// had to be read from the snapshot.
func (s *values) read(t *testing.T, c ReadContents) int {
	t.Helper()
	rows := make([]memory.Entry, len(s.entries))
	for i, e := range s.entries {
		rows[i] = memory.Entry{ID: e.ID, Revision: e.Revision, Size: len(e.Value)}
	}
	s.asked = 0
	if err := c.Complete(t.Context(), s, pointersTo(rows)); err != nil {
		t.Fatal(err)
	}
	for i, e := range s.entries {
		if got, want := fmt.Sprintf("%+v", rows[i]), fmt.Sprintf("%+v", e); got != want {
			t.Fatalf("entry %d is\n%s\nthe row has\n%s", i, got, want)
		}
	}
	return s.asked
}

func TestContentsOfARevisionAreReadOnce(t *testing.T) {
	const n = 10
	ada, bob := Reader{1}, Reader{2}
	c, s := NewContents(1<<20), newValues(n)
	older := &values{entries: append([]memory.Entry(nil), s.entries...)}
	for _, step := range []struct {
		what   string
		do     func()
		reader Reader
		want   int
	}{
		{"the first time", func() {}, ada, n},
		{"again", func() {}, ada, 0},
		{"another reader", func() {}, bob, n},
		{"both have read", func() {}, ada, 0},
		{"an entry is written", func() { s.write(3, "changed") }, ada, 1},
		{"that the other has not read", func() {}, bob, 1},
		{"an entry with a large value is written", func() { s.write(4, strings.Repeat("x", maxContent)) }, ada, 1},
		{"which is not kept", func() {}, ada, 1},
	} {
		step.do()
		if got := s.read(t, c.Of(step.reader)); got != step.want {
			t.Errorf("%s: %d entries were read, want %d", step.what, got, step.want)
		}
	}
	if got := older.read(t, c.Of(ada)); got == 0 {
		t.Error("an older snapshot was shown a later value")
	}
}

func TestWithoutACacheAllContentsAreRead(t *testing.T) {
	s := newValues(3)
	for range 2 {
		if got := s.read(t, ReadContents{}); got != 3 {
			t.Errorf("%d entries were read, want 3", got)
		}
	}
}

func TestCachedContentsAreBounded(t *testing.T) {
	const limit = 40_000
	c, s := NewContents(limit), newValues(500)
	s.read(t, c.Of(Reader{1}))
	if got := c.entries.bytes(); got > limit || got < limit/2 {
		t.Errorf("%d bytes are cached, want about %d", got, limit)
	}
	if got := s.read(t, c.Of(Reader{1})); got == 0 {
		t.Error("nothing was read again, want what has no room")
	}
}
