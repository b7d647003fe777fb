package speed

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// testdata/table.txt is the table of testdata/report.json. Programs read the JSON,
// and the README and the decisions quote the table.
func TestReportMatchesGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	var report Report
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&report); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(report)
	if err != nil || string(again) != strings.TrimSpace(string(text)) {
		t.Errorf("%v, JSON\n%s", err, again)
	}
	want, err := os.ReadFile("testdata/table.txt")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := report.WriteTable(&table); err != nil || table.String() != string(want) {
		t.Errorf("%v, table\n%s", err, table.String())
	}
}

func TestTableShowsGrowth(t *testing.T) {
	report := Report{CPUs: 2, Vectors: VectorsSynthetic}
	for i, entries := range []int{20_000, 200_000} {
		c := Case{Backend: "sqlite+flat", Stores: 1000, Entries: entries, WriteS: []float64{10, 125}[i]}
		report.Cases = append(report.Cases, c)
	}
	report.Cases = append(report.Cases, Case{Backend: "postgres+milvus", Stores: 1000, Entries: 20_000, WriteS: 20})
	var out strings.Builder
	if err := report.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{
		{"sqlite+flat", "postgres+milvus"},
		{"entries", "20000", "200000", "growth", "20000"},
		{"rows", "written/s", "2000", "1600", "×0.80", "1000"},
	} {
		found := false
		for line := range strings.Lines(out.String()) {
			found = found || slices.Equal(strings.Fields(line), want)
		}
		if !found {
			t.Errorf("no line %v in\n%s", want, out.String())
		}
	}
}
