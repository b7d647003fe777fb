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
	for _, measure := range Measures {
		fmt.Fprintf(table, "\t%s", measure.Name)
	}
	fmt.Fprintln(table, "\tquestions\t")
	for _, leg := range legs {
		m := r.Legs[leg]
		fmt.Fprint(table, leg)
		for _, measure := range Measures {
			fmt.Fprintf(table, "\t%.4f", measure.Of(m))
		}
		fmt.Fprintf(table, "\t%d\t\n", m.Queries)
	}
	return table.Flush()
}
