package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"mneme/benchmarks/extraction"
	"mneme/benchmarks/relevance"
	"mneme/configs"
)

func newBenchExtraction(p *program) *cobra.Command {
	b := extractionBench{program: p}
	cmd := &cobra.Command{
		Use:   "extraction [--data DIR]…",
		Short: "Measure how much of a store can be copied by buying searches",
		Long: `Offers a store for sale, lets buyers search it who want to copy it, and prints how
many entries each has seen after how many searches, what that cost, and how long it
takes under the offer's caps. The buyers ask with random words, with words of what
they found, with the text of their last hit, and with questions that mix topics of
their hits. A buyer with honest questions is measured beside them.

It compares three choices of terms: without caps at a flat price, without caps at a
price that rises with what was shown, and the default terms. Time is simulated:
a buyer asks once a second, and waits where a cap says so.

Without --data the store holds generated memories. A dataset is a folder as for
mneme bench relevance; its documents are one store, and its queries the honest
questions. Each store is kept in a temporary folder that is removed afterwards.`,
		Args: cobra.NoArgs,
		RunE: p.measure(&b),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&b.data, "data", nil, "`folder` of a dataset to sell; may be repeated")
	flags.IntSliceVar(&b.entries, "entries", []int{1000}, "`list` of sizes of generated stores, if no dataset is given")
	flags.IntVar(&b.Searches, "searches", 1000, "searches of each buyer, at most")
	flags.IntVar(&b.Days, "days", 30, "simulated days of each buyer, at most")
	flags.Int64Var(&b.Prices.Search, "price-search", 1000, "price of a search in `micros`")
	flags.Int64Var(&b.Prices.Entry, "price-entry", 1000, "price of an entry in `micros`")
	flags.StringVar(&b.plot, "plot", "", "draw the curves into this SVG `file`")
	flags.Uint64Var(&b.Seed, "seed", 1, "seed of the memories and the questions")
	return cmd
}

// extractionBench is one run of the command.
type extractionBench struct {
	*program
	extraction.Benchmark
	data    []string
	entries []int
	plot    string
}

// check validates the flags.
func (b *extractionBench) check(cmd *cobra.Command, _ configs.Config) error {
	switch {
	case cmd.Flags().Changed("data") && cmd.Flags().Changed("entries"):
		return errors.New("--data and --entries exclude each other")
	case b.Searches < 1 || b.Days < 1:
		return errors.New("--searches and --days must be above 0")
	}
	for _, n := range b.entries {
		if n < 1 {
			return errors.New("--entries must be above 0")
		}
	}
	return nil
}

func (b *extractionBench) run(cmd *cobra.Command, config configs.Config) error {
	for _, dir := range b.data {
		dataset, err := relevance.Load(dir)
		if err != nil {
			return err
		}
		b.Sources = append(b.Sources, extraction.FromDataset(dataset))
	}
	if len(b.data) == 0 {
		for _, n := range b.entries {
			b.Sources = append(b.Sources, extraction.Generated(b.Seed, n))
		}
	}
	b.Progress, b.Log = b.progress, b.benchLogger()
	report, err := b.Run(cmd.Context(), config)
	if len(report.Sources) == 0 {
		return err
	}
	if b.plot != "" {
		err = errors.Join(err, writeFile(b.plot, func(f *os.File) error { return report.WritePlot(f) }))
	}
	if b.json {
		return errors.Join(err, b.printJSON(report))
	}
	return errors.Join(err, report.WriteTable(b.out))
}
