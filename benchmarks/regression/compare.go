package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"strconv"
	"strings"
)

// Row compares one benchmark. Times are medians in seconds.
type Row struct {
	Package, Name string
	Base, Head    float64 // 0 if the commit does not have the benchmark
	BaseSpread    string  // benchstat's confidence interval of the median, such as "2%"
	HeadSpread    string
	Change        float64 // in percent; 0 unless Differs
	Differs       bool    // p is below alpha
	P             string  // benchstat's p and n, such as "p=0.000 n=10"

	// TestsChanged reports whether tests of the package differ between the commits.
	TestsChanged bool
}

// compare runs benchstat over the outputs of the benchmarks at both commits.
func compare(ctx context.Context, benchstat string, alpha float64, base, head string) ([]Row, error) {
	cmd := exec.CommandContext(ctx, benchstat, "-format", "csv", "-filter", ".unit:sec/op", //nolint:gosec // the flag's program
		"-alpha", strconv.FormatFloat(alpha, 'g', -1, 64), "base="+base, "head="+head)
	var stderr bytes.Buffer // warnings, unless it fails
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("benchstat: %w\n%s", err, stderr.Bytes())
	}
	return parseComparison(bytes.NewReader(out))
}

// Columns of benchstat's CSV.
const (
	columnName = iota
	columnBase
	columnBaseSpread
	columnHead
	columnHeadSpread
	columnChange
	columnP
	columns
)

// parseComparison reads benchstat's CSV: for each package a line "pkg: NAME", two
// lines of headings, a line for each benchmark, and their geometric mean.
func parseComparison(r io.Reader) ([]Row, error) {
	lines := csv.NewReader(r)
	lines.FieldsPerRecord = -1
	lines.LazyQuotes = true
	var rows []Row
	var pkg string
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("benchstat's output: %w", err)
		}
		if name, ok := strings.CutPrefix(fields[columnName], "pkg: "); ok {
			pkg = name
		}
		if len(fields) < columnBaseSpread || fields[columnName] == "" || fields[columnName] == "geomean" {
			continue
		}
		row, err := parseRow(append(fields, make([]string, columns)...))
		if err != nil {
			return nil, fmt.Errorf("benchstat's output: benchmark %s: %w", fields[columnName], err)
		}
		row.Package = pkg
		rows = append(rows, row)
	}
}

func parseRow(fields []string) (Row, error) {
	row := Row{Name: fields[columnName], BaseSpread: fields[columnBaseSpread], HeadSpread: fields[columnHeadSpread], P: fields[columnP]}
	for column, to := range map[int]*float64{columnBase: &row.Base, columnHead: &row.Head} {
		if fields[column] == "" {
			continue
		}
		var err error
		if *to, err = strconv.ParseFloat(fields[column], 64); err != nil {
			return row, err
		}
	}
	switch change := fields[columnChange]; change {
	case "", "~":
		return row, nil
	default:
		value, err := strconv.ParseFloat(strings.TrimSuffix(change, "%"), 64)
		row.Change, row.Differs = value, true
		return row, err
	}
}

// Outcome classifies a Row.
type Outcome int

const (
	Same     Outcome = iota // no difference above noise and threshold
	Slower                  // by more than the threshold, with p below alpha
	Faster                  // likewise
	OneSided                // only one of the commits has the benchmark
	Noisy                   // no difference, but noise would have hidden one
)

// Outcome compares the row with a threshold in percent.
func (r Row) Outcome(threshold float64) Outcome {
	switch {
	case r.Base == 0 || r.Head == 0:
		return OneSided
	case r.Differs && r.Change > threshold:
		return Slower
	case r.Differs && r.Change < -threshold:
		return Faster
	case max(percent(r.BaseSpread), percent(r.HeadSpread)) > noisy*threshold:
		return Noisy
	default:
		return Same
	}
}

// noisy is the width of half an interval, in thresholds, above which a row is
// inconclusive.
const noisy = 2

// percent reads a spread of benchstat; ∞ means too few runs for an interval.
func percent(spread string) float64 {
	value, err := strconv.ParseFloat(strings.TrimSuffix(spread, "%"), 64)
	if err != nil {
		return math.Inf(1)
	}
	return value
}
