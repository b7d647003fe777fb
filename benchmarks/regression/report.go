package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report holds the results of a comparison.
type Report struct {
	Base, Head       commit
	Rounds           int
	Threshold, Alpha float64
	Date             time.Time
	Processor        string
	CPUs             int
	Platform         string
	Rows             []Row
	Left             []string // cases that could not be compared, each with its reason
}

// Slower returns how many benchmarks became slower.
func (r Report) Slower() int { return r.count(Slower) }

func (r Report) count(o Outcome) int {
	n := 0
	for _, row := range r.Rows {
		if row.Outcome(r.Threshold) == o {
			n++
		}
	}
	return n
}

// TooNoisy reports whether more than half of the rows are inconclusive.
func (r Report) TooNoisy() bool { return r.count(Noisy) > len(r.Rows)/2 }

// order is the order of the table: rows that need attention first.
var order = map[Outcome]int{Slower: 0, Faster: 1, Same: 2, Noisy: 3, OneSided: 4}

// Markdown returns the page.
func (r Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Speed of two commits

Written by `+"`go run ./benchmarks/regression -base %s -head %s -markdown FILE`"+`; do not edit.

| | commit | date | |
|---|---|---|---|
| base | %s | %s | %s |
| head | %s | %s | %s |

%s, %s (%d logical processors), %s. Both commits ran each benchmark %d times, in turns.

`, r.Base.Hash, r.Head.Hash, r.Base.Hash, r.Base.Date, escape(r.Base.Title), r.Head.Hash, r.Head.Date, escape(r.Head.Title),
		r.Date.Format(time.DateOnly), cmp.Or(r.Processor, "unknown processor"), r.CPUs, r.Platform, r.Rounds)

	fmt.Fprintf(&b, "**%d slower, %d faster, %d unchanged, %d too noisy to tell.**\n\n",
		r.Slower(), r.count(Faster), r.count(Same), r.count(Noisy))
	fmt.Fprintf(&b, "A difference counts if it is above %g %% and its p is below %g (benchstat's, by the\n"+
		"Mann-Whitney U test). Times are medians with their 95 %% intervals. Without a difference, a\n"+
		"row with an interval above ±%g %% is too noisy to tell. `%s…` is the CPU time of a whole run\n"+
		"of benchmarks, preparations included. A star marks packages whose tests changed between\n"+
		"the commits: what their benchmarks do may have changed, too.\n\n", r.Threshold, r.Alpha, noisy*r.Threshold, cpuPrefix)

	fmt.Fprint(&b, "| package | benchmark | base | head | change | |\n|---|---|---:|---:|---:|---|\n")
	rows := slices.Clone(r.Rows)
	slices.SortStableFunc(rows, func(x, y Row) int {
		return cmp.Compare(order[x.Outcome(r.Threshold)], order[y.Outcome(r.Threshold)])
	})
	for _, row := range rows {
		star := ""
		if row.TestsChanged {
			star = " *"
		}
		change := "~"
		if row.Differs {
			change = fmt.Sprintf("%+.1f %%", row.Change)
		}
		said := map[Outcome]string{Slower: "**slower**", Faster: "faster", Noisy: "too noisy", OneSided: "not compared"}[row.Outcome(r.Threshold)]
		if said == "not compared" {
			change = ""
		}
		fmt.Fprintf(&b, "| %s%s | `%s` | %s | %s | %s | %s |\n", row.Package, star, escape(row.Name),
			duration(row.Base, row.BaseSpread), duration(row.Head, row.HeadSpread), change, said)
	}
	if len(r.Left) > 0 {
		fmt.Fprint(&b, "\nNot compared:\n\n")
		for _, reason := range r.Left {
			fmt.Fprintf(&b, "- %s\n", escape(reason))
		}
	}
	return b.String()
}

// escape escapes a text for a table cell.
func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// duration writes a median in seconds with three digits, and its spread.
func duration(seconds float64, spread string) string {
	if seconds == 0 {
		return "–"
	}
	for _, unit := range []struct {
		name string
		of   float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= unit.of {
			return digits(seconds/unit.of) + " " + unit.name + " ± " + spread
		}
	}
	return digits(seconds/1e-9) + " ns ± " + spread
}

// digits writes a number with three significant digits.
func digits(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.2f", x)
	}
}
