package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mneme/benchmarks/measure"
)

// speedReport is what a run of bench speed measured.
type speedReport struct {
	CPUs      int           `json:"cpus"`
	Stores    int           `json:"stores"`
	Questions int           `json:"questions"`
	Seed      uint64        `json:"seed"`
	Vectors   string        `json:"vectors"` // synthetic or model
	Model     modelSpeed    `json:"model"`
	Columns   []speedColumn `json:"columns"` // those of a backend together, by size
}

// modelSpeed is what the model takes by itself.
type modelSpeed struct {
	Fingerprint string          `json:"fingerprint"`
	TextsPerS   float64         `json:"texts_per_s"`
	Question    measure.Latency `json:"question"`
}

// speedColumn is one backend at one size.
type speedColumn struct {
	Backend   string                     `json:"backend"`
	Entries   int                        `json:"entries"`
	WriteS    float64                    `json:"write_s"`
	VectorsS  float64                    `json:"vectors_s"` // making, saving and indexing them
	SettleS   float64                    `json:"settle_s"`  // vacuum, and Milvus's graphs
	DiskBytes int64                      `json:"disk_bytes"`
	HeapBytes uint64                     `json:"heap_bytes"`          // live, after a collection
	RSSBytes  int64                      `json:"rss_bytes,omitempty"` // as the kernel counts; 0: not known here
	Steps     map[string]measure.Latency `json:"steps"`               // of a search in one store, by name
	Degraded  int                        `json:"degraded"`            // answers of which a leg was missing
	Scopes    []speedScope               `json:"scopes"`
	Load      float64                    `json:"load,omitempty"` // of the machine, its average over the last minute
}

// speedScope is a search of many stores.
type speedScope struct {
	Percent int             `json:"percent"` // of all stores
	Stores  int             `json:"stores"`
	Search  measure.Latency `json:"search"`
	Recall  *measure.Recall `json:"recall,omitempty"` // nil: the index is exact
}

// speedSteps in the order in which they are shown. Lexical runs beside embed
// and vector.
var speedSteps = []string{"embed", "lexical", "vector", "fetch", "total"}

// figure is one row of the table.
type figure struct {
	name  string                                   // with spaces before it: of the heading above
	value func(c speedColumn) (v float64, is bool) // nil: a heading
	none  string                                   // stands where a column has no value
	still bool                                     // its growth says nothing
}

// figures are the rows, headings without values among them.
func (r speedReport) figures() []figure {
	const MB = 1 << 20
	plain := func(name string, value func(speedColumn) float64) figure {
		return figure{name: name, value: func(c speedColumn) (float64, bool) { return value(c), true }}
	}
	spreads := func(name string, of func(speedColumn) measure.Latency) []figure {
		return []figure{
			plain(name+" p50", func(c speedColumn) float64 { return of(c).P50 }),
			plain(name+" p99", func(c speedColumn) float64 { return of(c).P99 }),
		}
	}
	recall := func(name string, scope int, value func(measure.Recall) float64) figure {
		return figure{name: name, none: "exact", value: func(c speedColumn) (float64, bool) {
			if r := c.Scopes[scope].Recall; r != nil {
				return value(*r), true
			}
			return 0, false
		}}
	}
	rows := []figure{
		plain("rows written/s", func(c speedColumn) float64 { return float64(c.Entries) / c.WriteS }),
		plain("vectors indexed/s", func(c speedColumn) float64 { return float64(c.Entries) / c.VectorsS }),
		plain("vacuum and graphs, s", func(c speedColumn) float64 { return c.SettleS }),
		plain("disk of the rows, MB", func(c speedColumn) float64 { return float64(c.DiskBytes) / MB }),
		plain("live heap, MB", func(c speedColumn) float64 { return float64(c.HeapBytes) / MB }),
		plain("resident, MB", func(c speedColumn) float64 { return float64(c.RSSBytes) / MB }),
		{name: "search in one store, ms"},
	}
	for _, step := range speedSteps {
		rows = append(rows, spreads("  "+step, func(c speedColumn) measure.Latency { return c.Steps[step] })...)
	}
	rows = append(rows, figure{name: "search in many stores, total, ms"})
	for i, width := range widths {
		rows = append(rows, spreads(fmt.Sprintf("  %d%% of them", width), func(c speedColumn) measure.Latency { return c.Scopes[i].Search })...)
	}
	rows = append(rows, figure{name: "vector index against an exact scan"})
	for i, width := range widths {
		rows = append(rows,
			recall(fmt.Sprintf("  recall@10 in %d%%", width), i, func(r measure.Recall) float64 { return r.At10 }),
			recall(fmt.Sprintf("  recall@100 in %d%%", width), i, func(r measure.Recall) float64 { return r.At100 }),
			recall(fmt.Sprintf("  recall@200 in %d%%", width), i, func(r measure.Recall) float64 { return r.At200 }))
	}
	if slices.ContainsFunc(r.Columns, func(c speedColumn) bool { return c.Degraded > 0 }) {
		rows = append(rows, plain("answers without a leg", func(c speedColumn) float64 { return float64(c.Degraded) }))
	}
	return append(rows, figure{name: "load of the machine", none: "?", still: true, value: func(c speedColumn) (float64, bool) { return c.Load, c.Load > 0 }})
}

// print writes the table: a column for each size of a backend, and behind
// them how its figures grow from the first to the last.
func (r speedReport) print(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%d CPUs; %d stores; %d questions\n", r.CPUs, r.Stores, r.Questions)
	fmt.Fprintf(w, "%s vectors; the model by itself: %.0f texts/s, a question %.1f ms (%s)\n\n",
		r.Vectors, r.Model.TextsPerS, r.Model.Question.P50, r.Model.Fingerprint)
	lines := [][]string{{""}, {"entries"}}
	figures := r.figures()
	for _, f := range figures {
		lines = append(lines, []string{f.name})
	}
	for from := 0; from < len(r.Columns); {
		to := from + 1
		for to < len(r.Columns) && r.Columns[to].Backend == r.Columns[from].Backend {
			to++
		}
		of := r.Columns[from:to]
		for i, c := range of {
			name := ""
			if i == 0 {
				name = c.Backend
			}
			lines[0] = append(lines[0], name)
			lines[1] = append(lines[1], strconv.Itoa(c.Entries))
		}
		if len(of) > 1 {
			lines[0], lines[1] = append(lines[0], ""), append(lines[1], "growth")
		}
		for i, f := range figures {
			lines[i+2] = append(lines[i+2], f.cells(of)...)
		}
		from = to
	}
	writeColumns(w, lines)
	return w.Flush()
}

// cells are a row's for the sizes of one backend, and their growth if there
// are several.
func (f figure) cells(of []speedColumn) []string {
	cells := make([]string, len(of), len(of)+1)
	var values []float64
	for i, c := range of {
		if f.value == nil {
			continue
		}
		cells[i] = f.none
		if v, is := f.value(c); is {
			cells[i] = number(v)
			values = append(values, v)
		}
	}
	growth := ""
	if len(values) == len(of) && values[0] > 0 && !f.still {
		growth = fmt.Sprintf("×%.2f", values[len(values)-1]/values[0])
	}
	if len(of) > 1 {
		cells = append(cells, growth)
	}
	return cells
}

// number shows about three digits.
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

// writeColumns sets the first column flush left and the others flush right.
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

// resident is the memory of this process that is in use, as Linux counts it.
func resident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
			return kB << 10
		}
	}
	return 0
}

// load is how many processes wanted to run at a time over the last minute, as
// Linux counts it; 0: not known here.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	value, _ := strconv.ParseFloat(first, 64)
	return value
}
