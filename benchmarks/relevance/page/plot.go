package page

import (
	"fmt"
	"math"
	"slices"

	"mneme/benchmarks/measure"
	"mneme/benchmarks/relevance"
)

// colors is the number of colors of runs in page.css.
const colors = 8

// dotPlot is a row for each run: its mean with its interval, on one axis.
type dotPlot struct {
	Title         string
	Width, Height float64
	Left, Right   float64 // of the axis
	Bottom        float64
	Ticks         []tick
	Rows          []dot
}

type dot struct {
	Name         string
	Color        int
	Y            float64
	X, Low, High float64
	Value        string
}

type tick struct {
	At   float64
	Name string
}

const rowHeight = 26

// span is the part of 0–1 that an axis shows, and its tick spacing.
type span struct{ low, high, step float64 }

// spanOf returns a span that includes all intervals.
func spanOf(estimates []measure.Estimate) span {
	low, high := 1., 0.
	for _, e := range estimates {
		low, high = min(low, e.Low), max(high, e.High)
	}
	s := span{low: math.Floor(low*10) / 10, high: math.Ceil(high*10) / 10, step: .1}
	if s.high-s.low < .1 { // a single tick says too little
		s.low, s.high = max(0, s.high-.1), max(.1, s.high)
	}
	if s.high-s.low < .25 {
		s.step = .05
	}
	return s
}

// newDotPlot places estimates on an axis.
func newDotPlot(title string, names []string, estimates []measure.Estimate, axis span) dotPlot {
	p := dotPlot{Title: title, Width: 640, Left: 150, Right: 560}
	x := func(v float64) float64 { return pixel(p.Left + (p.Right-p.Left)*(v-axis.low)/(axis.high-axis.low)) }
	for i, e := range estimates {
		p.Rows = append(p.Rows, dot{
			Name: names[i], Color: i % colors, Y: rowHeight*float64(i) + rowHeight/2 + 4,
			X: x(e.Mean), Low: x(e.Low), High: x(e.High), Value: fmt.Sprintf("%.3f", e.Mean),
		})
	}
	p.Bottom = rowHeight*float64(len(estimates)) + 8
	p.Height = p.Bottom + 22
	for i := range int((axis.high-axis.low)/axis.step+.5) + 1 {
		v := axis.low + float64(i)*axis.step
		p.Ticks = append(p.Ticks, tick{At: x(v), Name: fmt.Sprintf("%.2f", v)})
	}
	return p
}

// runPlot shows the nDCG@10 of a set's runs.
func runPlot(set relevance.SetReport) dotPlot {
	var names []string
	var estimates []measure.Estimate
	for _, run := range set.Runs {
		names, estimates = append(names, run.Name), append(estimates, run.Intervals[relevance.Measures[0].Key])
	}
	return newDotPlot("nDCG@10 with 95 % intervals", names, estimates, spanOf(estimates))
}

// slicePlots shows the nDCG@10 of a set's slices, all on the same axis.
func slicePlots(set relevance.SetReport) []dotPlot {
	var plots []dotPlot
	var all []measure.Estimate
	for _, slice := range set.Slices {
		for _, run := range slice.Runs {
			all = append(all, run.NDCG10)
		}
	}
	for _, slice := range set.Slices {
		var names []string
		var estimates []measure.Estimate
		for _, run := range slice.Runs {
			names, estimates = append(names, run.Name), append(estimates, run.NDCG10)
		}
		title := fmt.Sprintf("%s: %s (%d questions)", slice.Field, slice.Value, slice.Queries)
		plots = append(plots, newDotPlot(title, names, estimates, spanOf(all)))
	}
	return plots
}

// linePlot has two axes from 0 to 1.
type linePlot struct {
	Title, XName, YName string
	Width, Height       float64
	Left, Top           float64
	Right, Bottom       float64
	XTicks, YTicks      []tick
	Lines               []line
	Zero                float64 // height of the zero line; 0: none
}

type line struct {
	Name   string
	Color  int
	Points string // of an SVG polyline
	NameY  float64
}

// newLinePlot returns an empty plot whose x axis goes from 0 to 1.
func newLinePlot(title, xName, yName string) *linePlot {
	p := &linePlot{Title: title, XName: xName, YName: yName, Width: 640, Height: 300, Left: 60, Top: 14, Right: 450, Bottom: 256}
	for i := range 6 {
		v := float64(i) / 5
		p.XTicks = append(p.XTicks, tick{At: p.x(v), Name: fmt.Sprintf("%.1f", v)})
		p.YTicks = append(p.YTicks, tick{At: p.y(v), Name: fmt.Sprintf("%.1f", v)})
	}
	return p
}

// pixel rounds a coordinate to a tenth.
func pixel(v float64) float64 { return math.Round(v*10) / 10 }

func (p *linePlot) x(v float64) float64 { return pixel(p.Left + (p.Right-p.Left)*v) }
func (p *linePlot) y(v float64) float64 { return pixel(p.Bottom - (p.Bottom-p.Top)*v) }

func (p *linePlot) add(name string, color int, points [][2]float64) {
	one := line{Name: name, Color: color, NameY: p.Top + 14 + 20*float64(len(p.Lines))}
	for _, point := range points {
		one.Points += fmt.Sprintf("%.1f,%.1f ", p.x(point[0]), p.y(point[1]))
	}
	p.Lines = append(p.Lines, one)
}

// curvePlot shows the shares of questions with and without hits at each
// relevance threshold.
func curvePlot(n relevance.Nothing) *linePlot {
	p := newLinePlot("Thresholds of relevance", "threshold of relevance", "share of the questions")
	var anyHit, relevant, empty [][2]float64
	for _, point := range n.Curve {
		anyHit = append(anyHit, [2]float64{point.Threshold, point.KeptAny})
		relevant = append(relevant, [2]float64{point.Threshold, point.KeptRelevant})
		empty = append(empty, [2]float64{point.Threshold, point.Empty})
	}
	p.add("any hit kept", 0, anyHit)
	p.add("relevant hit kept", 2, relevant)
	p.add("empty without an answer", 3, empty)
	return p
}

// diagram is a reliability diagram: a bar for each bin.
type diagram struct {
	*linePlot
	Bars []bar
}

type bar struct {
	X, Y, Width, Height float64
	DotX, DotY          float64 // mean prediction and observed share
	Count               int
	Middle              float64
}

func diagramPlot(r *measure.Reliability) diagram {
	d := diagram{linePlot: newLinePlot("Reliability of relevance", "predicted relevance", "observed share of relevant hits")}
	d.Height += 16
	d.Lines = []line{{Name: "calibrated", Color: 1, Points: fmt.Sprintf("%.1f,%.1f %.1f,%.1f", d.x(0), d.y(0), d.x(1), d.y(1)), NameY: d.Top + 14}}
	for _, bin := range r.Bins {
		if bin.Count == 0 {
			continue
		}
		one := bar{
			X: d.x(bin.Low) + 2, Y: d.y(bin.Observed), Width: pixel(d.x(bin.High) - d.x(bin.Low) - 4), Height: pixel(d.Bottom - d.y(bin.Observed)),
			DotX: d.x(bin.Predicted), DotY: d.y(bin.Observed), Count: bin.Count,
		}
		one.Middle = pixel(one.X + one.Width/2)
		d.Bars = append(d.Bars, one)
	}
	return d
}

// waterfalls shows, for each other run, the sorted per-query differences
// from the ranking by relevance.
func waterfalls(set relevance.SetReport) []*linePlot {
	main := slices.Index(relevance.Systems, relevance.SystemRelevance)
	var plots []*linePlot
	for other := range set.Runs {
		if other == main {
			continue
		}
		differences := make([]float64, len(set.Each))
		for i, each := range set.Each {
			differences[i] = each.NDCG10[main] - each.NDCG10[other]
		}
		slices.Sort(differences)
		slices.Reverse(differences)
		p := newLinePlot(fmt.Sprintf("%s − %s, each question", set.Runs[main].Name, set.Runs[other].Name), "questions, by difference", "difference of nDCG@10")
		p.Height, p.Bottom = 200, 156
		p.XTicks, p.YTicks, p.Zero = nil, nil, p.y(.5)
		for _, v := range []float64{-1, -.5, 0, .5, 1} {
			p.YTicks = append(p.YTicks, tick{At: p.y(v/2 + .5), Name: fmt.Sprintf("%+.1f", v)})
		}
		points := [][2]float64{{0, .5}}
		for i, d := range differences {
			n := float64(len(differences))
			points = append(points, [2]float64{float64(i) / n, d/2 + .5}, [2]float64{float64(i+1) / n, d/2 + .5})
		}
		p.add("", main, append(points, [2]float64{1, .5}))
		plots = append(plots, p)
	}
	return plots
}
