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
data folder, runs every query, and prints the relevance of the lexical leg, the
vector leg and their fusion. Documents and queries may name a store; those
without one share a store. Measures are trec_eval's. Run files name documents by
their _id.`,
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
	flags.StringVar(&b.qrels, "qrels", "", "use the relevance judgements in this `file` instead of the dataset's")
	flags.StringVar(&b.runFile, "run", "", "write the fused rankings to this `file` in TREC run format")
	// Hides the global flag of this name.
	flags.StringVar(&b.jsonFile, "json", "", "write the measures to this `file`; - prints them instead of the table")
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
		if err := dataset.UseQrels(b.qrels); err != nil {
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
