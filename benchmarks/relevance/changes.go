package relevance

import (
	"cmp"
	"slices"
	"strings"
)

const (
	shownTop      = 3   // documents of an answer
	shownExpected = 5   // relevant documents
	shownText     = 240 // characters of a document
)

// changes returns the queries on which the runs a and b differ most.
func (b *Benchmark) changes(set *Set, runs []NamedRun, queries []string, s scores, a, other int) Changes {
	c := Changes{A: runs[a].Name, B: runs[other].Name, Wins: []Change{}, Losses: []Change{}}
	order := make([]int, len(queries))
	for i := range order {
		order[i] = i
	}
	difference := func(i int) float64 { return s[a][i].NDCG10 - s[other][i].NDCG10 }
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(difference(y), difference(x)) })
	show := func(i int) Change {
		id := queries[i]
		ranksA, ranksB := ranks(runs[a].Run[id]), ranks(runs[other].Run[id])
		one := Change{Query: id, Text: set.Queries[set.queries[id]].Text, A: s[a][i].NDCG10, B: s[other][i].NDCG10}
		relevant := set.Qrels.relevant(id)
		for _, document := range relevant[:min(shownExpected, len(relevant))] {
			one.Expected = append(one.Expected, Expected{Shown: set.show(id, document), RankA: ranksA[document], RankB: ranksB[document]})
		}
		one.TopA, one.TopB = set.showTop(id, runs[a].Run[id]), set.showTop(id, runs[other].Run[id])
		return one
	}
	for _, i := range order[:min(b.Changes, len(order))] {
		if difference(i) > sameNDCG {
			c.Wins = append(c.Wins, show(i))
		}
	}
	slices.Reverse(order)
	for _, i := range order[:min(b.Changes, len(order))] {
		if difference(i) < -sameNDCG {
			c.Losses = append(c.Losses, show(i))
		}
	}
	return c
}

// ranks returns the ranks of an answer's documents, from 1.
func ranks(answer []Scored) map[string]int {
	at := make(map[string]int, len(answer))
	for i, document := range ranked(answer) {
		at[document.ID] = i + 1
	}
	return at
}

// showTop shows the first documents of an answer.
func (s *Set) showTop(query string, answer []Scored) []Shown {
	shown := []Shown{}
	for _, document := range ranked(answer)[:min(shownTop, len(answer))] {
		shown = append(shown, s.show(query, document.ID))
	}
	return shown
}

// show returns a document as a report shows it. Its text is empty if the set lacks the
// document, which a run of another system may name.
func (s *Set) show(query, id string) Shown {
	one := Shown{ID: id, Grade: s.Qrels[query][id]}
	if i, ok := s.documents[id]; ok {
		one.Text = strings.Join(strings.Fields(s.Documents[i].Body()), " ")
		if runes := []rune(one.Text); len(runes) > shownText {
			one.Text = string(runes[:shownText]) + "…"
		}
	}
	return one
}
