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
	Queries     int     `json:"queries"`       // number of queries in the means
	NDCG10      float64 `json:"ndcg_10"`       // trec_eval's ndcg_cut_10
	Recall5     float64 `json:"recall_5"`      // recall_5
	Recall10    float64 `json:"recall_10"`     // recall_10
	Recall100   float64 `json:"recall_100"`    // recall_100
	RecallAll10 float64 `json:"recall_all_10"` // share of the queries whose recall_10 is 1
	MRR10       float64 `json:"mrr_10"`        // recip_rank of the first ten documents
	MAP         float64 `json:"map"`           // map
}

// Measure is one field of Metrics.
type Measure struct {
	Key  string // in JSON
	Name string // in tables
	at   func(*Metrics) *float64
}

// Of returns the measure's value in m.
func (s Measure) Of(m Metrics) float64 { return *s.at(&m) }

// Measures lists the measures in the order of the tables. Rankings are compared
// by the first one.
var Measures = []Measure{
	{"ndcg_10", "nDCG@10", func(m *Metrics) *float64 { return &m.NDCG10 }},
	{"recall_5", "recall@5", func(m *Metrics) *float64 { return &m.Recall5 }},
	{"recall_10", "recall@10", func(m *Metrics) *float64 { return &m.Recall10 }},
	{"recall_100", "recall@100", func(m *Metrics) *float64 { return &m.Recall100 }},
	{"recall_all_10", "all@10", func(m *Metrics) *float64 { return &m.RecallAll10 }},
	{"mrr_10", "MRR@10", func(m *Metrics) *float64 { return &m.MRR10 }},
	{"map", "MAP", func(m *Metrics) *float64 { return &m.MAP }},
}

// Evaluate computes the measures of a run as trec_eval 9 does (trec_eval -c),
// over all queries with at least one relevant document. A query that the
// run lacks counts as 0, and a document without a judgement as not relevant.
//
// Documents are ranked by descending score in single precision, as in
// trec_eval, and equal scores by descending ID in byte order. Their order in
// the run does not matter.
func Evaluate(qrels Qrels, run Run) Metrics {
	var each []Metrics
	for _, query := range qrels.Answerable() {
		m, _ := EvaluateQuery(qrels[query], run[query])
		each = append(each, m)
	}
	return mean(each)
}

// mean returns the means over queries; the zero Metrics for none.
func mean(each []Metrics) Metrics {
	var sum Metrics
	for _, m := range each {
		for _, measure := range Measures {
			*measure.at(&sum) += measure.Of(m)
		}
	}
	if sum.Queries = len(each); sum.Queries > 0 {
		for _, measure := range Measures {
			*measure.at(&sum) /= float64(sum.Queries)
		}
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

	var (
		gained            float64 // discounted cumulative gain at 10
		precision         float64 // sum over the relevant documents found
		found             int
		in5, in10, in100  int // relevant documents among the first
		relevant          = float64(len(ideal))
		documents, unique = ranked(answer), make(map[string]bool, len(answer))
	)
	for _, document := range documents {
		if unique[document.ID] {
			continue
		}
		unique[document.ID] = true
		rank := len(unique)
		gain := judgements[document.ID]
		if gain <= 0 {
			continue
		}
		found++
		precision += float64(found) / float64(rank)
		if rank <= 5 {
			in5++
		}
		if rank <= 10 {
			in10++
			gained += float64(gain) * discount(rank)
			if found == 1 {
				m.MRR10 = 1 / float64(rank)
			}
		}
		if rank <= 100 {
			in100++
		}
	}
	var best float64
	for i, gain := range ideal[:min(len(ideal), 10)] {
		best += float64(gain) * discount(i+1)
	}
	m.Queries = 1
	m.NDCG10 = gained / best
	m.Recall5, m.Recall10, m.Recall100 = float64(in5)/relevant, float64(in10)/relevant, float64(in100)/relevant
	if in10 == len(ideal) {
		m.RecallAll10 = 1
	}
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
