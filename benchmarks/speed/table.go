package speed

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mneme/benchmarks/measure"
)

// metricRow is one row of the table.
type metricRow struct {
	name     string                            // indented below a heading
	value    func(c Case) (v float64, ok bool) // nil: the row is a heading
	missing  func(c Case) string               // shown if a case has no value; nil: nothing
	noGrowth bool                              // growth with size is meaningless
}

func unknown(Case) string { return "?" }

// exactIn says why a case that searched a percentage of the stores has no recall.
func exactIn(percent int) func(Case) string {
	return func(c Case) string {
		if _, ok := c.scope(percent); ok {
			return "exact"
		}
		return ""
	}
}

// rows returns the rows of the table, including headings.
func (r Report) rows() []metricRow {
	const MB = 1 << 20
	plain := func(name string, value func(Case) float64) metricRow {
		return metricRow{name: name, value: func(c Case) (float64, bool) { return value(c), true }}
	}
	latency := func(name string, of func(Case) measure.Latency) []metricRow {
		return []metricRow{
			plain(name+" p50", func(c Case) float64 { return of(c).P50 }),
			plain(name+" p99", func(c Case) float64 { return of(c).P99 }),
		}
	}
	recall := func(name string, percent int, value func(measure.Recall) float64) metricRow {
		return metricRow{name: name, missing: exactIn(percent), value: func(c Case) (float64, bool) {
			if s, ok := c.scope(percent); ok && s.Recall != nil {
				return value(*s.Recall), true
			}
			return 0, false
		}}
	}
	rows := []metricRow{
		plain("rows written/s", func(c Case) float64 { return float64(c.Entries) / c.WriteS }),
		plain("vectors indexed/s", func(c Case) float64 { return float64(c.Entries) / c.VectorsS }),
		plain("vacuum and graphs, s", func(c Case) float64 { return c.SettleS }),
		plain("disk of the rows, MB", func(c Case) float64 { return float64(c.DiskBytes) / MB }),
		plain("live heap, MB", func(c Case) float64 { return float64(c.HeapBytes) / MB }),
		plain("resident, MB", func(c Case) float64 { return float64(c.RSSBytes) / MB }),
		{name: "ready, ms", missing: unknown, value: func(c Case) (float64, bool) { return c.ReadyMS, c.ReadyMS > 0 }},
		{name: "write of one entry, ms"},
	}
	rows = append(rows, latency("  until committed", func(c Case) measure.Latency { return c.Put })...)
	rows = append(rows, metricRow{name: "search in one store, ms"})
	for _, step := range steps {
		rows = append(rows, latency("  "+strings.ReplaceAll(step, "_", " "), func(c Case) measure.Latency { return c.Steps[step] })...)
	}
	rows = append(rows, metricRow{name: "search in many stores, total, ms"})
	percents := slices.DeleteFunc(slices.Clone(scopePercents), func(percent int) bool {
		return !slices.ContainsFunc(r.Cases, func(c Case) bool { _, ok := c.scope(percent); return ok })
	})
	for _, percent := range percents {
		of := func(c Case) (Scope, bool) { return c.scope(percent) }
		rows = append(rows,
			metricRow{name: fmt.Sprintf("  %d%% of them p50", percent), value: func(c Case) (float64, bool) { s, ok := of(c); return s.Search.P50, ok }},
			metricRow{name: fmt.Sprintf("  %d%% of them p99", percent), value: func(c Case) (float64, bool) { s, ok := of(c); return s.Search.P99, ok }})
	}
	rows = append(rows, metricRow{name: "vector index against an exact scan"})
	for _, percent := range percents {
		rows = append(rows,
			recall(fmt.Sprintf("  recall@10 in %d%%", percent), percent, func(r measure.Recall) float64 { return r.At10 }),
			recall(fmt.Sprintf("  recall@100 in %d%%", percent), percent, func(r measure.Recall) float64 { return r.At100 }),
			recall(fmt.Sprintf("  recall@200 in %d%%", percent), percent, func(r measure.Recall) float64 { return r.At200 }))
	}
	if slices.ContainsFunc(r.Cases, func(c Case) bool { return c.Degraded > 0 }) {
		rows = append(rows, plain("answers without a leg", func(c Case) float64 { return float64(c.Degraded) }))
	}
	return append(rows, metricRow{name: "load of the machine", missing: unknown, noGrowth: true, value: func(c Case) (float64, bool) { return c.Load, c.Load > 0 }})
}

// WriteTable writes the report as a table: a column for each case, and after the
// cases of each backend with as many stores the growth of its figures from the smallest size to the
// largest.
func (r Report) WriteTable(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%d CPUs; %d questions\n", r.CPUs, r.Questions)
	fmt.Fprintf(w, "%s vectors; the model by itself: %.0f texts/s, a question %.1f ms (%s)\n\n",
		r.Vectors, r.Model.TextsPerS, r.Model.Question.P50, r.Model.Fingerprint)
	lines := [][]string{{""}, {"stores"}, {"entries"}}
	rows := r.rows()
	for _, row := range rows {
		lines = append(lines, []string{row.name})
	}
	for from := 0; from < len(r.Cases); {
		to := from + 1
		for to < len(r.Cases) && r.Cases[to].Backend == r.Cases[from].Backend && r.Cases[to].Stores == r.Cases[from].Stores {
			to++
		}
		cases := r.Cases[from:to]
		for i, c := range cases {
			name := ""
			if i == 0 {
				name = c.Backend
			}
			lines[0] = append(lines[0], name)
			lines[1] = append(lines[1], strconv.Itoa(c.Stores))
			lines[2] = append(lines[2], strconv.Itoa(c.Entries))
		}
		if len(cases) > 1 {
			lines[0], lines[1], lines[2] = append(lines[0], ""), append(lines[1], ""), append(lines[2], "growth")
		}
		for i, row := range rows {
			lines[i+3] = append(lines[i+3], row.cells(cases)...)
		}
		from = to
	}
	writeColumns(w, lines)
	return w.Flush()
}

// cells returns the row's cells for the cases of one backend, and their growth
// if there are several.
func (m metricRow) cells(cases []Case) []string {
	cells := make([]string, len(cases), len(cases)+1)
	var values []float64
	for i, c := range cases {
		if m.value == nil {
			continue
		}
		if v, ok := m.value(c); ok {
			cells[i] = number(v)
			values = append(values, v)
		} else if m.missing != nil {
			cells[i] = m.missing(c)
		}
	}
	growth := ""
	if len(values) == len(cases) && values[0] > 0 && !m.noGrowth {
		growth = fmt.Sprintf("×%.2f", values[len(values)-1]/values[0])
	}
	if len(cases) > 1 {
		cells = append(cells, growth)
	}
	return cells
}

// number formats v with about three significant digits.
func number(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 1.0005 || v == 0:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// writeColumns aligns the first column left and the others right.
func writeColumns(w io.Writer, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}
