package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mneme/benchmarks/speed"
	"mneme/configs"
)

func newBenchGrowth(p *program) *cobra.Command {
	b := growthBench{program: p}
	cmd := &cobra.Command{
		Use:   "growth [--plot FILE]",
		Short: "Measure how search, write, start, memory and disk grow, and draw it",
		Long: `Measures one store of each size, and then many stores with as many entries each,
on each backend, as mneme bench speed does with synthetic vectors, and prints its
table. --plot draws the growth of a search without embedding its question, of a
write, of a server's start, of memory and of disk, as an SVG image.

The cases take an hour or more together, and space in the temporary folder ($TMPDIR).
--report writes the report into a file after each case, and --from draws reports, also
those of several runs together, without measuring.`,
		Example: `  mneme bench growth --report growth.json --plot growth.svg
  mneme bench growth --from sqlite.json,servers.json --plot growth.svg`,
		Args: cobra.NoArgs,
		RunE: p.measure(&b),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&b.backends, "backends", nil, "`list` of backends (default: sqlite+flat and the configured servers)")
	flags.IntSliceVar(&b.sizes, "entries", []int{10_000, 100_000, 1_000_000}, "`list` of sizes of one store")
	flags.IntVar(&b.stores, "stores", 1000, "number of stores of the last case; 0: without it")
	flags.IntVar(&b.each, "each", 1000, "number of entries in each of these stores")
	flags.IntVar(&b.Questions, "questions", 300, "number of questions, each in one store, and of single writes")
	flags.StringVar(&b.Program, "program", "", "the mneme `executable` whose start is measured (default: this one)")
	flags.Uint64Var(&b.Seed, "seed", 1, "seed of the generated texts")
	flags.StringVar(&b.report, "report", "", "write the report as JSON into this `file` after each case")
	flags.StringSliceVar(&b.from, "from", nil, "`list` of reports to show instead of measuring")
	flags.StringVar(&b.plot, "plot", "", "draw the growth into this SVG `file`")
	return cmd
}

// growthBench is one run of the command.
type growthBench struct {
	*program
	speed.Benchmark
	backends     []string // --backends
	sizes        []int    // --entries
	stores, each int      // --stores, --each
	from         []string // --from
	report, plot string   // --report, --plot
}

// check validates the flags.
func (b *growthBench) check(_ *cobra.Command, config configs.Config) (err error) {
	if len(b.sizes) == 0 || slices.Min(b.sizes) < 1 || b.stores < 0 || b.each < 1 || b.Questions < 1 {
		return errors.New("--entries, --each and --questions must be above 0, --stores not below 0")
	}
	slices.Sort(b.sizes)
	for _, entries := range slices.Compact(b.sizes) {
		b.Shapes = append(b.Shapes, speed.Shape{Stores: 1, Entries: entries})
	}
	if b.stores > 0 {
		b.Shapes = append(b.Shapes, speed.Shape{Stores: b.stores, Entries: b.stores * b.each})
	}
	b.Vectors = speed.VectorsSynthetic
	b.Backends, err = parseBackends(b.backends, config)
	return err
}

// run prints and draws the measurements, even if a case failed.
func (b *growthBench) run(cmd *cobra.Command, config configs.Config) error {
	report, err := b.measureOrRead(cmd.Context(), config)
	if b.plot != "" && len(report.Cases) > 0 {
		err = errors.Join(err, writeFile(b.plot, func(f *os.File) error { return report.WritePlot(f) }))
	}
	return errors.Join(err, b.printSpeed(report))
}

func (b *growthBench) measureOrRead(ctx context.Context, config configs.Config) (speed.Report, error) {
	if len(b.from) > 0 {
		return readReports(b.from)
	}
	if err := b.prepare(&b.Benchmark); err != nil {
		return speed.Report{}, err
	}
	if b.report != "" {
		b.Finished = func(report speed.Report) error {
			return writeFile(b.report, func(f *os.File) error { return json.NewEncoder(f).Encode(report) })
		}
	}
	return b.Benchmark.Run(ctx, config)
}

// readReports reads reports, and adds the cases of the others to the first.
func readReports(files []string) (all speed.Report, err error) {
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return all, err
		}
		var report speed.Report
		if err := json.Unmarshal(text, &report); err != nil {
			return all, fmt.Errorf("%s: %w", file, err)
		}
		if i == 0 {
			all = report
		} else {
			all.Cases = append(all.Cases, report.Cases...)
		}
	}
	return all, nil
}
