// Command regression compares the speed of two commits on this machine and reports
// slowdowns that exceed the noise:
//
//	go run ./benchmarks/regression                  # HEAD with the last release
//	go run ./benchmarks/regression -base COMMIT -markdown FILE
//
// It checks both commits out into a temporary folder, builds the tests of each once, and
// runs a fixed set of benchmarks (see cases.go) in rounds that alternate the commits:
// base, head, head, base. benchstat compares the results. The exit status is 1 if a
// benchmark became slower by more than the threshold and benchstat's p is below alpha,
// and 2 if the comparison failed or most of its rows were inconclusive.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	base, head string
	rounds     int
	threshold  float64 // in percent
	alpha      float64
	only       *regexp.Regexp
	benchstat  string // a program, or "" to build the pinned version
	markdown   string
	raw        string
	cases      []benchCase
}

func parse(arguments []string) (options, error) {
	o := options{cases: cases}
	flags := flag.NewFlagSet("regression", flag.ContinueOnError)
	flags.StringVar(&o.base, "base", "", "the `commit` to compare with (default: the last tag before head)")
	flags.StringVar(&o.head, "head", "HEAD", "the `commit` to judge; changes that are not committed are not measured")
	flags.IntVar(&o.rounds, "rounds", 10, "runs of each benchmark at each commit")
	flags.Float64Var(&o.threshold, "threshold", 5, "the least slowdown that fails, in `percent`")
	flags.Float64Var(&o.alpha, "alpha", .001, "a difference counts if its `p` is below this")
	only := flags.String("only", "", "run only the cases whose PACKAGE/BENCHMARK matches this `regexp`")
	flags.StringVar(&o.benchstat, "benchstat", "", "a benchstat `program` (default: build "+benchstatModule+")")
	flags.StringVar(&o.markdown, "markdown", "", "write the page to this `file`")
	flags.StringVar(&o.raw, "raw", "", "keep the outputs of the benchmarks in this `folder`, as base.txt and head.txt")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if least := leastRounds(o.alpha); o.rounds < least {
		return o, fmt.Errorf("-rounds must be at least %d: with fewer, p is never below %g", least, o.alpha)
	}
	if o.threshold < 0 {
		return o, errors.New("-threshold must not be negative")
	}
	var err error
	o.only, err = regexp.Compile(*only)
	return o, err
}

// leastRounds returns the smallest number of runs n of each commit with which p can be
// below alpha. p is smallest if all runs of one commit are faster than all of the other:
// these are 2 of the (2n choose n) possible orders.
func leastRounds(alpha float64) int {
	n, orders := 1, 2.0
	for 2/orders >= alpha && n < 100 {
		n++
		orders *= float64(2*(2*n-1)) / float64(n)
	}
	return n
}

func main() {
	log.SetFlags(log.Ltime)
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		log.Print(err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	report, err := run(ctx, o)
	stop()
	if err != nil {
		log.Print(err)
		os.Exit(2)
	}
	if report.Slower() > 0 {
		os.Exit(1)
	}
	if report.TooNoisy() {
		log.Print("too noisy to tell: compare on a quieter machine")
		os.Exit(2)
	}
}

// run measures, compares and writes the page.
func run(ctx context.Context, o options) (report Report, err error) {
	work, err := os.MkdirTemp("", "mneme-regression-")
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if o.raw == "" {
		o.raw = work
	} else if err := os.MkdirAll(o.raw, 0o750); err != nil {
		return report, err
	}
	if o.benchstat == "" {
		if o.benchstat, err = buildBenchstat(ctx, work); err != nil {
			return report, err
		}
	}
	if o.base == "" {
		if o.base, err = lastRelease(ctx, o.head); err != nil {
			return report, err
		}
	}
	base, err := checkout(ctx, o.base, filepath.Join(work, "base"))
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, base.remove()) }()
	head, err := checkout(ctx, o.head, filepath.Join(work, "head"))
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, head.remove()) }()

	report = Report{
		Base: base.commit, Head: head.commit, Rounds: o.rounds, Threshold: o.threshold, Alpha: o.alpha,
		Date: time.Now().UTC(), Processor: processor(), CPUs: runtime.NumCPU(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if report.Left, err = measure(ctx, base, head, o); err != nil {
		return report, err
	}
	if report.Rows, err = compare(ctx, o.benchstat, o.alpha, filepath.Join(o.raw, "base.txt"), filepath.Join(o.raw, "head.txt")); err != nil {
		return report, err
	}
	if err := markChanged(ctx, base, head, report.Rows); err != nil {
		return report, err
	}
	page := report.Markdown()
	fmt.Print(page)
	if o.markdown != "" {
		err = os.WriteFile(o.markdown, []byte(page), 0o644) //nolint:gosec // a page of the documentation
	}
	return report, err
}
