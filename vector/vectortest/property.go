package vectortest

import (
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
)

// someScope returns a random scope over the stores 1 to 4. intN returns a
// random number in [0, n), like rand.IntN.
func someScope(t testing.TB, intN func(int) int) acl.Scope {
	var reaches []acltest.Reach
	for store := range int64(4) {
		if ceiling := intN(5); ceiling > 0 {
			reaches = append(reaches, acltest.Reach{Number: store + 1, Ceiling: acl.Label(ceiling)})
		}
	}
	return acltest.Scope(t, reaches...)
}

// palette holds the vectors of anyHistory: few, so that ties are common.
var palette = func() [][]float32 {
	var vectors [][]float32
	for i := range dim {
		vectors = append(vectors, axis(i), mix(dim, i, .6, (i+1)%dim, .8), mix(dim, i, -.8, (i+2)%dim, .6))
	}
	return vectors
}()

// anyHistory upserts and deletes at random. After each step it compares the index's answers
// with those of the model.
func anyHistory(t *testing.T, f *fixture) {
	rapid.Check(t, func(r *rapid.T) {
		p := f.pair(t, dim)
		intN := func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "n") }
		entry := rapid.IntRange(0, 30)
		drawn := rapid.SampledFrom(palette)
		r.Repeat(map[string]func(*rapid.T){
			"upsert": func(r *rapid.T) {
				var records []vector.Record
				for _, n := range rapid.SliceOfNDistinct(entry, 1, 12, rapid.ID).Draw(r, "entries") {
					store, label := int64(intN(4)+1), labels[intN(4)]
					for chunk := range 1 + intN(4) {
						records = append(records, record(n, chunk, store, label, drawn.Draw(r, "vector")))
					}
				}
				p.upsert(t, records...)
			},
			"delete": func(r *rapid.T) {
				var entries []uuid.UUID
				for _, n := range rapid.SliceOfN(entry, 0, 8).Draw(r, "entries") {
					entries = append(entries, id(n))
				}
				p.remove(t, entries...)
			},
			"search": func(r *rapid.T) {
				query := vector.Query{Vector: drawn.Draw(r, "query"), Limit: 1 + intN(12)}
				if intN(3) == 0 {
					query.Only = []uuid.UUID{}
					for _, n := range rapid.SliceOfN(entry, 0, 10).Draw(r, "only") {
						query.Only = append(query.Only, id(n))
					}
				}
				p.check(r, someScope(t, intN), query)
				p.checkTies(r, someScope(t, intN), query)
			},
		})
	})
}
