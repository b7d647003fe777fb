package measure

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// fixedIndex is an index that always returns the same hits.
type fixedIndex struct {
	vector.Index
	hits []vector.Hit
}

func (f fixedIndex) Search(context.Context, acl.Scope, vector.Query) ([]vector.Hit, error) {
	return f.hits, nil
}

func TestRecallIsTheShareOfExactHitsFound(t *testing.T) {
	hit := func(n byte, score float64) vector.Hit { return vector.Hit{Entry: uuid.UUID{n}, Score: score} }
	var exact []vector.Hit
	for n := range 20 {
		exact = append(exact, hit(byte(n), 1-float64(n)/100))
	}
	tie := hit(99, exact[9].Score)
	for name, c := range map[string]struct {
		got         []vector.Hit
		at10, at100 float64
		want        []vector.Hit
	}{
		"all":              {got: exact, want: exact, at10: 1, at100: 1},
		"nothing":          {got: nil, want: exact},
		"one missing":      {got: exact[1:], want: exact, at10: .9, at100: .95},
		"a tie is as good": {got: slices.Concat(exact[:9], []vector.Hit{tie}), want: exact, at10: 1, at100: .5},
		"nothing to find":  {got: nil, want: nil, at10: 1, at100: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := MeasureRecall(t.Context(), fixedIndex{hits: c.got}, fixedIndex{hits: c.want}, 4, func() (acl.Scope, []float32) {
				return acl.Scope{}, nil
			})
			if err != nil || r.At10 != c.at10 || r.At100 != c.at100 || r.At200 != r.At100 {
				t.Errorf("got %+v, error %v", r, err)
			}
		})
	}
}
