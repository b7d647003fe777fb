package speed

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed growth.svg
var plotText string

var plotTemplate = template.Must(template.New("growth").Parse(plotText))

// Sizes of a plot, in pixels.
const (
	plotColumns             = 2
	panelWidth, panelHeight = 345, 214
	panelTop                = 56 // below the legend
	marginLeft, marginTop   = 52, 26
	areaWidth, areaHeight   = 260, 144
)

// curve is a measure of a panel, drawn for each backend.
type curve struct {
	name  string // "": the only one of its panel
	value func(Case) float64
}

// plotted are the panels, in the order of the plot. A value of 0 is missing.
var plotted = []struct {
	title, unit string
	curves      []curve
}{
	{"Search in one store, without embedding, ms", "ms", []curve{
		{"p50", func(c Case) float64 { return c.Steps[WithoutEmbedding].P50 }},
		{"p99", func(c Case) float64 { return c.Steps[WithoutEmbedding].P99 }},
	}},
	{"Write of one entry, ms", "ms", []curve{
		{"p50", func(c Case) float64 { return c.Put.P50 }},
		{"p99", func(c Case) float64 { return c.Put.P99 }},
	}},
	{"Start until ready, ms", "ms", []curve{{"", func(c Case) float64 { return c.ReadyMS }}}},
	{"Disk, MB", "MB", []curve{{"", func(c Case) float64 { return float64(c.DiskBytes) / (1 << 20) }}}},
	{"Resident memory, MB", "MB", []curve{{"", func(c Case) float64 { return float64(c.RSSBytes) / (1 << 20) }}}},
	{"Live heap, MB", "MB", []curve{{"", func(c Case) float64 { return float64(c.HeapBytes) / (1 << 20) }}}},
}

type panel struct {
	X, Y                     int
	Title                    string
	Left, Top, Right, Bottom int
	XTicks, YTicks           []tick
	Linear                   *segment
	Lines                    []line

	x, y scale
}

type tick struct {
	At   float64
	Name string
}

// segment is a straight line.
type segment struct{ X1, Y1, X2, Y2 float64 }

// line shows a measure of a backend: its cases of one store are connected.
type line struct {
	Color, Mark string // classes
	Points      string // of a polyline; "": fewer than two
	Dots        []dot
}

// dot shows the value of a case.
type dot struct {
	X, Y, Left, Top float64 // the center, and the corner of a square
	Many            bool    // the case has several stores
	Name            string
}

type legend struct {
	X, Y              int
	Color, Mark, Name string
}

// WritePlot draws how the figures of each backend grow with the number of entries, as an SVG
// image. Both axes are logarithmic: a line that is parallel to the dotted one grows as
// fast as the number of entries.
func (r Report) WritePlot(w io.Writer) error {
	var plot struct {
		Width, Height int
		Description   string
		Panels        []panel
		Legend        []legend
	}
	backends := r.backends()
	entries := newScale(r.values(func(c Case) float64 { return float64(c.Entries) }))
	for i, measured := range plotted {
		p := newPanel(i, measured.title, entries)
		var values []float64
		for _, c := range measured.curves {
			values = append(values, r.values(c.value)...)
		}
		p.scaleY(newScale(values))
		for color, backend := range backends {
			for _, c := range measured.curves {
				p.draw(r.casesOf(backend), c, fmt.Sprintf("c%d", color%4), measured.unit)
			}
		}
		plot.Panels = append(plot.Panels, p)
	}
	plot.Width = plotColumns * panelWidth
	plot.Height = panelTop + (len(plotted)+plotColumns-1)/plotColumns*panelHeight
	plot.Legend = r.legend(backends)
	plot.Description = r.describe(backends)
	return plotTemplate.Execute(w, plot)
}

// backends returns the names of the backends in the order of their first cases.
func (r Report) backends() (names []string) {
	for _, c := range r.Cases {
		if !slices.Contains(names, c.Backend) {
			names = append(names, c.Backend)
		}
	}
	return names
}

// casesOf returns the cases of a backend, by number of entries and then of stores.
func (r Report) casesOf(backend string) (cases []Case) {
	for _, c := range r.Cases {
		if c.Backend == backend {
			cases = append(cases, c)
		}
	}
	slices.SortStableFunc(cases, func(a, b Case) int {
		if a.Entries != b.Entries {
			return a.Entries - b.Entries
		}
		return a.Stores - b.Stores
	})
	return cases
}

// values returns the values that are not missing.
func (r Report) values(of func(Case) float64) (values []float64) {
	for _, c := range r.Cases {
		if v := of(c); v > 0 {
			values = append(values, v)
		}
	}
	return values
}

func (r Report) legend(backends []string) (items []legend) {
	for i, backend := range backends {
		items = append(items, legend{X: marginLeft + i*150, Y: 22, Color: fmt.Sprintf("c%d", i%4), Name: backend})
	}
	marks := []legend{{Mark: "p50", Name: "p50, or the only value"}, {Mark: "p99", Name: "p99"}, {Mark: "linear", Name: "linear"}}
	if i := slices.IndexFunc(r.Cases, func(c Case) bool { return c.Stores > 1 }); i >= 0 {
		marks = append(marks, legend{Mark: "many", Name: storesText(r.Cases[i].Stores)})
	}
	at := marginLeft
	for _, mark := range marks {
		mark.X, mark.Y = at, 42
		at += 60 + 7*len(mark.Name) // 7 pixels a letter
		items = append(items, mark)
	}
	return items
}

func storesText(n int) string {
	if n == 1 {
		return "1 store"
	}
	return grouped(n) + " stores"
}

// describe returns the text alternative of the plot.
func (r Report) describe(backends []string) string {
	var titles []string
	for _, measured := range plotted {
		titles = append(titles, measured.title)
	}
	largest := 0
	for _, c := range r.Cases {
		largest = max(largest, c.Entries)
	}
	return fmt.Sprintf("Six panels with logarithmic axes: %s. Each shows %s by number of entries, up to %s.",
		strings.Join(titles, "; "), strings.Join(backends, " and "), grouped(largest))
}

func newPanel(i int, title string, entries scale) panel {
	p := panel{
		X: i % plotColumns * panelWidth, Y: panelTop + i/plotColumns*panelHeight, Title: title,
		Left: marginLeft, Top: marginTop, Right: marginLeft + areaWidth, Bottom: marginTop + areaHeight, x: entries,
	}
	for _, n := range entries.decades() {
		p.XTicks = append(p.XTicks, tick{p.atX(n), decade(n)})
	}
	if len(p.XTicks) > 0 {
		p.XTicks[0].Name += " entries" // where the margin has room
	}
	return p
}

func (p *panel) scaleY(y scale) {
	p.y = y
	for _, v := range y.decades() {
		p.YTicks = append(p.YTicks, tick{p.atY(v), decade(v)})
	}
}

func (p *panel) atX(n float64) float64 {
	return tenth(float64(p.Left) + p.x.share(n)*float64(p.Right-p.Left))
}

func (p *panel) atY(v float64) float64 {
	return tenth(float64(p.Bottom) - p.y.share(v)*float64(p.Bottom-p.Top))
}

// draw adds a curve of one backend. The first one determines where the linear growth
// begins.
func (p *panel) draw(cases []Case, of curve, color, unit string) {
	l := line{Color: color, Mark: of.name}
	var points []string
	for _, c := range cases {
		v := of.value(c)
		if v <= 0 {
			continue
		}
		d := dot{X: p.atX(float64(c.Entries)), Y: p.atY(v), Many: c.Stores > 1}
		d.Left, d.Top = tenth(d.X-4), tenth(d.Y-4)
		value := strings.TrimSpace(of.name + " " + number(v) + " " + unit)
		d.Name = fmt.Sprintf("%s, %s entries in %s: %s", c.Backend, grouped(c.Entries), storesText(c.Stores), value)
		l.Dots = append(l.Dots, d)
		if c.Stores > 1 {
			continue
		}
		points = append(points, fmt.Sprintf("%g,%g", d.X, d.Y))
		if p.Linear == nil {
			p.Linear = p.linear(float64(c.Entries), v)
		}
	}
	if len(points) > 1 {
		l.Points = strings.Join(points, " ")
	}
	if len(l.Dots) > 0 {
		p.Lines = append(p.Lines, l)
	}
}

// linear returns the part within the panel of the line through v at n entries on which
// values grow as fast as the number of entries.
func (p *panel) linear(n, v float64) *segment {
	growth := min(p.x.to/n, p.y.to/v)
	return &segment{p.atX(n), p.atY(v), p.atX(n * growth), p.atY(v * growth)}
}
