package relevance

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Report is what a run of the benchmark measured.
type Report struct {
	Documents int                `json:"documents"`
	Embedder  string             `json:"embedder"` // fingerprint
	Legs      map[string]Metrics `json:"legs"`     // lexical, vector and fused
}

// WriteTable writes the report as a table with a row for each leg.
func (r Report) WriteTable(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tnDCG@10\trecall@10\trecall@100\tMRR@10\tMAP\tquestions\t")
	for _, leg := range legs {
		m := r.Legs[leg]
		fmt.Fprintf(table, "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%d\t\n",
			leg, m.NDCG10, m.Recall10, m.Recall100, m.MRR10, m.MAP, m.Queries)
	}
	return table.Flush()
}
