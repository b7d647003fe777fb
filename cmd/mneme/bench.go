package main

import (
	"errors"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"mneme/benchmarks/harness"
	"mneme/configs"
)

func newBench(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure relevance, speed, load, and what buyers can copy",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchRelevance(p), newBenchSpeed(p), newBenchGrowth(p), newBenchLoad(p), newBenchExtraction(p))
	return cmd
}

// benchmark is a run of one of the commands.
type benchmark interface {
	// check validates the flags.
	check(cmd *cobra.Command, config configs.Config) error
	run(cmd *cobra.Command, config configs.Config) error
}

// measure runs a benchmark with the configuration.
func (p *program) measure(b benchmark) func(*cobra.Command, []string) error {
	return p.do(func(cmd *cobra.Command, _ []string) error {
		config, err := p.configure(cmd)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("data-dir") {
			return usageError{errNoDataDir}
		}
		if err := b.check(cmd, config); err != nil {
			return usageError{err}
		}
		return b.run(cmd, config)
	})
}

// errNoDataDir rejects --data-dir, which would suggest that the benchmark measures the
// entries in it.
var errNoDataDir = errors.New("--data-dir has no effect: a benchmark runs in a temporary folder of its own")

// progress implements harness.Progress on stderr.
func (p *program) progress(total int64, task string) harness.Bar { return p.newBar(total, task) }

// benchLogger logs only errors, whatever the configuration: a benchmark's output is its
// report.
func (p *program) benchLogger() *slog.Logger {
	return p.logger(configs.Log{Level: "error", Format: "text"})
}

// writeFile creates a file and calls write to fill it.
func writeFile(path string, write func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(f)
	return errors.Join(err, f.Close())
}
