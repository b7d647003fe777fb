package wire_test

import (
	"encoding/json"
	"testing"

	"mneme/search"
	"mneme/server/wire"
)

func TestALegRankHasItsWordingIfTheHitCountsForAnother(t *testing.T) {
	for _, c := range []struct {
		rank *search.LegRank
		want string
	}{
		{&search.LegRank{Rank: 2, Score: 0.5, Wording: 1}, `{"rank":2,"score":0.5}`},
		{&search.LegRank{Rank: 2, Score: 0.5, Wording: 1, Other: true}, `{"rank":2,"score":0.5,"wording":1}`},
		{&search.LegRank{Rank: 2, Score: 0.5, Other: true}, `{"rank":2,"score":0.5,"wording":0}`},
		{nil, `null`},
	} {
		got, err := json.Marshal(wire.ExplainOf(&search.Explain{Lexical: c.rank, Vector: c.rank, Wording: 1}).Vector)
		if err != nil || string(got) != c.want {
			t.Errorf("got %s, %v; want %s", got, err, c.want)
		}
	}
}
