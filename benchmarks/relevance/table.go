package relevance

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the report as text: for each dataset the runs, their
// differences and the other measurements; with changes, also the queries on which
// runs differ most.
func (r Report) WriteTable(out io.Writer, changes bool) error {
	w := &strings.Builder{}
	if r.Reranker != "" {
		fmt.Fprintf(w, "%s is relevance with %s, to which the figures about relevance refer\n\n", SystemRerank, r.Reranker)
	}
	for i, set := range r.Sets {
		if i > 0 {
			fmt.Fprintln(w)
		}
		set.writeTable(w)
		if changes {
			set.writeChanges(w)
		}
	}
	if len(r.Sets) > 1 {
		r.writeMeans(w)
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// columns returns a writer that aligns columns to the right.
func columns(out io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
}

func (s SetReport) writeTable(w io.Writer) {
	fmt.Fprintf(w, "%s: %d questions, %d documents, %d stores\n", s.Name, s.Queries, s.Documents, s.Stores)
	table := columns(w)
	for _, measure := range Measures {
		fmt.Fprintf(table, "\t%s", measure.Name)
	}
	fmt.Fprintln(table, "\t")
	for _, run := range s.Runs {
		writeMetrics(table, run.Name, run.Metrics)
	}
	_ = table.Flush() // a strings.Builder takes everything
	fmt.Fprintln(w, "\nnDCG@10: difference, 95 % interval, p of a paired randomisation test, questions won and lost")
	table = columns(w)
	for _, c := range s.Comparisons {
		d := c.Measures[Measures[0].Key]
		fmt.Fprintf(table, "%s − %s\t%+.4f\t[%+.4f, %+.4f]\t%.4f\t%d\t%d\t\n", c.A, c.B, d.Mean, d.Low, d.High, d.P, c.Wins, c.Losses)
	}
	_ = table.Flush()
	s.writeSlices(w)
	s.writeRelevance(w)
}

func writeMetrics(table io.Writer, name string, m Metrics) {
	fmt.Fprint(table, name)
	for _, measure := range Measures {
		fmt.Fprintf(table, "\t%.4f", measure.Of(m))
	}
	fmt.Fprintln(table, "\t")
}

// writeSlices writes the nDCG@10 of each slice, a column for each run.
func (s SetReport) writeSlices(w io.Writer) {
	field := ""
	var table *tabwriter.Writer
	for _, slice := range s.Slices {
		if slice.Field != field {
			if table != nil {
				_ = table.Flush()
			}
			field = slice.Field
			fmt.Fprintf(w, "\nnDCG@10 by %s\n", field)
			table = columns(w)
			for _, run := range slice.Runs {
				fmt.Fprintf(table, "\t%s", run.Name)
			}
			fmt.Fprintln(table, "\tquestions\t")
		}
		fmt.Fprint(table, slice.Value)
		for _, run := range slice.Runs {
			fmt.Fprintf(table, "\t%.4f", run.Metrics.NDCG10)
		}
		fmt.Fprintf(table, "\t%d\t\n", slice.Queries)
	}
	if table != nil {
		_ = table.Flush()
	}
}

// writeRelevance writes how well relevance predicts judgements, and the
// effect of thresholds.
func (s SetReport) writeRelevance(w io.Writer) {
	if r := s.Reliability; r != nil {
		fmt.Fprintf(w, "\nrelevance of the first %d hits: expected calibration error %.4f, Brier score %.4f (%d hits)\n", judgedDepth, r.ECE, r.Brier, r.Count)
	}
	for _, n := range s.Nothing {
		fmt.Fprintf(w, "\n%d questions with an answer, %d without (%s), AUC %.4f\n", n.Answerable, n.Unanswerable, n.Kind, n.AUC)
		table := columns(w)
		fmt.Fprintln(table, "\tthreshold\tany hit kept\trelevant hit kept\tempty without an answer\t")
		for _, row := range []struct {
			name string
			Point
		}{{"95 % keep a hit", n.At95}, {"95 % keep a relevant hit", n.At95Relevant}} {
			fmt.Fprintf(table, "%s\t%.4f\t%.4f\t%.4f\t%.4f\t\n", row.name, row.Threshold, row.KeptAny, row.KeptRelevant, row.Empty)
		}
		_ = table.Flush()
	}
}

// writeChanges writes the queries on which two runs differ most.
func (s SetReport) writeChanges(w io.Writer) {
	for _, c := range s.Changes {
		for _, group := range []struct {
			title string
			list  []Change
		}{{"better", c.Wins}, {"worse", c.Losses}} {
			if len(group.list) > 0 {
				fmt.Fprintf(w, "\n%s %s than %s\n", c.A, group.title, c.B)
			}
			for _, one := range group.list {
				fmt.Fprintf(w, "  %s: %s\n    nDCG@10 %.4f, %s %.4f\n", one.Query, one.Text, one.A, c.B, one.B)
				for _, e := range one.Expected {
					fmt.Fprintf(w, "    expected, rank %s, %s %s: %s: %s\n", rankName(e.RankA), c.B, rankName(e.RankB), e.ID, e.Text)
				}
				for _, top := range one.TopA {
					if top.Grade <= 0 {
						fmt.Fprintf(w, "    found instead: %s: %s\n", top.ID, top.Text)
					}
				}
			}
		}
	}
}

// rankName formats a rank, from 1.
func rankName(rank int) string {
	if rank == 0 {
		return "–"
	}
	return fmt.Sprint(rank)
}

// writeMeans writes, for each search configuration, the mean nDCG@10 over the datasets,
// which count equally, whatever their sizes.
func (r Report) writeMeans(w io.Writer) {
	fmt.Fprintf(w, "\nnDCG@10 of %d datasets\n", len(r.Sets))
	table := columns(w)
	systems := Systems
	if r.Reranker != "" {
		systems = append(slices.Clone(Systems), SystemRerank)
	}
	for _, name := range systems {
		fmt.Fprintf(table, "\t%s", name)
	}
	fmt.Fprintln(table, "\t")
	sums := make([]float64, len(systems))
	for _, set := range r.Sets {
		fmt.Fprint(table, set.Name)
		for i := range systems {
			fmt.Fprintf(table, "\t%.4f", set.Runs[i].Metrics.NDCG10)
			sums[i] += set.Runs[i].Metrics.NDCG10 / float64(len(r.Sets))
		}
		fmt.Fprintln(table, "\t")
	}
	fmt.Fprint(table, "mean")
	for _, sum := range sums {
		fmt.Fprintf(table, "\t%.4f", sum)
	}
	fmt.Fprintln(table, "\t")
	_ = table.Flush()
}
