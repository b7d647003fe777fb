// Command check implements .ci/run: it runs the steps listed in steps.go, several
// concurrently, and skips those that have passed on this machine with the same inputs.
//
//	check [--all] [--long] [--list] [STEP…]
//
// CONTRIBUTING.md describes the steps of each kind of run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := check(ctx, os.Stdout, os.Args[1:])
	stop()
	switch {
	case err == nil:
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "── failed:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: .ci/run [--all] [--long] [--list] [STEP…]")

func check(ctx context.Context, out io.Writer, arguments []string) error {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	all := flags.Bool("all", false, "run steps again that have passed with the same inputs")
	long := flags.Bool("long", false, "with the steps that take long and rarely fail")
	list := flags.Bool("list", false, "print the names of all steps")
	if err := flags.Parse(arguments); err != nil {
		return errUsage
	}
	if err := steps.verify(); err != nil {
		return err
	}
	if *list {
		printSteps(out, steps)
		return nil
	}
	chosen, err := steps.choose(flags.Args(), *long)
	if err != nil {
		return fmt.Errorf("%w\n%w", err, errUsage)
	}
	root, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	cache, err := openCache(os.Getenv("MNEME_CI_CACHE")) // .ci/run sets it
	if err != nil {
		return err
	}
	// The work folder must be readable for others: the database runs as another user.
	work, err := os.MkdirTemp("", "mneme-ci-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.Chmod(work, 0o755); err != nil { //nolint:gosec // as said
		return err
	}
	environ, err := environment(cache)
	if err != nil {
		return err
	}
	if *all { // first, so that the results of this run are cached for the next
		if err := exec.CommandContext(ctx, "go", "clean", "-testcache").Run(); err != nil {
			return fmt.Errorf("go clean: %w", err)
		}
	}
	begun := time.Now()
	r := &run{
		root: strings.TrimSpace(string(root)), plan: steps, cache: cache, environ: environ, work: work, out: out,
		all: *all || len(flags.Args()) > 0, workers: runtime.NumCPU() + 1,
	}
	err = errors.Join(r.steps(ctx, chosen), cache.sweep())
	printTable(out, r.results, time.Since(begun))
	if err == nil {
		fmt.Fprint(out, r.closing(chosen))
	}
	return err
}

func printSteps(out io.Writer, p plan) {
	for _, s := range p {
		if s.isCheck() {
			fmt.Fprintln(out, s.name, map[bool]string{true: "(in a long run)"}[s.long])
		}
	}
}

// environment is the environment of all steps. The variables that Go's tests read are
// the same in each run: the test cache depends on them.
func environment(c *cache) ([]string, error) {
	var ports [4]string
	for i := range ports {
		var err error
		if ports[i], err = port(17430 + i); err != nil {
			return nil, err
		}
	}
	return slices.Concat(os.Environ(), []string{
		// With CI set, a test whose service or data is missing fails instead of skipping.
		"CI=true",
		"CGO_ENABLED=0",
		"GOFLAGS=" + os.Getenv("GOFLAGS") + " -trimpath", // checkouts share build results
		"tools=" + c.tools(),
		"mneme=" + filepath.Join(c.tools(), "mneme"),
		"postgres_port=" + ports[0], "milvus_port=" + ports[1], "etcd_port=" + ports[2], "etcd_peer_port=" + ports[3],
		"MNEME_POSTGRES_DSN=postgres://mneme@127.0.0.1:" + ports[0] + "/postgres?sslmode=disable",
		"MNEME_MILVUS_ADDR=127.0.0.1:" + ports[1],
		"PYTHON=" + filepath.Join(c.tools(), "python", "bin", "python"),
	}), nil
}

var ports []net.PacketConn // held until the run ends

// port returns the first free port from n on. Other runs do not take it, since this run
// holds the UDP port of the same number.
func port(n int) (string, error) {
	for ctx, config := context.Background(), (net.ListenConfig{}); n < 1<<16; n += 10 {
		if held, err := config.ListenPacket(ctx, "udp", fmt.Sprintf("127.0.0.1:%d", n)); err == nil {
			ports = append(ports, held)
			if l, err := config.Listen(ctx, "tcp", held.LocalAddr().String()); err == nil {
				return fmt.Sprint(n), l.Close()
			}
		}
	}
	return "", errors.New("no port is free")
}

// closing returns the last line of the last step's output: the count of tests.
func (r *run) closing(checks plan) string {
	for _, s := range slices.Backward(checks) {
		if text, err := os.ReadFile(r.log(s)); s.last && err == nil {
			return lastLines(string(text), 1)
		}
	}
	return ""
}
