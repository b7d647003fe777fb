package relevance

import (
	"cmp"
	"slices"

	"mneme/benchmarks/measure"
)

// answers holds the answers to a set's queries.
type answers struct {
	runs         []NamedRun         // in the order of the report
	byRelevance  map[string][]found // hits by query, of the last of systemsOf
	unanswerable []float64          // the highest relevance of each answer; −1: no hits
	wrongStore   []float64          // the same for queries in a store that is not their own
}

// reliabilityBins is the number of bins of the reliability diagram.
const reliabilityBins = 10

// judgedDepth is how many hits of each answer the reliability diagram and the
// curves of Nothing count: deeper hits are rarely judged.
const judgedDepth = 10

// evaluate computes the report on a set.
func (b *Benchmark) evaluate(set *Set, a *answers) SetReport {
	queries := set.Qrels.Answerable()
	r := SetReport{Name: set.Name, Documents: len(set.Documents), Stores: len(set.stores), Queries: len(queries)}
	scores := newScores(set.Qrels, a.runs, queries)
	paired := measure.NewPaired(scores.rows(Measures), b.Seed)
	for i, run := range a.runs {
		one := RunReport{Name: run.Name, Imported: i >= len(OwnRuns(a.runs)), Metrics: mean(scores[i]), Intervals: make(map[string]measure.Estimate)}
		for m, measure := range Measures {
			one.Intervals[measure.Key] = paired.Mean(i*len(Measures) + m)
		}
		r.Runs = append(r.Runs, one)
	}
	for _, pair := range pairs(len(a.runs)) {
		r.Comparisons = append(r.Comparisons, compare(a.runs, scores, paired, pair[0], pair[1]))
	}
	for i, query := range queries {
		one := QueryScores{Query: query}
		for run := range a.runs {
			one.NDCG10 = append(one.NDCG10, scores[run][i].NDCG10)
		}
		r.Each = append(r.Each, one)
	}
	for _, field := range b.Slices {
		r.Slices = append(r.Slices, b.slice(set, field, a.runs, queries, scores)...)
	}
	if b.Changes > 0 {
		main := slices.Index(Systems, SystemRelevance)
		for other := range a.runs {
			if other != main {
				r.Changes = append(r.Changes, b.changes(set, a.runs, queries, scores, main, other))
			}
		}
	}
	r.Reliability = reliability(set.Qrels, a.byRelevance)
	r.Nothing = nothings(set.Qrels, a)
	return r
}

// scores holds the measures of each run, by query.
type scores [][]Metrics

func newScores(qrels Qrels, runs []NamedRun, queries []string) scores {
	s := make(scores, len(runs))
	for i, run := range runs {
		for _, query := range queries {
			m, _ := EvaluateQuery(qrels[query], run.Run[query])
			s[i] = append(s[i], m)
		}
	}
	return s
}

// rows returns a row for each query: for each run, some measures.
func (s scores) rows(measures []Measure) [][]float64 {
	rows := make([][]float64, len(s[0]))
	for _, run := range s {
		for q, m := range run {
			for _, measure := range measures {
				rows[q] = append(rows[q], measure.Of(m))
			}
		}
	}
	return rows
}

// pairs returns all pairs of runs, each with the later one first. Pairs
// with SystemRelevance come before the others.
func pairs(runs int) [][2]int {
	main := slices.Index(Systems, SystemRelevance)
	var all [][2]int
	for a := range runs {
		for b := range a {
			if b == main {
				all = append(all, [2]int{b, a})
			} else {
				all = append(all, [2]int{a, b})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y [2]int) int {
		rank := func(pair [2]int) int {
			if pair[0] == main {
				return 0
			}
			return 1
		}
		return cmp.Compare(rank(x), rank(y))
	})
	return all
}

// compare compares the runs with the numbers a and b.
func compare(runs []NamedRun, s scores, paired *measure.Paired, a, b int) Comparison {
	c := Comparison{A: runs[a].Name, B: runs[b].Name, Measures: make(map[string]measure.Difference)}
	for m, measure := range Measures {
		c.Measures[measure.Key] = paired.Difference(a*len(Measures)+m, b*len(Measures)+m)
	}
	for q := range s[a] {
		switch difference := s[a][q].NDCG10 - s[b][q].NDCG10; {
		case difference > sameNDCG:
			c.Wins++
		case difference < -sameNDCG:
			c.Losses++
		default:
			c.Ties++
		}
	}
	return c
}

// sameNDCG is the difference up to which two values of nDCG count as equal: the same
// summands in another order may give a slightly different sum.
const sameNDCG = 1e-9

// reliability compares the relevance of the first hits with their judgements.
func reliability(qrels Qrels, answers map[string][]found) *measure.Reliability {
	var predictions []measure.Prediction
	for _, query := range sortedKeys(answers) {
		for _, hit := range answers[query][:min(judgedDepth, len(answers[query]))] {
			predictions = append(predictions, measure.Prediction{P: hit.relevance, True: qrels[query][hit.id] > 0})
		}
	}
	r := measure.NewReliability(predictions, reliabilityBins)
	return &r
}
