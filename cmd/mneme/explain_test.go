package main

import (
	"strings"
	"testing"

	"mneme/clients/go/api"
)

func TestARankByAnotherWordingSaysSo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lexical, vector *api.LegRank
		want            string
	}{
		{&api.LegRank{Rank: 2, Score: 1.5}, nil, "lexical #2 (1.500), vector -; seen as own\n"},
		{&api.LegRank{Rank: 2, Score: 1.5, Wording: new(0)}, &api.LegRank{Rank: 3, Score: 0.8, Wording: new(1)}, "lexical #2 (1.500) by queries[0], vector #3 (0.800) by another part of the question; seen as own\n"},
	} {
		var text strings.Builder
		writeExplain(&text, &api.Explain{Lexical: c.lexical, Vector: c.vector, Wording: 1, Via: api.ExplainViaOwn}, nil)
		if got := text.String(); !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
