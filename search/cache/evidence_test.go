package cache

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/lexical"
	"mneme/memory"
	"mneme/vector"
)

// vectors is a snapshot of entries and what they are scored by. It counts the entries that are
// read.
type vectors struct {
	entries []memory.Entry
	of      map[uuid.UUID]memory.Evidence
	changes []uuid.UUID // from position 1
	removed int         // of changes, from the first
	asked   int         // entries
}

func newVectors(n int) *vectors {
	s := &vectors{of: make(map[uuid.UUID]memory.Evidence)}
	for i := range n {
		id := uuid.Must(uuid.NewV7())
		s.entries = append(s.entries, memory.Entry{ID: id, Revision: 1})
		s.write(i)
		s.embed(i)
	}
	return s
}

// write is a commit that changes the terms of an entry.
func (s *vectors) write(i int) {
	e := &s.entries[i]
	e.Revision++
	of := s.of[e.ID]
	of.Entry, of.Length = e.ID, 7
	of.Terms = lexical.HashTerms([]lexical.Term{{Text: "tea", Count: 1 + i}, {Text: fmt.Sprint("word", e.Revision), Count: 1}})
	s.of[e.ID] = of
}

// embed is a commit that changes the vectors of an entry.
func (s *vectors) embed(i int) {
	id := s.entries[i].ID
	s.changes = append(s.changes, id)
	of := s.of[id]
	of.Vector, of.Codes = vector.Half{uint16(i), uint16(len(s.changes))}, []byte{byte(i)}
	s.of[id] = of
}

func (s *vectors) Evidence(_ context.Context, _ acl.Scope, q memory.EvidenceQuery, yield func(memory.Evidence) error) error {
	buffer := make([]lexical.HashedTerm, 2)
	for _, id := range q.Entries {
		e, ok := s.of[id]
		if !ok {
			continue
		}
		s.asked++
		e.Terms = buffer[:copy(buffer, e.Terms)] // valid until yield returns
		if err := yield(e); err != nil {
			return err
		}
		clear(buffer)
	}
	return nil
}

func (s *vectors) ChunkCodes(context.Context, acl.Scope, string, []vector.ChunkID) ([][]byte, error) {
	panic("not used")
}

func (s *vectors) VectorChanges(_ context.Context, after int64, limit int) (memory.VectorChanges, error) {
	changes := memory.VectorChanges{Last: int64(len(s.changes))}
	if changes.Last > after {
		changes.Entries = s.changes[after:]
		changes.Partial = len(changes.Entries) > limit || int(after) < s.removed
	}
	if changes.Partial {
		changes.Entries = nil
	}
	return changes, nil
}

// read asks the cache for the evidence of all entries, compares it with the evidence in the
// snapshot, and returns how many it had to read from the snapshot.
func (s *vectors) read(t *testing.T, c *Evidence, v Reader, fingerprints [2]string) int {
	t.Helper()
	q := memory.EvidenceQuery{Fingerprints: fingerprints, Entries: idsOf(s.entries)}
	text := func(read func(yield func(memory.Evidence) error) error) (all []string) {
		if err := read(func(e memory.Evidence) error {
			all = append(all, fmt.Sprintf("%+v", e))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(all)
		return all
	}
	s.asked = 0
	got := text(func(yield func(memory.Evidence) error) error {
		return c.Read(t.Context(), s, v, acltest.Scope(t), q, pointersTo(s.entries), yield)
	})
	asked := s.asked
	want := text(func(yield func(memory.Evidence) error) error {
		return s.Evidence(t.Context(), acltest.Scope(t), q, yield)
	})
	if !slices.Equal(got, want) {
		t.Fatalf("the cache yields\n%v\nthe rows have\n%v", got, want)
	}
	return asked
}

func TestEvidenceThatHasNotChangedIsReadOnce(t *testing.T) {
	const n = 10
	ada, bob := Reader{1}, Reader{2}
	model, other := [2]string{"model"}, [2]string{"other"}
	for _, step := range []struct {
		what         string
		do           func(*vectors)
		viewer       Reader
		fingerprints [2]string
		want         int // entries read
	}{
		{"nothing", func(*vectors) {}, ada, model, 0},
		{"another viewer asks", func(*vectors) {}, bob, model, n},
		{"another model asks", func(*vectors) {}, ada, other, n},
		{"both models ask", func(*vectors) {}, ada, [2]string{"model", "other"}, n},
		{"an entry is written", func(s *vectors) { s.write(3) }, ada, model, 1},
		{"an entry is embedded", func(s *vectors) { s.embed(3) }, ada, model, 1},
		{"an entry is written, and embedded twice", func(s *vectors) { s.write(3); s.embed(3); s.embed(3) }, ada, model, 1},
		{"an entry is purged", func(s *vectors) { delete(s.of, s.entries[3].ID); s.entries = slices.Delete(s.entries, 3, 4) }, ada, model, 0},
		{"more are embedded than are told apart", func(s *vectors) {
			for range maxChangedVectors + 1 {
				s.embed(3)
			}
		}, ada, model, n},
		{"records of changes were removed", func(s *vectors) { s.embed(3); s.removed = len(s.changes) }, ada, model, n},
	} {
		c, s := NewEvidence(1<<20), newVectors(n)
		if got := s.read(t, c, ada, model); got != n {
			t.Fatalf("%d entries were read at first, want %d", got, n)
		}
		step.do(s)
		if got := s.read(t, c, step.viewer, step.fingerprints); got != step.want {
			t.Errorf("%s: %d entries were read, want %d", step.what, got, step.want)
		}
		if got := s.read(t, c, step.viewer, step.fingerprints); got != 0 {
			t.Errorf("%s: %d entries were read again", step.what, got)
		}
	}
}

func TestEvidenceIsHeldOnceForAllWhoHaveReadIt(t *testing.T) {
	c, s := NewEvidence(1<<20), newVectors(10)
	s.read(t, c, Reader{1}, [2]string{"model"})
	bytes := c.entries.values.Bytes()
	s.read(t, c, Reader{2}, [2]string{"model"})
	if got := c.entries.values.Bytes(); got != bytes {
		t.Errorf("%d bytes are held for two viewers and %d for one", got, bytes)
	}
	for viewer := range uint64(2) {
		if got := s.read(t, c, Reader{1 + viewer}, [2]string{"model"}); got != 0 {
			t.Errorf("viewer %d has read %d entries again", 1+viewer, got)
		}
	}
	s.write(3)
	s.read(t, c, Reader{1}, [2]string{"model"})
	if got := s.read(t, c, Reader{2}, [2]string{"model"}); got != 1 {
		t.Errorf("viewer 2 has read %d entries, want the one that only viewer 1 has read since it changed", got)
	}
}

func TestASnapshotHasItsOwnEvidence(t *testing.T) {
	model := [2]string{"model"}
	c, older := NewEvidence(1<<20), newVectors(10)
	older.read(t, c, Reader{1}, model)
	newer := *older
	newer.of = make(map[uuid.UUID]memory.Evidence)
	for id, e := range older.of {
		newer.of[id] = e
	}
	newer.embed(3)
	newer.read(t, c, Reader{1}, model)
	for range 2 {
		if got := older.read(t, c, Reader{1}, model); got != 1 {
			t.Errorf("%d entries were read in the older snapshot, want the one that has changed since", got)
		}
		if got := newer.read(t, c, Reader{1}, model); got != 0 {
			t.Errorf("%d entries were read in the newer snapshot again", got)
		}
	}
}

func TestCachedEvidenceIsBounded(t *testing.T) {
	const limit = 40_000
	c, s := NewEvidence(limit), newVectors(500)
	s.read(t, c, Reader{1}, [2]string{"model"})
	if got := c.entries.bytes(); got > limit || got < limit/2 {
		t.Errorf("%d bytes are cached, want about %d", got, limit)
	}
	if got := s.read(t, c, Reader{1}, [2]string{"model"}); got == 0 {
		t.Error("nothing was read again, want what has no room")
	}
}

func TestEvidenceCountsTheBytesOfEachChunk(t *testing.T) {
	const vectorBytes, codesBytes = 2 * 384, 64
	var e entryEvidence
	for n := 1; n <= 5; n++ {
		before := e.bytes()
		e.add(memory.Evidence{Chunk: n - 1, Vector: make(vector.Half, vectorBytes/2), Codes: make([]byte, codesBytes)})
		if got := e.bytes() - before; got < vectorBytes+codesBytes {
			t.Errorf("chunk %d counts %d bytes", n, got)
		}
		if len(e.chunks) != n || e.chunks[n-1].Chunk != n-1 {
			t.Errorf("%d chunks, the last is %d, want %d", len(e.chunks), e.chunks[len(e.chunks)-1].Chunk, n)
		}
		if got, least := e.bytes(), n*(int(unsafe.Sizeof(e.chunks[0]))+vectorBytes+codesBytes); got < least || n == 1 && got > 2*least {
			t.Errorf("%d chunks count %d bytes, want at least %d", n, got, least)
		}
	}
}

func TestAViewerReadsTheSameEvidenceWhateverOthersHaveRead(t *testing.T) {
	ada, bob := Reader{1}, Reader{2}
	models := [][2]string{{"model"}, {"model", "other"}}
	rapid.Check(t, func(rt *rapid.T) {
		alone, beside, s := NewEvidence(1<<20), NewEvidence(1<<20), newVectors(8)
		for range rapid.IntRange(10, 60).Draw(rt, "steps") {
			i := rapid.IntRange(0, len(s.entries)-1).Draw(rt, "entry")
			model := rapid.SampledFrom(models).Draw(rt, "models")
			switch rapid.SampledFrom([]string{"ada", "ada", "bob", "bob", "write", "embed"}).Draw(rt, "step") {
			case "ada":
				if got, want := s.read(t, beside, ada, model), s.read(t, alone, ada, model); got != want {
					rt.Fatalf("ada reads %d entries beside bob and %d alone", got, want)
				}
			case "bob":
				s.read(t, beside, bob, model)
			case "write":
				s.write(i)
			case "embed":
				s.embed(i)
			}
		}
	})
}
