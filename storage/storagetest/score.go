package storagetest

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
	"mneme/vector"
)

// scored runs a query of Lexical, and returns its hits and the Scorer of the scope.
func (f *fixture) scored(scope acl.Scope, query memory.LexicalQuery) (hits []lexical.Hit, scorer *lexical.Scorer) {
	f.Helper()
	f.view(func(tx memory.ReadTx) (err error) {
		hits, scorer, err = tx.Lexical(f.ctx, scope, query)
		return err
	})
	return hits, scorer
}

// weights returns the weights of n terms and their sum.
func weights(s *lexical.Scorer, n int) []float64 {
	var weights []float64
	for i := range n {
		weights = append(weights, s.Weight(i))
	}
	return append(weights, s.TotalWeight())
}

// evidence returns what Evidence yields, by entry and chunk.
func (f *fixture) evidence(scope acl.Scope, q memory.EvidenceQuery) []memory.Evidence {
	f.Helper()
	found := []memory.Evidence{}
	f.view(func(tx memory.ReadTx) error {
		return tx.Evidence(f.ctx, scope, q, func(e memory.Evidence) error {
			e.Terms, e.Vector, e.Codes = slices.Clone(e.Terms), slices.Clone(e.Vector), slices.Clone(e.Codes)
			found = append(found, e)
			return nil
		})
	})
	slices.SortFunc(found, func(a, b memory.Evidence) int {
		return cmp.Or(bytes.Compare(a.Entry[:], b.Entry[:]), cmp.Compare(a.Chunk, b.Chunk))
	})
	return found
}

func (f *fixture) chunkCodes(scope acl.Scope, fingerprint string, chunks ...vector.ChunkID) (codes [][]byte) {
	f.Helper()
	f.view(func(tx memory.ReadTx) (err error) {
		codes, err = tx.ChunkCodes(f.ctx, scope, fingerprint, chunks)
		return err
	})
	return codes
}

// equalEvidence compares the results of Evidence by entry and chunk. It does not distinguish
// nil and empty vectors and codes.
func (f *fixture) equalEvidence(got, want []memory.Evidence) {
	f.Helper()
	f.equal(len(got), len(want))
	for i, w := range want {
		g := got[i]
		f.equal([]any{g.Entry, g.Terms, g.Length, g.Chunk}, []any{w.Entry, w.Terms, w.Length, w.Chunk})
		f.equal(slices.Equal(g.Vector, w.Vector) && bytes.Equal(g.Codes, w.Codes), true)
	}
}

// termCounts returns the term counts and lengths that Evidence yields for searchable entries
// without vectors.
func (f *fixture) termCounts(scope acl.Scope, query []lexical.QueryTerm, ids ...uuid.UUID) map[uuid.UUID]termCounts {
	f.Helper()
	counts, counter := make(map[uuid.UUID]termCounts), lexical.NewTermCounter(query)
	for _, e := range f.evidence(scope, memory.EvidenceQuery{Entries: ids}) {
		if _, ok := counts[e.Entry]; ok {
			f.Fatalf("%s is counted twice", e.Entry)
		}
		f.equal(len(e.Vector)+len(e.Codes), 0)
		if e.Terms != nil {
			of := make([]int, len(query))
			counter.Count(of, e.Terms)
			counts[e.Entry] = termCounts{of, e.Length}
		}
	}
	return counts
}

// termCounts are the counts and the length of one entry's Evidence.
type termCounts struct {
	counts []int
	length int
}

// chunksOf returns the first n chunks of an entry.
func chunksOf(e memory.Entry, n int) (chunks []vector.ChunkID) {
	for chunk := range n {
		chunks = append(chunks, vector.ChunkID{Entry: e.ID, Chunk: chunk})
	}
	return chunks
}

var scores = []clause{
	{"the Scorer counts the scope, whatever Limit and Only are", func(f *fixture) {
		entries := corpus()
		f.put(append(entries, entry("b", "k", says("green river house")), entry("a", "hidden", says("zebra"), outOfContext),
			entry("a", "old", says("zebra"), expiring(start)))...)
		query := terms("red apple river zebra")
		for _, scope := range []reach{{"a", acl.Public}, {"a", acl.Internal}, {"b", acl.Public}, {"none", acl.Public}} {
			_, want := rank(entries, func(e memory.Entry) bool { return e.Store == scope.store && e.Label <= scope.ceiling }, query, 1)
			if scope.store == "b" {
				want = lexical.NewScorer(lexical.Stats{Documents: 1, Length: 3}, query, []int64{0, 0, 1, 0})
			}
			for _, q := range []memory.LexicalQuery{{Limit: 100}, {Limit: 1}, {Limit: 0}, {Limit: 5, Only: []uuid.UUID{}}, {Limit: 5, Only: idsOf(entries[0])}} {
				q.Terms, q.Now = query, start
				hits, scorer := f.scored(f.scope(scope), q)
				f.equal(weights(scorer, len(query)), weights(want, len(query)))
				if q.Limit == 0 {
					f.equal(len(hits), 0)
				}
			}
		}
		_, scorer := f.scored(acl.Scope{}, memory.LexicalQuery{Terms: query, Limit: 1, Now: start})
		f.equal(weights(scorer, len(query)), weights(lexical.NewScorer(lexical.Stats{}, query, make([]int64, len(query))), len(query)))
		_, scorer = f.scored(f.scope(reach{"a", acl.Public}), memory.LexicalQuery{Limit: 1, Now: start})
		f.equal(scorer.TotalWeight(), 0)
	}},

	{"the counts of Evidence score entries as the lexical leg does", func(f *fixture) {
		entries := append(corpus(), entry("a", "none", says("")), entry("a", "many", says("apple "+longText(700))))
		f.put(entries...)
		scope := f.scope(reach{"a", acl.Internal})
		query := terms("red apple river zebra")
		hits, scorer := f.scored(scope, memory.LexicalQuery{Terms: query, Limit: 100, Now: start})
		counts := f.termCounts(scope, query, idsOf(entries...)...)
		f.equal(len(counts), len(entries))
		scored := 0
		for id, c := range counts {
			score := scorer.Score(c.counts, c.length)
			i := slices.IndexFunc(hits, func(h lexical.Hit) bool { return h.Entry == id })
			if i < 0 {
				f.equal(score, 0)
				continue
			}
			scored++
			f.exact([]lexical.Hit{{Entry: id, Score: score}}, hits[i:i+1])
		}
		f.equal(scored, len(hits))
	}},

	{"Evidence leaves out entries that are outside the scope or deleted, and has no counts of others that have no terms", func(f *fixture) {
		e, high, other := entry("a", "k", says("needle")), entry("a", "high", says("needle"), labelled(acl.Restricted)), entry("b", "k", says("needle"))
		gone, hidden, sealed := entry("a", "gone", says("needle")), entry("a", "hidden", says("needle"), outOfContext), entry("a", "sealed", encrypted)
		old := entry("a", "old", says("needle"), expiring(start))
		all := []memory.Entry{e, high, other, gone, hidden, sealed, old}
		f.put(all...)
		f.delete(gone, start)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(old), start) })
		query := terms("needle")
		counts := f.termCounts(f.scope(reach{"a", acl.Public}), query, append(idsOf(all...), e.ID, uuid.Must(uuid.NewV7()))...)
		f.equal(counts, map[uuid.UUID]termCounts{e.ID: {[]int{1}, 1}})
		f.equal(len(f.termCounts(acl.Scope{}, query, e.ID)), 0)
		f.equal(len(f.termCounts(f.scope(reach{"a", acl.Public}), query)), 0)
		e = edited(e, says("needle needle hay"))
		f.put(e)
		f.equal(f.termCounts(f.scope(reach{"a", acl.Public}), query, e.ID)[e.ID], termCounts{[]int{2}, 3})
	}},

	{"any term is counted", func(f *fixture) {
		long := string(bytes.Repeat([]byte("x"), lexical.MaxTermBytes))
		doc := lexical.Document{Length: 600, Terms: []lexical.Term{{Text: "'", Count: 1}, {Text: long, Count: 2}, {Text: "ไทย", Count: lexical.MaxTermCount}, {Text: "\xff", Count: 3}}}
		e := entry("a", "k")
		f.update(func(tx memory.Tx) error { return tx.Put(f.ctx, e, doc) })
		var query []lexical.QueryTerm
		for _, text := range []string{"\x00", "'", long, long + "x", "ไทย", "ไท", "\xff"} {
			query = append(query, lexical.QueryTerm{Text: text, Weight: 1})
		}
		f.equal(f.termCounts(f.scope(reach{"a", acl.Public}), query, e.ID)[e.ID],
			termCounts{[]int{0, 1, 2, 0, lexical.MaxTermCount, 0, 3}, 600})
	}},

	{"Evidence yields every chunk of entries within the scope, terms and codes with the first", func(f *fixture) {
		e, second, high, other, gone := entry("a", "k", labelled(acl.Internal)), entry("a", "k2"), entry("a", "high", labelled(acl.Restricted)), entry("b", "k"), entry("a", "gone")
		sealed, none := entry("a", "sealed", encrypted), entry("a", "none", says("needle hay"))
		all := []memory.Entry{e, second, high, other, gone, sealed, none}
		f.put(all...)
		for i, e := range all[:5] {
			f.save(e, "model", i+2)
			f.save(e, "second", 1)
		}
		f.delete(gone, start)
		scope := f.scope(reach{"a", acl.Internal})
		query := memory.EvidenceQuery{Fingerprints: [2]string{"model"}, Entries: append(idsOf(all...), e.ID, uuid.Must(uuid.NewV7()))}
		var want, bare []memory.Evidence
		for i, e := range []memory.Entry{e, second, sealed, none} {
			first := memory.Evidence{Entry: e.ID}
			if e.Searchable() {
				first.Terms, first.Length = lexical.HashTerms(words(e).Terms), words(e).Length
			}
			bare = append(bare, first)
			if i >= 2 {
				want = append(want, first)
				continue
			}
			for _, r := range records(e, i+2) {
				if r.Chunk == 0 {
					first.Vector, first.Codes = r.Vector, r.Codes
					want = append(want, first)
				} else {
					want = append(want, memory.Evidence{Entry: e.ID, Chunk: r.Chunk, Vector: r.Vector})
				}
			}
		}
		f.equal(want[0].Codes == nil, false)
		f.equalEvidence(f.evidence(scope, query), want)
		var vectors []memory.Evidence
		for _, e := range want {
			vectors = append(vectors, memory.Evidence{Entry: e.Entry, Chunk: e.Chunk, Vector: e.Vector})
		}
		query.VectorsOnly = true
		f.equalEvidence(f.evidence(scope, query), vectors)
		query.VectorsOnly = false
		query.Fingerprints = [2]string{"another model"}
		f.equalEvidence(f.evidence(scope, query), bare)
		query.Fingerprints = [2]string{}
		f.equalEvidence(f.evidence(scope, query), bare)
		query.Fingerprints = [2]string{"second"}
		chunks := f.evidence(scope, query)
		query.Fingerprints = [2]string{"none", "second"}
		for i, e := range f.evidence(scope, query) {
			f.equal(e.Model, map[bool]int{true: 1}[len(e.Vector) > 0])
			f.equal(e.Vector, chunks[i].Vector)
		}
		query.Fingerprints = [2]string{"model", "second"}
		both := f.evidence(scope, query)
		f.equal(len(both), len(want)+2)
		for _, e := range both {
			if e.Chunk == 0 && len(e.Vector) > 0 { // once for each model
				f.equal(len(e.Terms) > 0 && slices.ContainsFunc(want, func(w memory.Evidence) bool { return w.Entry == e.Entry && slices.Equal(w.Terms, e.Terms) }), true)
			}
		}
		query.Fingerprints = [2]string{"second"}
		f.equal(len(chunks), len(bare))
		f.equal(len(chunks[0].Vector) > 0 && len(chunks[1].Vector) > 0, true)
		f.equal(len(f.evidence(acl.Scope{}, query)), 0)
		errStop := errors.New("stop")
		f.wantError(f.storage.View(f.ctx, func(tx memory.ReadTx) error {
			return tx.Evidence(f.ctx, scope, query, func(memory.Evidence) error { return errStop })
		}), errStop)
		query.Entries = nil
		f.equal(len(f.evidence(scope, query)), 0)
	}},

	{"VectorChanges says whose vectors have changed since a position", func(f *fixture) {
		changes := func(after int64, limit int) (c memory.VectorChanges) {
			f.view(func(tx memory.ReadTx) (err error) {
				c, err = tx.VectorChanges(f.ctx, after, limit)
				return err
			})
			return c
		}
		f.equal(changes(0, 0), memory.VectorChanges{})
		e, other := entry("a", "k"), entry("b", "k", labelled(acl.Restricted))
		f.put(e, other)
		f.equal(changes(0, 10).Last, int64(0))
		f.save(e, "model", 2)
		f.save(other, "model", 1)
		f.equal(changes(0, 10), memory.VectorChanges{Last: 2, Entries: idsOf(e, other)})
		f.equal(changes(0, 1), memory.VectorChanges{Last: 2, Partial: true})
		f.equal(changes(2, 10), memory.VectorChanges{Last: 2})
		f.equal(changes(5, 10), memory.VectorChanges{Last: 2})
		f.put(edited(e, says("new")))
		f.equal(changes(2, 10).Last, int64(2))
		f.save(edited(e, says("new")), "model", 1)
		f.delete(other, start)
		f.equal(changes(2, 10), memory.VectorChanges{Last: 4, Entries: idsOf(e, other)})
		f.updateIndex(func(tx indexer.Tx) error { return trimChanges(f.ctx, tx, time.Now().Add(time.Hour)) })
		f.equal(changes(2, 10).Partial, true)
		f.equal(changes(4, 10), memory.VectorChanges{Last: 4})
	}},

	{"ChunkCodes returns the codes of chunks within the scope, in the order of the chunks", func(f *fixture) {
		e, high, other, gone := entry("a", "k"), entry("a", "high", labelled(acl.Restricted)), entry("b", "k"), entry("a", "gone")
		all := []memory.Entry{e, high, other, gone}
		f.put(all...)
		for _, e := range all {
			f.save(e, "model", 3)
		}
		f.delete(gone, start)
		scope := f.scope(reach{"a", acl.Public})
		want := records(e, 3)
		chunks := []vector.ChunkID{{Entry: e.ID, Chunk: 2}, {Entry: high.ID}, {Entry: e.ID}, {Entry: other.ID}, {Entry: e.ID, Chunk: 3}, {Entry: e.ID, Chunk: -1},
			{Entry: gone.ID}, {Entry: uuid.Must(uuid.NewV7())}, {Entry: e.ID, Chunk: 1}, {Entry: e.ID, Chunk: 2}}
		f.equal(want[1].Codes == nil, true)
		f.equal(f.chunkCodes(scope, "model", chunks...),
			[][]byte{want[2].Codes, nil, want[0].Codes, nil, nil, nil, nil, nil, nil, want[2].Codes})
		f.equal(f.chunkCodes(scope, "another model", chunks[0]), [][]byte{nil})
		f.equal(f.chunkCodes(acl.Scope{}, "model", chunks[0]), [][]byte{nil})
		f.equal(len(f.chunkCodes(scope, "model")), 0)
	}},

	{"codes are replaced, and removed, with their vectors", func(f *fixture) {
		e, old, gone := entry("a", "k"), entry("a", "old", expiring(start)), entry("a", "gone")
		f.put(e, old, gone)
		for _, fingerprint := range []string{"model", "second"} {
			for _, e := range []memory.Entry{e, old, gone} {
				f.save(e, fingerprint, 3)
			}
		}
		scope := f.scope(reach{"a", acl.Public})
		codes := func(fingerprint string, e memory.Entry) (n int) {
			f.Helper()
			for _, c := range f.chunkCodes(scope, fingerprint, chunksOf(e, 3)...) {
				n += len(c)
			}
			return n
		}
		both := 0
		for _, r := range records(e, 3) {
			both += len(r.Codes)
		}
		f.equal([]int{codes("model", e), codes("second", e)}, []int{both, both})
		f.updateIndex(func(tx indexer.Tx) error {
			replaced := records(e, 2)
			replaced[0].Codes = nil
			_, err := tx.SaveVectors(f.ctx, e.ID, e.Revision, "model", replaced)
			return err
		})
		f.equal([]int{codes("model", e), codes("second", e)}, []int{0, both})
		f.updateIndex(func(tx indexer.Tx) error { return tx.DropVectors(f.ctx, []string{"model"}) })
		f.equal([]int{codes("model", old), codes("second", old), codes("second", e)}, []int{both, 0, 0})
		f.delete(gone, start)
		f.put(edited(changed(gone, deletedAt(start)), restored))
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(old), start) })
		f.equal(codes("model", gone)+codes("model", old), 0)
		f.save(e, "model", 1)
		f.delete(e, start)
		f.equal(len(f.purge(start.Add(time.Hour), 10)), 2)
		f.equal(len(f.allVectors("model")), 0)
	}},
}

// longText returns n words "apple".
func longText(n int) string { return string(bytes.Repeat([]byte("apple "), n)) }
