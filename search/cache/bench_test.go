package cache

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/internal/workload"
	"mneme/lexical"
	"mneme/memory"
	"mneme/vector"
)

const (
	benchStores    = 10
	benchQuestions = 20 // of each store
)

// BenchmarkSiblings looks up the rows of 300 of the 2,000 entries of a store, for ten stores in
// turn. All rows are cached.
//
//	go test ./search/cache -run '^$' -bench . -benchtime 20000x
func BenchmarkSiblings(b *testing.B) {
	const asked = 300
	size := 2000
	if testing.Short() {
		size = asked
	}
	c, v := NewRows(readersOf, roomy), readerOf("ada", acl.Public)
	var reach []acltest.Reach
	for store := range benchStores {
		reach = append(reach, acltest.Reach{Number: int64(store), Ceiling: acl.Public})
	}
	scope := acltest.Scope(b, reach...)
	var questions [][]uuid.UUID
	var stores []*snapshot
	for store := range benchStores {
		s := newSnapshot(acltest.StoreName(int64(store)), size)
		if _, err := c.Siblings(b.Context(), s, v, scope, idsOf(s.rows)); err != nil {
			b.Fatal(err)
		}
		s.asked = nil
		stores = append(stores, s)
	}
	for i := range benchStores * benchQuestions {
		questions = append(questions, some(idsOf(stores[i%benchStores].rows), asked))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := c.Siblings(b.Context(), stores[i%benchStores], v, scope, questions[i%len(questions)]); err != nil {
			b.Fatal(err)
		}
	}
	for _, s := range stores {
		if len(s.asked) > 0 {
			b.Errorf("%d rows were not cached", len(s.asked))
		}
	}
}

// BenchmarkDocuments looks up 256 of 24,000 documents, half as many as the cache has room for.
func BenchmarkDocuments(b *testing.B) {
	const asked = 256
	size := 24_000
	if testing.Short() {
		size = asked
	}
	of := NewDocuments(2 * size * int(unsafe.Sizeof(document{}))).Of(readerOf("ada", acl.Public))
	var docs []int64
	for doc := range int64(size) {
		docs = append(docs, doc)
		of.Put(doc%benchStores, doc, uuid.New())
	}
	var questions [][]int64
	for range benchStores * benchQuestions {
		questions = append(questions, some(docs, asked))
	}
	entries := make([]uuid.UUID, asked)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		question := questions[i%len(questions)]
		document := func(i int) (store, doc int64) { return question[i] % benchStores, question[i] }
		of.Get(asked, document, func(i int, entry uuid.UUID) { entries[i] = entry })
	}
}

// some returns n of all, in random order.
func some[T any](all []T, n int) []T {
	picked := make([]T, n)
	for i, k := range rand.Perm(len(all))[:n] { //nolint:gosec // not secret
		picked[i] = all[k]
	}
	return picked
}

// BenchmarkEvidence reads the evidence of 100 of 6,000 entries of 25 words, all of which are
// cached.
func BenchmarkEvidence(b *testing.B) {
	const asked = 100
	size := 6000
	if testing.Short() {
		size = asked
	}
	c, s, v := NewEvidence(roomy), newVectors(size), readerOf("ada", acl.Public)
	for i := range s.entries {
		text := workload.NewMemory(1, i).Text()
		of := s.of[s.entries[i].ID]
		of.Terms = lexical.HashTerms(lexical.Analyze(text).Terms)
		of.Vector, of.Codes = make(vector.Half, 384), make([]byte, 64*16)
		s.of[s.entries[i].ID] = of
	}
	scope := acltest.Scope(b)
	read := func(entries []*memory.Entry, query []lexical.QueryTerm) {
		q := memory.EvidenceQuery{Fingerprints: [2]string{"model"}}
		counter, counts, counted := lexical.NewTermCounter(query), make([]int, len(query)), 0
		err := c.Read(b.Context(), s, v, scope, q, entries, func(e memory.Evidence) error {
			counter.Count(counts, e.Terms)
			counted++
			return nil
		})
		if err != nil || counted != len(entries) {
			b.Fatalf("%d of %d entries: %v", counted, len(entries), err)
		}
	}
	query := func(i int) []lexical.QueryTerm { return lexical.ParseQuery(workload.NewMemory(1, i).Question()) }
	read(pointersTo(s.entries), query(0))
	var questions [][]*memory.Entry
	var queries [][]lexical.QueryTerm
	for i := range benchStores * benchQuestions {
		questions = append(questions, some(pointersTo(s.entries), asked))
		queries = append(queries, query(i))
	}
	s.asked = 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		read(questions[i%len(questions)], queries[i%len(queries)])
	}
	if s.asked > 0 {
		b.Error(fmt.Sprint(s.asked, " entries were not cached"))
	}
}
