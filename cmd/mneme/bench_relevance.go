package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"mneme/benchmarks/relevance"
	"mneme/configs"
)

func newBenchRelevance(p *program) *cobra.Command {
	b := relevanceBench{program: p}
	cmd := &cobra.Command{
		Use:   "relevance --data DIR",
		Short: "Measure nDCG@10 and recall on a BEIR dataset",
		Long: `Imports a BEIR dataset (corpus.jsonl, queries.jsonl, qrels.tsv) into a temporary
data folder, asks every query, and prints the relevance of each leg and of their
fusion. A query with a store is asked by that store's own agent, all others
within one store. The measures are trec_eval's. Run files name the corpus's
_ids.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			return b.run(cmd.Context(), config)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&b.data, "data", "", "`folder` of the dataset")
	flags.StringVar(&b.qrels, "qrels", "", "`file` of judgements to use instead of the dataset's qrels.tsv")
	flags.StringVar(&b.runFile, "run", "", "write the fused answers to this `file`, in TREC format")
	// Replaces the common switch of that name.
	flags.StringVar(&b.jsonFile, "json", "", "write the measures to this `file` (- is standard output, without the table)")
	_ = cmd.MarkFlagRequired("data") // the flag exists
	return cmd
}

// relevanceBench is one run of the command.
type relevanceBench struct {
	*program
	data, qrels, runFile, jsonFile string
}

func (b *relevanceBench) run(ctx context.Context, config configs.Config) error {
	dataset, err := relevance.Load(b.data)
	if err != nil {
		return err
	}
	if b.qrels != "" {
		if dataset.Qrels, err = relevance.LoadQrels(b.qrels); err != nil {
			return err
		}
	}
	benchmark := relevance.Benchmark{Dataset: dataset, Progress: b.progress, Log: b.benchLogger()}
	report, runs, err := benchmark.Run(ctx, config)
	if err != nil {
		return err
	}
	if b.runFile != "" {
		err := writeFile(b.runFile, func(f *os.File) error { return relevance.WriteRun(f, runs[relevance.Fused], "mneme") })
		if err != nil {
			return err
		}
	}
	switch b.jsonFile {
	case "":
	case "-":
		return b.printJSON(report)
	default:
		err := writeFile(b.jsonFile, func(f *os.File) error {
			encoder := json.NewEncoder(f)
			encoder.SetIndent("", "  ")
			return encoder.Encode(report)
		})
		if err != nil {
			return err
		}
	}
	return report.WriteTable(b.out)
}
