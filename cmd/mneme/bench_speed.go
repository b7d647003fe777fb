package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mneme/benchmarks/speed"
	"mneme/configs"
)

func newBenchSpeed(p *program) *cobra.Command {
	b := speedBench{program: p}
	cmd := &cobra.Command{
		Use:   "speed",
		Short: "Measure import, size, search, writes, start and recall over generated memories",
		Long: `Writes generated memories, embeds and indexes them, asks questions about them
one at a time, writes entries one at a time, starts servers on them, and prints a
table with a column for each backend and size, and the growth of each figure from
the smallest size to the largest.

A backend is STORAGE+VECTOR, such as sqlite+flat or postgres+milvus, on the
configured PostgreSQL and Milvus servers. Each case runs in a sandbox that is
removed afterwards, even if interrupted: a temporary folder, a PostgreSQL schema
and Milvus collections whose names begin with mneme_bench_. The PostgreSQL role
must be allowed to create schemas.

The same seed generates the same texts. Synthetic vectors resemble the model's
but cost almost nothing to make; questions still run through the model, whose
own speed is measured on a sample. Recall compares the vector index with an
exact scan of the same vectors, within scopes of 1%, 10% and 100% of the stores.

"without embedding" is a search less the time that embedding its question added:
its words are searched at the same time. "ready" is the median of five starts of
a server, until /readyz answers 200.`,
		Args: cobra.NoArgs,
		RunE: p.measure(&b),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&b.backends, "backends", nil, "`list` of backends (default: sqlite+flat and the configured servers)")
	flags.IntSliceVar(&b.sizes, "entries", []int{20_000, 200_000}, "`list` of sizes, each a number of memories")
	flags.IntVar(&b.stores, "stores", 1000, "number of stores to spread the memories over")
	flags.IntVar(&b.Questions, "questions", 300, "number of questions, each in one store, and of single writes")
	flags.StringVar(&b.Vectors, "vectors", speed.VectorsSynthetic, "synthetic, or model for those of the configured embedder")
	flags.StringVar(&b.Program, "program", "", "the mneme `executable` whose start is measured (default: this one)")
	flags.Uint64Var(&b.Seed, "seed", 1, "seed of the generated texts")
	return cmd
}

// speedBench is one run of the command.
type speedBench struct {
	*program
	speed.Benchmark
	backends []string // --backends
	sizes    []int    // --entries
	stores   int      // --stores
}

// check validates the flags.
func (b *speedBench) check(_ *cobra.Command, config configs.Config) (err error) {
	if len(b.sizes) == 0 || slices.Min(b.sizes) < 1 || b.stores < 1 || b.Questions < 1 {
		return errors.New("--entries, --stores and --questions must be above 0")
	}
	slices.Sort(b.sizes)
	for _, entries := range slices.Compact(b.sizes) {
		b.Shapes = append(b.Shapes, speed.Shape{Stores: b.stores, Entries: entries})
	}
	if b.Vectors != speed.VectorsSynthetic && b.Vectors != speed.VectorsModel {
		return errors.New("--vectors must be synthetic or model")
	}
	b.Backends, err = parseBackends(b.backends, config)
	return err
}

// parseBackends parses --backends. By default it returns sqlite+flat and the configured
// servers.
func parseBackends(names []string, config configs.Config) ([]speed.Backend, error) {
	if len(names) == 0 {
		return speed.ConfiguredBackends(config), nil
	}
	var backends []speed.Backend
	for _, name := range names {
		backend, err := speed.ParseBackend(name)
		if err != nil {
			return nil, fmt.Errorf("--backends: %w", err)
		}
		backends = append(backends, backend)
	}
	return backends, nil
}

// run prints the measurements, even if a later case failed.
func (b *speedBench) run(cmd *cobra.Command, config configs.Config) error {
	if err := b.prepare(&b.Benchmark); err != nil {
		return err
	}
	report, err := b.Benchmark.Run(cmd.Context(), config)
	return errors.Join(err, b.printSpeed(report))
}

// prepare lets a benchmark start this program and report its progress.
func (p *program) prepare(b *speed.Benchmark) (err error) {
	b.Progress, b.Log = p.progress, p.benchLogger()
	if p.file != "" {
		b.Flags = []string{"--config", p.file}
	}
	if b.Program == "" {
		b.Program, err = os.Executable()
	}
	return err
}

// printSpeed prints a report that has cases.
func (p *program) printSpeed(report speed.Report) error {
	switch {
	case len(report.Cases) == 0:
		return nil
	case p.json:
		return p.printJSON(report)
	}
	return report.WriteTable(p.out)
}
