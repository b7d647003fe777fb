package main

import (
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"mneme/benchmarks/harness"
	"mneme/configs"
)

func newBench(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how well and how fast this build searches",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchRelevance(p), newBenchSpeed(p))
	return cmd
}

// progress is a harness.Progress on stderr.
func (p *program) progress(total int64, task string) harness.Bar { return p.newBar(total, task) }

// benchLogger logs errors only, whatever the configuration says: the output of
// a benchmark is its report.
func (p *program) benchLogger() *slog.Logger {
	return p.logger(configs.Log{Level: "error", Format: "text"})
}

// writeFile creates a file with what write puts into it.
func writeFile(path string, write func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
