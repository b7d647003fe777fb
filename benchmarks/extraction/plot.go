package extraction

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
)

//go:embed plot.svg
var plotText string

var plotTemplate = template.Must(template.New("plot").Parse(plotText))

// Sizes of a plot, in pixels: one row of panels per source.
const (
	panelWidth, panelHeight = 360, 250
	marginLeft, marginTop   = 56, 40
	plotWidth, plotHeight   = 280, 150
)

type panel struct {
	X, Y           int
	Title          string
	Left, Top      int
	Right, Bottom  int
	XTicks, YTicks []tick
	Lines          []line
}

type tick struct {
	At   float64
	Name string
}

type line struct {
	Color  int
	Points string // of a polyline
	EndX   float64
	EndY   float64
}

// WritePlot draws, for each source and choice of terms, each buyer's share of the
// store as a function of the number of searches, as an SVG image.
func (r Report) WritePlot(w io.Writer) error {
	var plot struct {
		Width, Height int
		Panels        []panel
		Legend        []legend
	}
	for row, source := range r.Sources {
		searches := source.searches()
		for column, variant := range Variants() {
			p := newPanel(column, row, source.Source+": "+variant.Name, searches)
			color := 0
			for _, run := range source.Runs {
				if run.Terms == variant.Name {
					p.Lines = append(p.Lines, p.line(run, color, source.Entries, searches))
					if row == 0 && column == 0 {
						plot.Legend = append(plot.Legend, legend{X: 20 + 170*color, Color: color, Name: run.Strategy})
					}
					color++
				}
			}
			plot.Panels = append(plot.Panels, p)
		}
	}
	plot.Width = max(panelWidth*len(Variants()), 20+170*len(plot.Legend))
	plot.Height = 40 + panelHeight*len(r.Sources)
	return plotTemplate.Execute(w, plot)
}

// searches returns the searches of the longest run.
func (r Result) searches() int {
	most := 1
	for _, run := range r.Runs {
		most = max(most, run.Last().Searches)
	}
	return most
}

type legend struct {
	X, Color int
	Name     string
}

func newPanel(column, row int, title string, searches int) panel {
	p := panel{
		X: column * panelWidth, Y: 40 + row*panelHeight, Title: title,
		Left: marginLeft, Top: marginTop, Right: marginLeft + plotWidth, Bottom: marginTop + plotHeight,
	}
	for n := 1; n <= searches; n *= 10 {
		p.XTicks = append(p.XTicks, tick{p.x(n, searches), fmt.Sprint(n)})
	}
	for share := 0; share <= 100; share += 25 {
		p.YTicks = append(p.YTicks, tick{p.y(float64(share) / 100), fmt.Sprintf("%d %%", share)})
	}
	return p
}

// x is logarithmic.
func (p panel) x(n, searches int) float64 {
	share := 0.0
	if searches > 1 {
		share = math.Log(float64(n)) / math.Log(float64(searches))
	}
	return tenth(float64(p.Left) + share*float64(p.Right-p.Left))
}

func (p panel) y(share float64) float64 {
	return tenth(float64(p.Bottom) - share*float64(p.Bottom-p.Top))
}

// tenth rounds a coordinate.
func tenth(v float64) float64 { return math.Round(v*10) / 10 }

func (p panel) line(run Run, color, entries, searches int) line {
	l := line{Color: color}
	var points []string
	for _, point := range run.Points {
		if point.Searches < 1 {
			continue
		}
		l.EndX, l.EndY = p.x(point.Searches, searches), p.y(float64(point.Entries)/float64(max(1, entries)))
		points = append(points, fmt.Sprintf("%g,%g", l.EndX, l.EndY))
	}
	l.Points = strings.Join(points, " ")
	return l
}
