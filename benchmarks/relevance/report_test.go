package relevance

import (
	"strings"
	"testing"
)

func TestTableHasARowForEachLeg(t *testing.T) {
	report := Report{Legs: map[string]Metrics{
		"lexical": {Queries: 35, NDCG10: .47055, Recall10: .5, Recall100: .9, MRR10: .6, MAP: .4},
		"vector":  {Queries: 35, NDCG10: .47684, Recall10: .6, Recall100: 1, MRR10: .61597, MAP: .40409},
		"fused":   {Queries: 35, NDCG10: .50341, Recall10: .52827, Recall100: 1, MRR10: .666, MAP: .45092},
	}}
	const want = `           nDCG@10  recall@5  recall@10  recall@100  all@10  MRR@10     MAP  questions
  lexical   0.4706    0.0000     0.5000      0.9000  0.0000  0.6000  0.4000         35
   vector   0.4768    0.0000     0.6000      1.0000  0.0000  0.6160  0.4041         35
    fused   0.5034    0.0000     0.5283      1.0000  0.0000  0.6660  0.4509         35
`
	var table strings.Builder
	if err := report.WriteTable(&table); err != nil || table.String() != want {
		t.Errorf("%v, got\n%s", err, table.String())
	}
}
