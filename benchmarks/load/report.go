package load

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"mneme/benchmarks/harness"
	"mneme/benchmarks/measure"
)

// Report holds the results of a benchmark.
type Report struct {
	CPUs      int    `json:"cpus"`
	Backend   string `json:"backend"`
	Dataset   string `json:"dataset"`
	Entries   int    `json:"entries"`
	Questions int    `json:"questions"`
	Model     string `json:"model"` // fingerprint of the embedder
	Cases     []Case `json:"cases"` // by number of callers, as configured
}

// Case holds the results for a number of callers.
type Case struct {
	Callers int  `json:"callers"`
	First   Load `json:"first"` // each caller asks new questions
	Again   Load `json:"again"` // each caller repeats its questions: the server has their vectors
}

// Load holds the results of one run.
type Load struct {
	Searches int     `json:"searches"` // that were answered
	PerS     float64 `json:"per_s"`
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	P99      float64 `json:"p99_ms"`
	// SlowestToMedian and SlowestToFastest are the mean latency of the slowest caller, divided
	// by the median caller's and the fastest caller's.
	SlowestToMedian  float64 `json:"slowest_to_median"`
	SlowestToFastest float64 `json:"slowest_to_fastest"`
	// CPU is the server's processor time per search. CPU and Resident are 0 if
	// unknown.
	CPU      float64 `json:"cpu_ms,omitempty"`
	Resident int64   `json:"resident_bytes,omitempty"` // at the end of the run
	Degraded int     `json:"degraded"`                 // answers without a leg
	Refused  int     `json:"refused"`                  // because of a full queue or a rate
}

// newLoad summarizes a run.
func newLoad(callers []*caller, took time.Duration, before, after harness.Usage) Load {
	var all, means []time.Duration
	l := Load{Resident: after.Resident}
	for _, c := range callers {
		l.Degraded += c.degraded
		l.Refused += c.refused
		if len(c.samples) == 0 {
			continue
		}
		var sum time.Duration
		for _, sample := range c.samples {
			sum += sample
		}
		means = append(means, sum/time.Duration(len(c.samples)))
		all = append(all, c.samples...)
	}
	l.Searches = len(all)
	if len(all) == 0 {
		return l
	}
	slices.Sort(all)
	slices.Sort(means)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	l.PerS = float64(len(all)) / took.Seconds()
	l.P50, l.P95, l.P99 = ms(measure.Quantile(all, .50)), ms(measure.Quantile(all, .95)), ms(measure.Quantile(all, .99))
	slowest := means[len(means)-1].Seconds()
	l.SlowestToMedian = slowest / measure.Quantile(means, .50).Seconds()
	l.SlowestToFastest = slowest / means[0].Seconds()
	l.CPU = ms(after.CPU-before.CPU) / float64(len(all))
	return l
}

// WriteTable writes the report as a table: two lines for each number of callers.
func (r Report) WriteTable(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s: %d entries, %d questions; %s; %d CPUs; %s\n\n", r.Dataset, r.Entries, r.Questions, r.Backend, r.CPUs, r.Model)
	const line = "%-8s%-7s%9s%8s%9s%9s%9s%9s%9s%8s%9s\n"
	fmt.Fprintf(w, line, "callers", "asked", "searches", "/s", "p50 ms", "p95 ms", "p99 ms", "/median", "/fastest", "cpu ms", "MB")
	degraded, refused := 0, 0
	for _, c := range r.Cases {
		for _, run := range []struct {
			name string
			Load
		}{{"first", c.First}, {"again", c.Again}} {
			l := run.Load
			fmt.Fprintf(w, line, strconv.Itoa(c.Callers), run.name, strconv.Itoa(l.Searches), decimals(l.PerS, 1),
				decimals(l.P50, 2), decimals(l.P95, 2), decimals(l.P99, 2), decimals(l.SlowestToMedian, 2), decimals(l.SlowestToFastest, 2),
				decimals(l.CPU, 2), decimals(float64(l.Resident)/(1<<20), 0))
			degraded += l.Degraded
			refused += l.Refused
		}
	}
	fmt.Fprint(w, "\n/median, /fastest: the mean latency of the slowest caller, divided by the median caller's\nand the fastest caller's. cpu: of the server, for a search.\n")
	if degraded > 0 || refused > 0 {
		fmt.Fprintf(w, "%d answers lack a leg, %d searches were refused.\n", degraded, refused)
	}
	return w.Flush()
}

// decimals formats v with n decimals; an unknown figure is a dash.
func decimals(v float64, n int) string {
	if v == 0 {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', n, 64)
}
