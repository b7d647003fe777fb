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
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/internal/system"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is an error in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// isUsageError reports whether err is an error in the command line or in the
// configuration.
func isUsageError(err error) bool {
	var usage usageError
	var config *compose.ConfigError
	return errors.As(err, &usage) || errors.As(err, &config)
}

// program holds what all commands share: the standard streams and common flags.
type program struct {
	in       io.Reader
	out, err io.Writer
	json     bool   // --json
	file     string // --config
	started  bool   // whether flags and arguments are parsed
}

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	p := &program{in: in, out: out, err: errOut}
	root := newRoot(p)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return exitDone
	case !p.started || isUsageError(err):
		if cmd.Name() == "help" {
			cmd = root
		}
		fmt.Fprintf(errOut, "mneme: %v\nRun '%s --help' for usage.\n", err, cmd.CommandPath())
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
		Short:         "Memory search for agents: store what they learn, search it in natural language",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	var showVersion bool
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if !showVersion {
			return cmd.Help()
		}
		p.started = true
		return p.printVersion()
	}
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	defaults := configs.Default()
	flags := root.PersistentFlags()
	flags.StringVar(&p.file, "config", "", "YAML configuration `file` (environment variable MNEME_CONFIG)")
	flags.String("data-dir", "", "`folder` for the database and the local key (default: the user's data folder)")
	flags.String("storage", defaults.Storage, "storage: sqlite or postgres")
	flags.String("vector", defaults.Vector, "vector index: flat or milvus")
	flags.String("embedder", defaults.Embedder, "embedder: "+alternatives(configs.Embedders))
	flags.BoolVar(&p.json, "json", false, "print JSON")
	root.Flags().BoolVar(&showVersion, "version", false, "print the version of this build")
	completeWith(root, "storage", "sqlite", "postgres")
	completeWith(root, "vector", "flat", "milvus")
	completeWith(root, "embedder", configs.Embedders...)
	root.AddCommand(
		newServe(p), newDemo(p), newToken(p), newImport(p), newExport(p), newSync(p), newSearch(p), newEmbed(p), newBench(p),
		newGet(p), newPut(p), newList(p), newDelete(p), newHistory(p), newStores(p), newShare(p), newUnshare(p),
		newReady(p), newReindex(p), newReconcile(p), newPurge(p), newEncrypt(p), newDecrypt(p), newMCP(p), newModel(p), newVersion(p), newConfig(p), newDoctor(p), newService(p),
		newOffer(p), newAccount(p), newUsage(p), newSales(p), newRefund(p), newTopUp(p), newPayOut(p), newReceipt(p), newLedger(p),
	)
	root.SetHelpCommand(newHelp(p))
	root.InitDefaultHelpCmd() // adds the help command
	root.InitDefaultCompletionCmd()
	explainMistakes(root)
	return root
}

// do wraps the function of a command. Errors before it runs are usage errors.
func (p *program) do(fn func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		p.started = true
		return fn(cmd, args)
	}
}

// clientVariables are the MNEME_* variables that are not configuration keys.
var clientVariables = []string{"MNEME_CONFIG", "MNEME_TOKEN", "MNEME_SHARED"}

// configure loads the configuration. It warns about variables that look like misspelled
// settings; a server warns about all unknown ones.
func (p *program) configure(cmd *cobra.Command) (configs.Config, error) {
	config, err := configs.Load(p.configFile(), cmd.Flags())
	if err != nil {
		return configs.Config{}, usageError{err}
	}
	for _, unknown := range configs.UnknownVariables(clientVariables...) {
		switch {
		case len(unknown.Nearest) > 0:
			p.logger(config.Log).Warn("an environment variable is no setting", "name", unknown.Name, "did_you_mean", strings.Join(unknown.Nearest, " or "))
		case cmd.Name() == "serve":
			p.logger(config.Log).Warn("an environment variable is no setting", "name", unknown.Name)
		}
	}
	return config, nil
}

// logger returns a logger to stderr, as configured.
func (p *program) logger(config configs.Log) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(config.Level)) // validated with the configuration
	options := &slog.HandlerOptions{Level: level}
	if config.Format == "json" {
		return slog.New(slog.NewJSONHandler(p.err, options))
	}
	return slog.New(slog.NewTextHandler(p.err, options))
}

// printJSON prints a value as one line of JSON.
func (p *program) printJSON(value any) error {
	encoder := json.NewEncoder(p.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// onTerminal reports whether a stream is a terminal.
func onTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// styled reports whether a stream is a terminal on which text may be bold: not a dumb one,
// and only if NO_COLOR is not set (https://no-color.org).
func styled(stream any) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && onTerminal(stream) &&
		system.ShowStyles(stream.(*os.File))
}

// only reports whether the command line has none of --agent, --taint, --store and --url
// except those in names: a flag such as --full excludes the others.
func only(cmd *cobra.Command, names ...string) bool {
	ok := true
	for _, flag := range []string{"agent", "taint", "store", "url"} {
		if given := cmd.Flags().Lookup(flag); given != nil && given.Changed && !slices.Contains(names, flag) {
			ok = false
		}
	}
	return ok
}

// closeJoin closes c and joins its error to *err. Deferred, it adds the error to the
// function's returned error.
func closeJoin(c io.Closer, err *error) { *err = errors.Join(*err, c.Close()) }
