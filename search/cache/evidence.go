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
	"mneme/lexical"
	"mneme/memory"
)

// Evidence keeps what entries are scored by: their terms, vectors and codes. A search scores a
// hundred entries, and those of similar questions are mostly the same ones.
//
// Cached evidence of an entry is used while the row that the search has read has the same
// revision and none of the entry's vectors has changed. To find out, a search reads the position
// of the last change of any vectors. If the position has moved, the records since the previous
// one say whose vectors changed. Writes of other processes count like those of this one.
//
// SECURITY: only entries that the search's snapshot shows to the caller are looked up.
type Evidence struct {
	entries *shared[evidenceKey, *entryEvidence]

	mu       sync.Mutex
	position int64               // up to which changes of vectors are known; -1: none has been read
	changed  map[uuid.UUID]int64 // by entry: a position at or after the last change of its vectors
	floor    int64               // evidence that was read at an earlier position is not valid
}

// maxChangedVectors bounds the entries in Evidence.changed. If the vectors of more have changed,
// the evidence of all entries is read again.
const maxChangedVectors = 4096

// evidenceKey identifies evidence by its entry and by the models whose vectors it has.
type evidenceKey struct {
	id     uuid.UUID
	models [2]bool
}

func evidenceKeyOf(id uuid.UUID, fingerprints [2]string) evidenceKey {
	return evidenceKey{id, [2]bool{fingerprints[0] != "", fingerprints[1] != ""}}
}

// entryEvidence is the part of an entry's evidence that does not depend on the query.
type entryEvidence struct {
	stamp
	revision     int64 // of the row
	position     int64 // of the last change of any vectors in the snapshot
	fingerprints [2]string
	length       int
	terms        []lexical.HashedTerm // nil: it is not indexed
	chunks       []memory.Evidence    // without Terms and Length; at least one
	one          [1]memory.Evidence   // array of chunks if there is only one: it saves a fetch
}

// NewEvidence returns a cache of at most maxBytes bytes.
func NewEvidence(maxBytes int) *Evidence {
	return &Evidence{
		entries:  newShared(maxBytes, func(_ evidenceKey, e *entryEvidence) int { return e.bytes() }),
		position: -1,
		changed:  make(map[uuid.UUID]int64),
	}
}

func (e *entryEvidence) bytes() int {
	n := int(unsafe.Sizeof(*e)) + 8*len(e.terms)
	if len(e.chunks) > len(e.one) { // append has moved them out of e.one
		n += cap(e.chunks) * int(unsafe.Sizeof(e.chunks[0]))
	}
	for i := range e.chunks {
		n += 2*len(e.chunks[i].Vector) + len(e.chunks[i].Codes)
	}
	return n
}

// Read yields the evidence of entries as tx.Evidence does, in part from the cache. yield must
// not change what it gets.
func (c *Evidence) Read(ctx context.Context, tx memory.ScoreReader, reader Reader, scope acl.Scope, q memory.EvidenceQuery, entries []*memory.Entry, yield func(memory.Evidence) error) error {
	last, err := c.catchUp(ctx, tx)
	if err != nil {
		return err
	}
	found := c.lookUp(reader, q.Fingerprints, last, entries)
	if err := c.readMissing(ctx, tx, reader, scope, q.Fingerprints, last, entries, found); err != nil {
		return err
	}
	readAhead(found)
	for _, of := range found {
		if of == nil { // tx.Evidence yields nothing for the entry
			continue
		}
		if err := of.yield(yield); err != nil {
			return err
		}
	}
	return nil
}

// readAhead reads some of the evidence of each entry before any is used, so that the processor
// fetches several entries from memory at a time: they lie far apart.
func readAhead(found []*entryEvidence) {
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
		chunk := &e.chunks[0]
		for i := 0; i < len(chunk.Vector); i += 32 { // a cache line has 64 bytes
			sum += int(chunk.Vector[i])
		}
		if len(chunk.Codes) > 0 {
			sum += int(chunk.Codes[0])
		}
		if len(e.terms) > 0 {
			sum += int(e.terms[0])
		}
	}
	runtime.KeepAlive(sum) // the compiler would drop the loops
}

// yield yields the entry's chunks.
func (e *entryEvidence) yield(yield func(memory.Evidence) error) error {
	for _, chunk := range e.chunks {
		if chunk.Chunk == 0 && e.terms != nil {
			chunk.Terms, chunk.Length = e.terms, e.length
		}
		if err := yield(chunk); err != nil {
			return err
		}
	}
	return nil
}

// catchUp records which vectors have changed up to the snapshot of tx, and returns the position
// of the last change in the snapshot.
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

// lookUp returns, for each entry, its cached evidence; nil if the Reader has not read it or it
// is not valid in the snapshot. last is the position of the last change of vectors in the
// snapshot.
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
// are the same, no change of the entry's vectors is known since e was read, and all changes up
// to the snapshot are known. The caller holds c.mu.
func (c *Evidence) valid(id uuid.UUID, revision int64, fingerprints [2]string, e *entryEvidence, last int64) bool {
	return e.revision == revision && e.fingerprints == fingerprints &&
		e.position <= last && last <= c.position && e.position >= c.floor && e.position >= c.changed[id]
}

// readMissing reads the evidence of the entries that have none in found, adds it there, and
// caches it.
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
	if chunk.Terms != nil && e.terms == nil {
		e.length, e.terms = chunk.Length, slices.Clone(chunk.Terms)
	}
	chunk.Terms, chunk.Length = nil, 0
	chunk.Vector, chunk.Codes = slices.Clone(chunk.Vector), bytes.Clone(chunk.Codes)
	if e.chunks == nil {
		e.chunks = e.one[:0]
	}
	e.chunks = append(e.chunks, chunk)
}

// put caches evidence that a Reader has read in a snapshot, unless another search has recorded
// later changes of vectors.
func (c *Evidence) put(reader Reader, id uuid.UUID, e *entryEvidence, last int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last != c.position {
		return
	}
	same := func(held *entryEvidence) bool { return c.valid(id, e.revision, e.fingerprints, held, last) }
	c.entries.put(reader, e, same, evidenceKeyOf(id, e.fingerprints))
}
