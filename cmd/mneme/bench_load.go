package main

import (
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mneme/benchmarks/load"
	"mneme/benchmarks/relevance"
	"mneme/configs"
)

func newBenchLoad(p *program) *cobra.Command {
	b := loadBench{program: p}
	cmd := &cobra.Command{
		Use:   "load [--data DIR]",
		Short: "Measure searches of many callers at a time, over REST",
		Long: `Starts a server over a dataset and lets callers ask its questions over REST, each
the next one when it has the answer to the last. For each number of callers it
prints the searches a second, percentiles of their latency, how the slowest caller
fares against the others, and the server's processor time and memory.

Every caller is an agent of its own that may read all stores of the dataset, and
each search names the store of its question. No caller asks a question twice while
"first" is measured. "again" repeats them: the server has their vectors, so that the
difference is what it takes to embed them.

A caller's first searches of a store read rows that later ones find in memory. With
--each every caller asks as often, so that they weigh the same whatever the number of
callers.

Without --data it uses the questions about the sample memories. A dataset is a folder
as for mneme bench relevance. The server runs as a process of its own over a sandbox
on the configured backend, which is removed afterwards, and otherwise as configured.
Callers and server share the machine.`,
		Args: cobra.NoArgs,
		RunE: p.measure(&b),
	}
	flags := cmd.Flags()
	flags.StringVar(&b.data, "data", "", "`folder` of a dataset")
	flags.IntSliceVar(&b.Callers, "callers", []int{1, 16, 64}, "`list` of numbers of callers")
	flags.IntVar(&b.Searches, "searches", 1500, "searches of all callers together, twice for each number of them")
	flags.IntVar(&b.Each, "each", 0, "searches of each caller, in place of --searches (default: as they come)")
	flags.StringVar(&b.Cache, "cache", "", "keep the vectors of the entries in this `folder`, for further runs")
	flags.StringVar(&b.Program, "program", "", "the mneme `executable` that serves (default: this one)")
	return cmd
}

// loadBench is one run of the command.
type loadBench struct {
	*program
	load.Benchmark
	data string
}

// check validates the flags.
func (b *loadBench) check(_ *cobra.Command, _ configs.Config) error {
	if len(b.Callers) == 0 || slices.Min(b.Callers) < 1 || b.Searches < 1 {
		return errors.New("--callers and --searches must be above 0")
	}
	if b.Each < 0 {
		return errors.New("--each must not be below 0")
	}
	slices.Sort(b.Callers)
	b.Callers = slices.Compact(b.Callers)
	return nil
}

func (b *loadBench) run(cmd *cobra.Command, config configs.Config) (err error) {
	if b.data == "" {
		set, _, err := relevance.Samples()
		if err != nil {
			return err
		}
		b.Dataset = set.Dataset
	} else if b.Dataset, err = relevance.Load(b.data); err != nil {
		return err
	}
	if b.Program == "" {
		if b.Program, err = os.Executable(); err != nil {
			return err
		}
	}
	if b.file != "" {
		b.Flags = []string{"--config", b.file}
	}
	b.Benchmark.Progress, b.Log = b.progress, b.benchLogger()
	report, err := b.Run(cmd.Context(), config)
	switch {
	case len(report.Cases) == 0:
		return err
	case b.json:
		return errors.Join(err, b.printJSON(report))
	default:
		return errors.Join(err, report.WriteTable(b.out))
	}
}
