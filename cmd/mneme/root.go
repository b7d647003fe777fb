package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mneme/backend"
	"mneme/configs"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is an error of whoever called the command.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// isUsageError reports whether err is the caller's mistake, in the command line
// or in the configuration.
func isUsageError(err error) bool {
	var usage usageError
	var config *backend.ConfigError
	return errors.As(err, &usage) || errors.As(err, &config)
}

// program is what the commands share: their streams and the common flags.
type program struct {
	in       io.Reader
	out, err io.Writer
	json     bool   // --json
	file     string // --config
	started  bool   // flags and arguments were understood
}

// run executes one command line and gives its exit status.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	p := &program{in: in, out: out, err: errOut}
	root := newRoot(p)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitDone
	case !p.started || isUsageError(err):
		fmt.Fprintf(errOut, "mneme: %v\n(mneme help, or --help behind a command, tells how it is called)\n", err)
		return exitUsage
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(errOut, "mneme: interrupted")
		return exitFailed
	default:
		fmt.Fprintf(errOut, "mneme: %v\n", err)
		return exitFailed
	}
}

func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:           "mneme",
		Short:         "Memory search for agents: write what was learnt, ask for it in natural language",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	defaults := configs.Default()
	flags := root.PersistentFlags()
	flags.StringVar(&p.file, "config", "", "configuration `file`, YAML (variable MNEME_CONFIG)")
	flags.String("data-dir", "", "`folder` of database and local key (default: the user's data folder)")
	flags.String("storage", defaults.Storage, "where the rows are: sqlite or postgres")
	flags.String("vector", defaults.Vector, "vector index: flat or milvus")
	flags.String("embedder", defaults.Embedder, "what makes the vectors: e5 or openai")
	flags.BoolVar(&p.json, "json", false, "print JSON for machines")
	root.AddCommand(
		newServe(p), newToken(p), newImport(p), newExport(p), newSearch(p), newEmbed(p), newBench(p),
		newReady(p), newReindex(p), newReconcile(p), newPurge(p), newEncrypt(p), newDecrypt(p), newMCP(p), newVersion(p),
	)
	return root
}

// do makes a command's function: what goes wrong before it is a wrong call.
func (p *program) do(fn func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		p.started = true
		return fn(cmd, args)
	}
}

// clientVariables are MNEME_* variables that are no keys of the
// configuration.
var clientVariables = []string{"MNEME_CONFIG", "MNEME_TOKEN", "MNEME_SHARED"}

// configure reads the configuration.
func (p *program) configure(cmd *cobra.Command) (configs.Config, error) {
	file := p.file
	if file == "" {
		file = os.Getenv("MNEME_CONFIG")
	}
	config, err := configs.Load(file, cmd.Flags())
	if err != nil {
		return configs.Config{}, usageError{err}
	}
	return config, nil
}

// logger writes to stderr as the configuration says.
func (p *program) logger(config configs.Log) *slog.Logger {
	var level slog.Level
	// Without an error: the configuration was checked.
	_ = level.UnmarshalText([]byte(config.Level))
	options := &slog.HandlerOptions{Level: level}
	if config.Format == "json" {
		return slog.New(slog.NewJSONHandler(p.err, options))
	}
	return slog.New(slog.NewTextHandler(p.err, options))
}

// printJSON writes one value as a line.
func (p *program) printJSON(value any) error {
	encoder := json.NewEncoder(p.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// onTerminal tells whether a stream is one.
func onTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// only tells whether the given flags of a command are among names: for flags
// that exclude all others.
func only(cmd *cobra.Command, names ...string) bool {
	ok := true
	for _, flag := range []string{"agent", "taint", "store", "url"} {
		if given := cmd.Flags().Lookup(flag); given != nil && given.Changed && !slices.Contains(names, flag) {
			ok = false
		}
	}
	return ok
}
