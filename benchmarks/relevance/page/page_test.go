package page

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"mneme/benchmarks/relevance"
)

var update = flag.Bool("update", false, "write testdata/page.html")

// render renders the report that the tests of package relevance compare with theirs.
func render(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	var report relevance.Report
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := Write(&page, report); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestPageMatchesGolden(t *testing.T) {
	page := render(t)
	if *update {
		if err := os.WriteFile("testdata/page.html", []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	if page != string(want) {
		t.Errorf("the page differs from testdata/page.html (go test -update writes it):\n%s", page)
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	page := render(t)
	if found := regexp.MustCompile(`<script|<link|<img|@import|url\(|https?:|\bon\w+=`).FindString(page); found != "" {
		t.Errorf("the page contains %s", found)
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") || strings.Contains(page, "ZgotmplZ") {
		t.Error("the page has an invalid number or value")
	}
	if strings.Contains(page, "<loses>") || !strings.Contains(page, "&lt;loses&gt;") {
		t.Error("the texts are not escaped")
	}
}

// Plots are well-formed and inside their frames.
func TestPlotsAreWellFormed(t *testing.T) {
	plots := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(render(t), -1)
	if len(plots) < 8 {
		t.Fatalf("%d plots", len(plots))
	}
	for _, plot := range plots {
		decoder := xml.NewDecoder(strings.NewReader(plot))
		for {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, plot)
			}
		}
		if strings.Contains(plot, `="-`) && !strings.Contains(plot, `dx="-`) {
			t.Errorf("a negative coordinate in\n%s", plot)
		}
	}
}
