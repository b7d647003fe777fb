package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mneme/test/mnemetest"
)

// binary is the path of the mneme executable.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		const checks = "rapid.checks"
		often := flag.Lookup(checks).Value.String()
		set(checks, "20")
		flag.Parse()
		if testing.Short() { // a fifth of rapid's own default
			set(checks, often)
			flag.Parse() // -rapid.checks overrides both
		}
		mnemetest.ClearEnvironment("MNEME_SHARED")
		// On a busy machine a search or a write may take longer than its limit.
		for _, limit := range []string{"MNEME_SEARCH_VECTOR_BUDGET", "MNEME_LIMITS_WRITE_WAIT"} {
			if err := os.Setenv(limit, "4m"); err != nil {
				panic(err)
			}
		}
		addressTimeout = 4 * time.Minute
		dir, err := os.MkdirTemp("", "mneme-test-*")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if binary, err = mnemetest.Build(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// patient makes mneme ready wait for a busy machine.
const patient = "--timeout=4m"

func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}

// result is the outcome of one command line.
type result struct {
	status   int
	out, err string
}

// mneme runs one command line in this process over a data folder.
func mneme(t *testing.T, dir, in string, args ...string) result {
	t.Helper()
	return mnemeUntil(t.Context(), dir, in, args...)
}

// mnemeUntil is mneme, interrupted when ctx ends.
func mnemeUntil(ctx context.Context, dir, in string, args ...string) result {
	var out, errOut bytes.Buffer
	if dir != "" {
		args = append(args, "--data-dir", dir)
	}
	status := run(ctx, args, strings.NewReader(in), &out, &errOut)
	return result{status: status, out: out.String(), err: errOut.String()}
}

// must runs a command line that must succeed and returns its output.
func must(t *testing.T, dir, in string, args ...string) string {
	t.Helper()
	r := mneme(t, dir, in, args...)
	if r.status != exitDone {
		t.Fatalf("mneme %s: status %d\n%s%s", strings.Join(args, " "), r.status, r.out, r.err)
	}
	return r.out
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

// keys returns the keys of an answer's hits, in order.
func keys(a answer) []string {
	var all []string
	for _, h := range a.Hits {
		all = append(all, h.Key)
	}
	return all
}
