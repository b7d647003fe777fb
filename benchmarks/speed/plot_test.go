package speed

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// elements counts the elements of an SVG image by name, by name and class, and their texts.
func elements(t *testing.T, image string) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	decoder := xml.NewDecoder(strings.NewReader(image))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return counts
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, image)
		}
		if text, ok := token.(xml.CharData); ok {
			counts[string(text)]++
		}
		if start, ok := token.(xml.StartElement); ok {
			counts[start.Name.Local]++
			for _, attribute := range start.Attr {
				if attribute.Name.Local == "class" {
					counts[start.Name.Local+" "+attribute.Value]++
				}
				if strings.Contains(attribute.Value, "NaN") || strings.Contains(attribute.Value, "Inf") {
					t.Errorf("%s has %s=%q", start.Name.Local, attribute.Name.Local, attribute.Value)
				}
			}
		}
	}
}

func plotOf(t *testing.T, report Report) string {
	t.Helper()
	var out strings.Builder
	if err := report.WritePlot(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// In testdata/growth.json both backends have two sizes of one store and one case of many.
// postgres+milvus lacks the resident memory of all cases and a start.
func TestPlotShowsEachBackendAndLeavesOutMissingValues(t *testing.T) {
	text, err := os.ReadFile("testdata/growth.json")
	if err != nil {
		t.Fatal(err)
	}
	var report Report
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	got := elements(t, plotOf(t, report))
	for element, want := range map[string]int{
		"svg": 1, "desc": 1, "style": 1,
		"text name": 6,
		// Of sqlite+flat two of searches, two of writes, and four others; of
		// postgres+milvus no memory, and the start has only one point.
		"polyline": 8 + 6, "polyline p99": 4,
		"g c0": 1 + 8, "g c1": 1 + 7, // with the legend
		"circle one": 2*8 + 2*6 + 1,
		"rect many ": 4 + 3, "rect many p50": 2 + 2, "rect many p99": 2 + 2,
		"line linear": 6 + 1,
		"sqlite+flat": 1, "postgres+milvus": 1, "1,000 stores": 1, // in the legend
		"10,000 entries": 6, "1,000,000": 6, // on the axes
		"postgres+milvus, 100,000 entries in 1 store: p99 153 ms": 1,
		"sqlite+flat, 1,000,000 entries in 1,000 stores: 90.5 ms": 1,
	} {
		if got[element] != want {
			t.Errorf("%d of %s, want %d", got[element], element, want)
		}
	}
}

// A line of a panel that grows tenfold from 10,000 to 100,000 entries is parallel to the
// dotted one.
func TestPlotShowsLinearGrowth(t *testing.T) {
	report := Report{Cases: []Case{
		{Backend: "sqlite+flat", Stores: 1, Entries: 10_000, ReadyMS: 20},
		{Backend: "sqlite+flat", Stores: 1, Entries: 100_000, ReadyMS: 200},
	}}
	p := newPanel(0, "", newScale([]float64{10_000, 100_000}))
	p.scaleY(newScale([]float64{20, 200}))
	p.draw(report.Cases, curve{value: func(c Case) float64 { return c.ReadyMS }}, "c0", "ms")
	from, to := p.Lines[0].Dots[0], p.Lines[0].Dots[1]
	if *p.Linear != (segment{from.X, from.Y, to.X, to.Y}) {
		t.Errorf("the dotted line is %+v, the dots are %+v", *p.Linear, p.Lines[0].Dots)
	}
}

func TestPlotOfOneCaseOrNoneIsAnImage(t *testing.T) {
	for _, cases := range [][]Case{nil, {{Backend: "sqlite+flat", Stores: 1, Entries: 1}}} {
		if got := elements(t, plotOf(t, Report{Cases: cases})); got["text name"] != 6 || got["polyline"] != 0 {
			t.Errorf("%d cases: got %v", len(cases), got)
		}
	}
}
