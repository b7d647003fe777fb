package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

const (
	// failedLines and saidLines are the numbers of output lines that are printed of a
	// failed step and of a passed one.
	failedLines = 60
	saidLines   = 200
)

// lastLines returns the last n lines of a text, each with its line break.
func lastLines(text string, n int) string {
	if text == "" {
		return ""
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "") + "\n"
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0f s", d.Seconds()) }

// printTable prints the durations of the steps, longest first, and how many had
// passed before.
func printTable(out io.Writer, results []result, all time.Duration) {
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b result) int { return int(b.took - a.took) })
	before := 0
	fmt.Fprintln(out, "── seconds by step; several run at a time")
	for _, r := range results {
		if r.before {
			before++
			continue
		}
		fmt.Fprintf(out, "%6.0f  %s\n", r.took.Seconds(), r.name)
	}
	fmt.Fprintf(out, "%6.0f  in all, %d steps as before\n", all.Seconds(), before)
}
