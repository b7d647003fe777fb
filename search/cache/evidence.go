package cache

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Evidence keeps what entries are scored by. A search scores a hundred entries, and
// those of similar questions are mostly the same ones.
//
// What is cached of an entry is used while the row that the search has read has the same
// revision, and none of the vectors has changed. One look at the position of the last
// change of any vectors says so; if it has moved, the records since then say which
// changed. Writes of other processes count like those of this one.
//
// SECURITY: entries are looked up that the search's snapshot shows to the caller.
type Evidence struct {
	entries *shared[evidenceKey, *entryEvidence]

	mu       sync.Mutex
	position int64               // up to which changes are known; -1: none were looked at
	changed  map[uuid.UUID]int64 // a position that is not before the entry's last change
	floor    int64               // what was read before it is not valid
}

// maxChangedVectors is how many entries with changed vectors are told apart. When there
// are more, all are read again.
const maxChangedVectors = 4096

// evidenceKey is an entry, and of which of the models vectors were read.
type evidenceKey struct {
	id     uuid.UUID
	models [2]bool
}

func evidenceKeyOf(id uuid.UUID, fingerprints [2]string) evidenceKey {
	return evidenceKey{id, [2]bool{fingerprints[0] != "", fingerprints[1] != ""}}
}

// entryEvidence is what an entry is scored by, but for the query.
type entryEvidence struct {
	stamp
	revision     int64 // of the row
	position     int64 // of the changes of vectors in the snapshot
	fingerprints [2]string
	indexed      bool // it has terms
	length       int
	terms        []byte
	chunks       []memory.Evidence  // without Counts, Length and Terms; at least one
	one          [1]memory.Evidence // the first chunk, which mostly is all: it needs no fetch of its own
}

// NewEvidence returns a cache of at most so many bytes.
func NewEvidence(maxBytes int) *Evidence {
	return &Evidence{
		entries:  newShared(maxBytes, func(_ evidenceKey, e *entryEvidence) int { return e.bytes() }),
		position: -1,
		changed:  make(map[uuid.UUID]int64),
	}
}

func (e *entryEvidence) bytes() int {
	n := int(unsafe.Sizeof(*e)) + len(e.terms)
	if len(e.chunks) > len(e.one) { // they have moved out of it
		n += cap(e.chunks) * int(unsafe.Sizeof(e.chunks[0]))
	}
	for i := range e.chunks {
		n += 2*len(e.chunks[i].Vector) + len(e.chunks[i].Codes)
	}
	return n
}

// Read yields what tx.Evidence does of entries, in part from the cache. What is yielded
// must not be changed; Counts are valid until yield returns.
func (c *Evidence) Read(ctx context.Context, tx memory.ScoreReader, reader Reader, scope acl.Scope, q memory.EvidenceQuery, entries []*memory.Entry, yield func(memory.Evidence) error) error {
	last, err := c.catchUp(ctx, tx)
	if err != nil {
		return err
	}
	found := c.lookUp(reader, q.Fingerprints, last, entries)
	if err := c.readMissing(ctx, tx, reader, scope, q.Fingerprints, last, entries, found); err != nil {
		return err
	}
	load(found)
	counter := tx.TermCounter(q.Terms)
	counts := make([]int, len(q.Terms))
	for _, of := range found {
		if of == nil { // its row is not there
			continue
		}
		if err := of.yield(counter, counts, yield); err != nil {
			return err
		}
	}
	return nil
}

// load reads some of the evidence of each entry before any is used, so that the processor
// fetches that of several from memory at a time: a question finds entries all over it.
func load(found []*entryEvidence) {
	sum := 0
	for _, e := range found {
		if e != nil {
			sum += len(e.chunks) + len(e.terms)
		}
	}
	for _, e := range found {
		if e == nil || len(e.chunks) == 0 {
			continue
		}
		if chunk := &e.chunks[0]; len(chunk.Vector) > 0 && len(chunk.Codes) > 0 {
			for i := 0; i < len(chunk.Vector); i += 32 { // a cache line has 64 bytes
				sum += int(chunk.Vector[i])
			}
			sum += int(chunk.Codes[0])
		}
		if len(e.terms) > 0 {
			sum += int(e.terms[0])
		}
	}
	runtime.KeepAlive(sum)
}

// yield yields the chunks with the counts of a query's terms, for which it uses counts.
func (e *entryEvidence) yield(counter memory.TermCounter, counts []int, yield func(memory.Evidence) error) (err error) {
	if e.indexed {
		if counts, err = counter.Count(counts, e.terms); err != nil {
			return err
		}
	}
	for _, chunk := range e.chunks {
		if chunk.Chunk == 0 && e.indexed {
			chunk.Counts, chunk.Length, chunk.Terms = counts, e.length, e.terms
		}
		if err := yield(chunk); err != nil {
			return err
		}
	}
	return nil
}

// catchUp learns which vectors have changed up to the snapshot, and returns the position
// of the last change in it.
func (c *Evidence) catchUp(ctx context.Context, tx memory.ScoreReader) (last int64, err error) {
	c.mu.Lock()
	known := c.position
	c.mu.Unlock()
	limit := maxChangedVectors
	if known < 0 {
		limit = 0
	}
	changes, err := tx.VectorChanges(ctx, max(known, 0), limit)
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.position != known || changes.Last <= known {
		return changes.Last, nil // another search has caught up, or the snapshot is older
	}
	c.position = changes.Last
	if changes.Partial || len(c.changed)+len(changes.Entries) > maxChangedVectors {
		c.floor = changes.Last
		clear(c.changed)
		return changes.Last, nil
	}
	for _, id := range changes.Entries {
		c.changed[id] = changes.Last
	}
	return changes.Last, nil
}

// lookUp returns the evidence of entries that the Reader has read and that is valid in the
// snapshot, of which last is the position of the last change.
func (c *Evidence) lookUp(reader Reader, fingerprints [2]string, last int64, entries []*memory.Entry) []*entryEvidence {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := func(i int) evidenceKey { return evidenceKeyOf(entries[i].ID, fingerprints) }
	return c.entries.get(len(entries), key, func(i int, e *entryEvidence) Reader {
		if !c.valid(entries[i].ID, entries[i].Revision, fingerprints, e, last) {
			return Reader{}
		}
		return reader
	})
}

// valid reports whether e is the evidence of an entry in the snapshot: the row and the models
// are the same, no change of vectors is known after they were read, and those up to the
// snapshot are known. c.mu is held.
func (c *Evidence) valid(id uuid.UUID, revision int64, fingerprints [2]string, e *entryEvidence, last int64) bool {
	return e.revision == revision && e.fingerprints == fingerprints &&
		e.position <= last && last <= c.position && e.position >= c.floor && e.position >= c.changed[id]
}

// readMissing reads the evidence of those entries that have none, and caches it.
func (c *Evidence) readMissing(ctx context.Context, tx memory.ScoreReader, reader Reader, scope acl.Scope, fingerprints [2]string, last int64, entries []*memory.Entry, found []*entryEvidence) error {
	index := make(map[uuid.UUID]int)
	q := memory.EvidenceQuery{Fingerprints: fingerprints}
	for i, e := range found {
		if e == nil {
			index[entries[i].ID] = i
			q.Entries = append(q.Entries, entries[i].ID)
		}
	}
	if len(q.Entries) == 0 {
		return nil
	}
	err := tx.Evidence(ctx, scope, q, func(e memory.Evidence) error {
		i := index[e.Entry]
		if found[i] == nil {
			found[i] = &entryEvidence{revision: entries[i].Revision, position: last, fingerprints: fingerprints}
		}
		found[i].add(e)
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range q.Entries {
		if e := found[index[id]]; e != nil {
			c.put(reader, id, e, last)
		}
	}
	return nil
}

// add adds a copy of one chunk's evidence.
func (e *entryEvidence) add(chunk memory.Evidence) {
	if chunk.Counts != nil && !e.indexed {
		e.indexed, e.length, e.terms = true, chunk.Length, bytes.Clone(chunk.Terms)
	}
	chunk.Counts, chunk.Length, chunk.Terms = nil, 0, nil
	chunk.Vector, chunk.Codes = slices.Clone(chunk.Vector), bytes.Clone(chunk.Codes)
	if e.chunks == nil {
		e.chunks = e.one[:0]
	}
	e.chunks = append(e.chunks, chunk)
}

// put caches what a Reader has read of an entry in a snapshot, unless others know of later
// changes.
func (c *Evidence) put(reader Reader, id uuid.UUID, e *entryEvidence, last int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last != c.position {
		return
	}
	same := func(held *entryEvidence) bool { return c.valid(id, e.revision, e.fingerprints, held, last) }
	c.entries.put(reader, e, same, evidenceKeyOf(id, e.fingerprints))
}
