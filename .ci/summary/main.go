// Command summary reads the output of `go test -json`, prints the packages and
// the failures, and ends with a count. It fails if any test failed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// event is the part of a test2json line that matters here.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build output
	FailedBuild string
	Test        string
	Elapsed     float64 // seconds
	Output      string
}

func main() {
	if !summarize(os.Stdin, os.Stdout) {
		os.Exit(1)
	}
}

// summarize reports whether tests ran and all of them passed or were skipped.
func summarize(in io.Reader, out io.Writer) bool {
	passed, failed, skipped := 0, 0, 0
	failures := make(map[string]int)            // failed tests by package
	output := make(map[string]*strings.Builder) // by package and test
	said := func(key string) *strings.Builder {
		if output[key] == nil {
			output[key] = new(strings.Builder)
		}
		return output[key]
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(out, lines.Text()) // a message of the go command
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "output", "build-output":
			said(key + e.ImportPath).WriteString(e.Output)
			continue
		case "pass", "fail", "skip":
		default:
			continue
		}
		if e.Action == "fail" {
			fmt.Fprint(out, said(key).String())
		}
		switch {
		case e.Test == "":
			took := time.Duration(e.Elapsed * float64(time.Second)).Round(time.Millisecond)
			fmt.Fprintf(out, "%-4s %s %s\n", e.Action, e.Package, took)
			if e.FailedBuild != "" {
				fmt.Fprint(out, said(" "+e.FailedBuild).String())
			}
			// A package can fail without a failed test: it does not build,
			// or its TestMain exits.
			if e.Action == "fail" && failures[e.Package] == 0 {
				failed++
				unended(out, output, e.Package)
			}
		case e.Action == "pass":
			passed++
		case e.Action == "fail":
			failed++
			failures[e.Package]++
		case e.Action == "skip":
			fmt.Fprintf(out, "skip %s %s\n%s", e.Package, e.Test, said(key).String())
			skipped++
		}
		delete(output, key)
	}
	broken := lines.Err() != nil || passed == 0
	if broken {
		fmt.Fprintln(out, "the tests' output ended before its time:", lines.Err())
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return failed == 0 && !broken
}

// Bounds of the output that is printed of an unfinished test, in bytes: of the test's
// own output, and of the stacks after it.
const (
	unendedText   = 20_000
	unendedStacks = 20_000
)

// unended prints the ends of the output of a package's unfinished tests: one of them
// timed out, or ended the process.
func unended(out io.Writer, output map[string]*strings.Builder, name string) {
	for _, key := range slices.Sorted(maps.Keys(output)) {
		test, ok := strings.CutPrefix(key, name+" ")
		if !ok || test == "" {
			continue
		}
		said, stacks, _ := strings.Cut(output[key].String(), "\ngoroutine ")
		fmt.Fprintf(out, "did not end: %s %s\n%s\n%s\n", name, test, said[max(0, len(said)-unendedText):], stacks[:min(len(stacks), unendedStacks)])
	}
}
