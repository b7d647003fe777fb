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

// dim is the dimension of most tests: small, yet not a multiple of what
// vector instructions take at once.
const dim = 12

// bench is what a test works at: an index, and beside it the plain model.
type bench struct {
	open    func(t testing.TB, dim int) vector.Index
	options Options
}

// pair is an index with the model that was told the same.
type pair struct {
	*bench
	index vector.Index
	model model
}

func (b *bench) pair(t testing.TB, dim int) *pair {
	return &pair{bench: b, index: b.open(t, dim), model: make(model)}
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

// check searches and compares with the model. It returns the share of the
// true answer that was found, which is 1 for an exact index.
func (p *pair) check(t fataler, scope acl.Scope, query vector.Query) float64 {
	t.Helper()
	hits := p.search(t, scope, query)
	all := p.model.search(scope, query)
	truth := make(map[uuid.UUID]float64, len(all))
	for _, hit := range all {
		truth[hit.Entry] = hit.Score
	}
	seen := make(map[uuid.UUID]bool, len(hits))
	for i, hit := range hits {
		score, ok := truth[hit.Entry]
		switch {
		case !ok:
			t.Fatalf("hit %d is no visible entry", i)
		case seen[hit.Entry]:
			t.Fatalf("hit %d came before", i)
		case math.Abs(hit.Score-score) > p.options.Tolerance:
			t.Fatalf("hit %d scores %v, want %v", i, hit.Score, score)
		case hit.Score > 1 || hit.Score < -1:
			t.Fatalf("hit %d scores %v, which is no cosine", i, hit.Score)
		case i > 0 && hit.Score > hits[i-1].Score:
			t.Fatalf("hit %d is better than the one before it", i)
		}
		seen[hit.Entry] = true
	}
	// Entries whose exact scores lie closer than the tolerance may come in
	// either order, so the cut may fall among them.
	want := min(query.Limit, len(all))
	if want == 0 {
		return 1
	}
	cut, found := all[want-1].Score, 0
	for _, hit := range hits {
		if truth[hit.Entry] >= cut-2*p.options.Tolerance {
			found++
		} else if !p.options.Approximate {
			t.Fatalf("an entry of score %v was given, below the last of %v", hit.Score, cut)
		}
	}
	if p.options.Approximate {
		return min(1, float64(found)/float64(want))
	}
	for i, hit := range all {
		sure := hit.Score > cut+2*p.options.Tolerance || i < want && len(hits) < want
		if sure && !seen[hit.Entry] {
			t.Fatalf("the entry of rank %d is missing", i+1)
		}
	}
	if len(hits) < want {
		t.Fatalf("%d hits, want %d", len(hits), want)
	}
	return 1
}

// model is the plain truth: each entry's records.
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

// search ranks every visible entry, without regard to the limit.
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

func visible(scope acl.Scope, r vector.Record) bool {
	for _, access := range scope.Indexed() {
		if access.Number == r.Store {
			return access.Sees(r.Label)
		}
	}
	return false
}

// cosine is exact up to float64; rounding to half precision may put it a
// little outside [-1, 1].
func cosine(query []float32, v vector.Half) float64 {
	sum := 0.0
	for i, x := range v {
		sum += float64(query[i]) * float64(vector.HalfValue(x))
	}
	return max(-1, min(1, sum))
}

// sortHits orders by score, best first, and equal ones by id.
func sortHits(hits []vector.Hit) {
	slices.SortFunc(hits, func(a, b vector.Hit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return bytes.Compare(a.Entry[:], b.Entry[:])
	})
}

// id is an entry's id for tests.
func id(n int) uuid.UUID {
	var u uuid.UUID
	u[6], u[8] = 0x70, 0x80 // version 7, RFC 9562's variant
	binary.BigEndian.PutUint64(u[8:], uint64(n)|1<<63)
	return u
}

// axis is the unit vector along axis i; the first element of a mixture.
func axis(i int) []float32 { return mix(dim, i, 1, i, 0) }

// mix is a·axis i + b·axis j, of unit length if a² + b² = 1.
func mix(dim, i int, a float32, j int, b float32) []float32 {
	v := make([]float32, dim)
	v[i] += a
	v[j] += b
	return v
}

// record is one chunk of an entry.
func record(entry int, chunk int, store int64, label acl.Label, v []float32) vector.Record {
	return vector.Record{Entry: id(entry), Chunk: chunk, Store: store, Label: label, Vector: vector.ToHalf(v)}
}

// direction is a random unit vector.
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

// everything is a scope of stores 1 to n at every label.
func everything(t testing.TB, n int) acl.Scope {
	t.Helper()
	reaches := make([]acltest.Reach, n)
	for i := range reaches {
		reaches[i] = acltest.Reach{Number: int64(i + 1), Ceiling: acl.Restricted}
	}
	return acltest.Scope(t, reaches...)
}

// wantIDs compares the hits' entries, in order.
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

// fataler is the part of testing.TB that rapid.T has, too.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkTies holds that every entry which ties with the last is given. Scores
// of the same vector tie; so the model's scores must be well apart or equal.
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
