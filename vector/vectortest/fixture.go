package vectortest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
)

// dim is the dimension of most tests: small, and not a multiple of the width
// of vector instructions.
const dim = 12

// fixture opens the indexes of one test.
type fixture struct {
	open    func(t testing.TB, dim int) vector.Index
	options Options
}

// pair is an index and a model that receives the same writes, so that their answers can be
// compared.
type pair struct {
	*fixture
	index vector.Index
	model model
}

func (f *fixture) pair(t testing.TB, dim int) *pair {
	return &pair{fixture: f, index: f.open(t, dim), model: make(model)}
}

func (p *pair) upsert(t testing.TB, records ...vector.Record) {
	t.Helper()
	if err := p.index.Upsert(context.Background(), records); err != nil {
		t.Fatalf("upsert: %v", err)
	}
	p.model.upsert(records)
	p.settle(t)
}

func (p *pair) remove(t testing.TB, entries ...uuid.UUID) {
	t.Helper()
	if err := p.index.Delete(context.Background(), entries); err != nil {
		t.Fatalf("delete: %v", err)
	}
	for _, id := range entries {
		delete(p.model, id)
	}
	p.settle(t)
}

func (p *pair) settle(t testing.TB) {
	if p.options.Settle != nil {
		p.options.Settle(t, p.index)
	}
}

func (p *pair) search(t fataler, scope acl.Scope, query vector.Query) []vector.Hit {
	t.Helper()
	hits, err := p.index.Search(context.Background(), scope, query)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	return hits
}

// check searches and compares the hits with the model's. It returns the
// recall, which is 1 for an exact index.
func (p *pair) check(t fataler, scope acl.Scope, query vector.Query) float64 {
	t.Helper()
	hits := p.search(t, scope, query)
	all := p.model.search(scope, query)
	exact := make(map[uuid.UUID]float64, len(all))
	for _, hit := range all {
		exact[hit.Entry] = hit.Score
	}
	if local, ok := p.index.(vector.Local); ok {
		n := p.model.chunks(scope)
		if !local.AtMost(scope, n) || n > 0 && local.AtMost(scope, n-1) {
			t.Fatalf("the scope has %d chunks; at most so many: %v, one less: %v", n, local.AtMost(scope, n), local.AtMost(scope, n-1))
		}
	}
	seen := make(map[uuid.UUID]bool, len(hits))
	for i, hit := range hits {
		score, ok := exact[hit.Entry]
		switch {
		case !ok:
			t.Fatalf("hit %d is not a visible entry", i)
		case seen[hit.Entry]:
			t.Fatalf("hit %d is a duplicate", i)
		case math.Abs(hit.Score-score) > p.options.Tolerance:
			t.Fatalf("hit %d scores %v, want %v", i, hit.Score, score)
		case math.Abs(hit.Score-p.model.score(hit, query)) > p.options.Tolerance:
			t.Fatalf("hit %d scores %v, but its chunk %d %v", i, hit.Score, hit.Chunk, p.model.score(hit, query))
		case hit.Score > 1 || hit.Score < -1:
			t.Fatalf("hit %d scores %v, which is not a cosine", i, hit.Score)
		case i > 0 && hit.Score > hits[i-1].Score:
			t.Fatalf("hit %d scores better than the one before it", i)
		}
		seen[hit.Entry] = true
	}
	// Entries whose exact scores differ by less than the tolerance may be returned in either
	// order, so any of them may be the last of the answer.
	want := min(query.Limit, len(all))
	if want == 0 {
		return 1
	}
	last, found := all[want-1].Score, 0
	for _, hit := range hits {
		if exact[hit.Entry] >= last-2*p.options.Tolerance {
			found++
		} else if !p.options.Approximate {
			t.Fatalf("a hit scores %v, below the last of %v", hit.Score, last)
		}
	}
	if p.options.Approximate {
		return min(1, float64(found)/float64(want))
	}
	for i, hit := range all {
		required := hit.Score > last+2*p.options.Tolerance || i < want && len(hits) < want
		if required && !seen[hit.Entry] {
			t.Fatalf("the entry of rank %d is missing", i+1)
		}
	}
	if len(hits) < want {
		t.Fatalf("%d hits, want %d", len(hits), want)
	}
	return 1
}

// model is the reference implementation of an index: it has the records of each entry and scans
// all of them.
type model map[uuid.UUID][]vector.Record

func (m model) upsert(records []vector.Record) {
	for _, r := range records {
		delete(m, r.Entry)
	}
	for _, r := range records {
		r.Vector = slices.Clone(r.Vector)
		m[r.Entry] = append(m[r.Entry], r)
	}
}

// search returns every visible entry, ranked. It ignores the query's limit.
func (m model) search(scope acl.Scope, query vector.Query) []vector.Hit {
	var hits []vector.Hit
	for id, records := range m {
		if !visible(scope, records[0]) || query.Only != nil && !slices.Contains(query.Only, id) {
			continue
		}
		best := math.Inf(-1)
		for _, r := range records {
			best = max(best, cosine(query.Vector, r.Vector))
		}
		hits = append(hits, vector.Hit{Entry: id, Score: best})
	}
	sortHits(hits)
	return hits
}

// chunks returns the number of visible chunks.
func (m model) chunks(scope acl.Scope) (n int) {
	for _, records := range m {
		if visible(scope, records[0]) {
			n += len(records)
		}
	}
	return n
}

// score returns the exact score of the chunk that a hit names. It is infinite if the entry has
// no such chunk.
func (m model) score(hit vector.Hit, query vector.Query) float64 {
	for _, r := range m[hit.Entry] {
		if r.Chunk == hit.Chunk {
			return cosine(query.Vector, r.Vector)
		}
	}
	return math.Inf(1)
}

func visible(scope acl.Scope, r vector.Record) bool {
	for _, access := range scope.Indexed() {
		if access.Number == r.Store {
			return access.Sees(r.Label)
		}
	}
	return false
}

// cosine computes the dot product in float64. It clamps the result to [-1, 1], since rounding
// to half precision may have pushed it outside.
func cosine(query []float32, v vector.Half) float64 {
	sum := 0.0
	for i, x := range v {
		sum += float64(query[i]) * float64(vector.HalfValue(x))
	}
	return max(-1, min(1, sum))
}

// sortHits sorts by score, best first, then by id.
func sortHits(hits []vector.Hit) {
	slices.SortFunc(hits, func(a, b vector.Hit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return bytes.Compare(a.Entry[:], b.Entry[:])
	})
}

// id returns the id of test entry n.
func id(n int) uuid.UUID {
	var u uuid.UUID
	u[6], u[8] = 0x70, 0x80 // version 7, RFC 9562's variant
	binary.BigEndian.PutUint64(u[8:], uint64(n)|1<<63)
	return u
}

// axis returns the unit vector along axis i.
func axis(i int) []float32 { return mix(dim, i, 1, i, 0) }

// mix returns a·axis(i) + b·axis(j), a unit vector if a² + b² = 1.
func mix(dim, i int, a float32, j int, b float32) []float32 {
	v := make([]float32, dim)
	v[i] += a
	v[j] += b
	return v
}

// record returns one chunk of test entry n.
func record(entry int, chunk int, store int64, label acl.Label, v []float32) vector.Record {
	return vector.Record{Entry: id(entry), Chunk: chunk, Store: store, Label: label, Vector: vector.ToHalf(v)}
}

// direction returns a random unit vector.
func direction(r *rand.Rand, dim int) []float32 {
	v, square := make([]float32, dim), 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

// everything returns a scope of the stores 1 to n at every label.
func everything(t testing.TB, n int) acl.Scope {
	t.Helper()
	reaches := make([]acltest.Reach, n)
	for i := range reaches {
		reaches[i] = acltest.Reach{Number: int64(i + 1), Ceiling: acl.Restricted}
	}
	return acltest.Scope(t, reaches...)
}

// wantIDs checks the hits' entries and their order.
func wantIDs(t testing.TB, hits []vector.Hit, entries ...int) {
	t.Helper()
	got, want := make([]uuid.UUID, len(hits)), make([]uuid.UUID, len(entries))
	for i, hit := range hits {
		got[i] = hit.Entry
	}
	for i, n := range entries {
		want[i] = id(n)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("entries %v, want %v", got, want)
	}
}

// fataler is the part of testing.TB that rapid.T implements.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkTies checks that every entry that ties with the last hit is returned. The scores in the
// model must be either equal or clearly different.
func (p *pair) checkTies(t fataler, scope acl.Scope, query vector.Query) {
	t.Helper()
	all := p.model.search(scope, query)
	want := 0
	for _, hit := range all {
		if want < query.Limit || hit.Score >= all[query.Limit-1].Score-p.options.Tolerance {
			want++
		}
	}
	hits, err := p.index.Search(context.Background(), scope, query)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	if len(hits) != want {
		t.Fatalf("%d hits, want %d with ties", len(hits), want)
	}
}
