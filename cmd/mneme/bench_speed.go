package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mneme/benchmarks/speed"
	"mneme/configs"
)

func newBenchSpeed(p *program) *cobra.Command {
	b := speedBench{program: p}
	cmd := &cobra.Command{
		Use:   "speed",
		Short: "Measure import, size, search and recall over generated memories",
		Long: `Writes generated memories, embeds and indexes them, asks questions about them
one at a time, and prints a table with a column for each backend and size, and
the growth of each figure from the smallest size to the largest.

A backend is STORAGE+VECTOR, such as sqlite+flat or postgres+milvus, on the
configured PostgreSQL and Milvus servers. Each case runs in a sandbox that is
removed afterwards, even if interrupted: a temporary folder, a PostgreSQL schema
and Milvus collections whose names begin with mneme_bench_. The PostgreSQL role
must be allowed to create schemas.

The same seed generates the same texts. Synthetic vectors resemble the model's
but cost almost nothing to make; questions still run through the model, whose
own speed is measured on a sample. Recall compares the vector index with an
exact scan of the same vectors, within scopes of 1%, 10% and 100% of the stores.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("data-dir") {
				return usageError{errNoDataDir}
			}
			if err := b.check(config); err != nil {
				return usageError{err}
			}
			return b.run(cmd.Context(), config)
		}),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&b.backends, "backends", nil, "`list` of backends (default: sqlite+flat and the configured servers)")
	flags.IntSliceVar(&b.Sizes, "entries", []int{20_000, 200_000}, "`list` of sizes, each a number of memories")
	flags.IntVar(&b.Stores, "stores", 1000, "number of stores to spread the memories over")
	flags.IntVar(&b.Questions, "questions", 300, "number of questions, each in one store")
	flags.StringVar(&b.Vectors, "vectors", speed.VectorsSynthetic, "synthetic, or model for those of the configured embedder")
	flags.Uint64Var(&b.Seed, "seed", 1, "seed of the generated texts")
	return cmd
}

// speedBench is one run of the command.
type speedBench struct {
	*program
	speed.Benchmark
	backends []string // --backends
}

// check validates the flags.
func (b *speedBench) check(config configs.Config) error {
	if len(b.Sizes) == 0 || slices.Min(b.Sizes) < 1 || b.Stores < 1 || b.Questions < 1 {
		return errors.New("--entries, --stores and --questions must be above 0")
	}
	slices.Sort(b.Sizes)
	b.Sizes = slices.Compact(b.Sizes)
	if b.Vectors != speed.VectorsSynthetic && b.Vectors != speed.VectorsModel {
		return errors.New("--vectors must be synthetic or model")
	}
	if len(b.backends) == 0 {
		b.Backends = speed.ConfiguredBackends(config)
	}
	for _, name := range b.backends {
		backend, err := speed.ParseBackend(name)
		if err != nil {
			return fmt.Errorf("--backends: %w", err)
		}
		b.Backends = append(b.Backends, backend)
	}
	return nil
}

// run prints the measurements, even if a later case failed.
func (b *speedBench) run(ctx context.Context, config configs.Config) error {
	b.Progress, b.Log = b.progress, b.benchLogger()
	report, err := b.Benchmark.Run(ctx, config)
	switch {
	case len(report.Cases) == 0:
		return err
	case b.json:
		return errors.Join(err, b.printJSON(report))
	default:
		return errors.Join(err, report.WriteTable(b.out))
	}
}
