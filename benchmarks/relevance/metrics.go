package relevance

import (
	"cmp"
	"math"
	"slices"
)

// Scored is a document with its score for a query.
type Scored struct {
	ID    string
	Score float64
}

// Run holds a system's rankings: scored documents by query ID.
type Run map[string][]Scored

// Metrics holds means over queries, each from 0 to 1.
type Metrics struct {
	Queries   int     `json:"queries"`    // number of queries in the means
	NDCG10    float64 `json:"ndcg_10"`    // trec_eval's ndcg_cut_10
	Recall10  float64 `json:"recall_10"`  // recall_10
	Recall100 float64 `json:"recall_100"` // recall_100
	MRR10     float64 `json:"mrr_10"`     // recip_rank of the first ten documents
	MAP       float64 `json:"map"`        // map
}

// Evaluate computes the measures of a run as trec_eval 9 does (trec_eval -c),
// over all queries with at least one relevant document. A query that the
// run lacks counts as 0, and a document without a judgement as not relevant.
//
// Documents are ranked by descending score in single precision, which is what
// trec_eval keeps, and equal scores by descending ID in byte order. Their order
// in the run does not matter.
func Evaluate(qrels Qrels, run Run) Metrics {
	var sum Metrics
	for _, query := range sortedKeys(qrels) {
		m, ok := EvaluateQuery(qrels[query], run[query])
		if !ok {
			continue
		}
		sum.Queries++
		sum.NDCG10 += m.NDCG10
		sum.Recall10 += m.Recall10
		sum.Recall100 += m.Recall100
		sum.MRR10 += m.MRR10
		sum.MAP += m.MAP
	}
	if sum.Queries > 0 {
		n := float64(sum.Queries)
		sum.NDCG10 /= n
		sum.Recall10 /= n
		sum.Recall100 /= n
		sum.MRR10 /= n
		sum.MAP /= n
	}
	return sum
}

// EvaluateQuery computes the measures of one query's ranking. ok is false if the
// query has no relevant document. A duplicate document counts only at its better
// rank.
func EvaluateQuery(judgements map[string]int, answer []Scored) (m Metrics, ok bool) {
	var ideal []int
	for _, gain := range judgements {
		if gain > 0 {
			ideal = append(ideal, gain)
		}
	}
	if len(ideal) == 0 {
		return Metrics{}, false
	}
	slices.SortFunc(ideal, func(x, y int) int { return cmp.Compare(y, x) })
	relevant := float64(len(ideal))

	var (
		gained    float64 // discounted cumulative gain at 10
		precision float64 // sum over the relevant documents found
		found     float64
		rank      int
	)
	seen := make(map[string]bool, len(answer))
	for _, document := range ranked(answer) {
		if seen[document.ID] {
			continue
		}
		seen[document.ID] = true
		rank++
		gain := judgements[document.ID]
		if gain <= 0 {
			continue
		}
		found++
		precision += found / float64(rank)
		if rank <= 10 {
			gained += float64(gain) * discount(rank)
			m.Recall10 += 1 / relevant
			if found == 1 {
				m.MRR10 = 1 / float64(rank)
			}
		}
		if rank <= 100 {
			m.Recall100 += 1 / relevant
		}
	}
	var best float64
	for i, gain := range ideal[:min(len(ideal), 10)] {
		best += float64(gain) * discount(i+1)
	}
	m.Queries = 1
	m.NDCG10 = gained / best
	m.MAP = precision / relevant
	return m, true
}

// discount returns the weight of a rank, from 1, in nDCG: Järvelin and
// Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques" (2002), in
// trec_eval's form, which takes grades as gains unchanged.
func discount(rank int) float64 {
	return 1 / math.Log2(float64(rank)+1)
}

// ranked returns a copy of an answer in trec_eval's order.
func ranked(answer []Scored) []Scored {
	order := slices.Clone(answer)
	slices.SortFunc(order, func(x, y Scored) int {
		if c := cmp.Compare(float32(y.Score), float32(x.Score)); c != 0 {
			return c
		}
		return cmp.Compare(y.ID, x.ID)
	})
	return order
}
