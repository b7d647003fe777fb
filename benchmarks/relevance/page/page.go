// Package page writes the report of a relevance benchmark as one HTML page with
// tables and plots. The page is self-contained and has no scripts.
package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"mneme/benchmarks/relevance"
)

//go:embed page.html page.css
var files embed.FS

var parsed = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"style":    style,
	"measures": func() []relevance.Measure { return relevance.Measures },
	"fixed":    func(v float64) string { return strings.Replace(fmt.Sprintf("%.4f", v), "0.", ".", 1) },
	"signed":   func(v float64) string { return strings.Replace(fmt.Sprintf("%+.4f", v), "0.", ".", 1) },
	"percent":  func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) },
	"rank":     rank,
	"runs":     runPlot,
	"slices":   slicePlots,
	"waters":   waterfalls,
	"curve":    curvePlot,
	"diagram":  diagramPlot,
}).ParseFS(files, "page.html"))

// Write writes the page.
func Write(out io.Writer, report relevance.Report) error {
	return parsed.Execute(out, report)
}

// style returns the style sheet, which is part of this package.
func style() (template.CSS, error) {
	text, err := files.ReadFile("page.css")
	return template.CSS(text), err //nolint:gosec // not from a user
}

// rank formats a rank, from 1; 0 means none.
func rank(n int) string {
	if n == 0 {
		return "not found"
	}
	return fmt.Sprintf("rank %d", n)
}
