package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// measure runs the cases in rounds and appends their output to base.txt and
// head.txt. It returns the cases that could not be compared, each with its reason.
func measure(ctx context.Context, base, head *tree, o options) (left []string, err error) {
	var outputs [2]*os.File
	for i, name := range []string{"base.txt", "head.txt"} {
		if outputs[i], err = os.Create(filepath.Join(o.raw, name)); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, outputs[i].Close()) }()
	}
	trees := [2]*tree{base, head}
	var chosen []benchCase
	for _, c := range o.cases {
		if !o.only.MatchString(c.String()) {
			continue
		}
		reason, err := prepare(ctx, trees, c)
		if err != nil {
			return nil, err
		}
		if reason != "" {
			left = append(left, fmt.Sprintf("%s: %s", c, reason))
			continue
		}
		chosen = append(chosen, c)
	}
	if len(chosen) == 0 {
		return left, errors.New("no benchmark to compare")
	}
	began := time.Now()
	for round := range o.rounds {
		for _, c := range chosen {
			for turn := range 2 {
				which := (round + turn) % 2 // base, head, head, base
				out, err := runCase(ctx, trees[which], c, c.time)
				if err != nil {
					return left, err
				}
				if _, err := outputs[which].Write(out); err != nil {
					return left, err
				}
			}
		}
		log.Printf("round %d of %d after %s", round+1, o.rounds, time.Since(began).Round(time.Second))
	}
	return left, nil
}

// prepare builds a case at both commits and runs it there once, so that files are
// cached. If the case cannot be compared, it returns the reason.
func prepare(ctx context.Context, trees [2]*tree, c benchCase) (reason string, err error) {
	for i, t := range trees {
		program, err := t.build(ctx, c.pkg)
		if err != nil {
			return "", err
		}
		if program == "" {
			return fmt.Sprintf("%s has no such package", t.Hash), nil
		}
		log.Printf("%s: first run at %s", c, t.Hash)
		out, err := runCase(ctx, t, c, "1x")
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil && i == 0:
			return fmt.Sprintf("fails at %s", t.Hash), nil
		case err != nil: // this commit's own benchmark must run
			return "", err
		case !strings.Contains(string(out), "ns/op"):
			return fmt.Sprintf("%s has no such benchmark", t.Hash), nil
		}
	}
	return "", nil
}

var packageLine = regexp.MustCompile(`(?m)^pkg: .*$`)

// runCase runs a case once and returns its output, with a line for the CPU time of the
// whole run, including preparations. On a busy machine CPU time is much steadier than
// the clock. The package is named by its folder: the module may have had another path.
func runCase(ctx context.Context, t *tree, c benchCase, benchtime string) ([]byte, error) {
	args := append([]string{"-test.run", "^$", "-test.bench", c.bench, "-test.benchtime", benchtime}, c.args...)
	cmd := exec.CommandContext(ctx, t.tests[c.pkg], args...) //nolint:gosec // a program that this one has built
	cmd.Dir = filepath.Join(t.folder, c.pkg)
	cmd.Env = environment(os.Environ())
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s at %s: %w\n%s", c, t.Hash, err, out)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	out = packageLine.ReplaceAll(out, []byte("pkg: "+c.pkg))
	return fmt.Appendf(out, "Benchmark%s 1 %d ns/op\n", c.cpuName(), used.Nanoseconds()), nil
}

// environment returns the variables without CI and without those that name servers
// or settings of mneme, so that benchmarks of servers skip.
func environment(variables []string) []string {
	var kept []string
	for _, v := range variables {
		if name, _, _ := strings.Cut(v, "="); name != "CI" && !strings.HasPrefix(name, "MNEME_") {
			kept = append(kept, v)
		}
	}
	return kept
}
