package extraction

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"mneme/configs"
)

// TestDefaultTermsBoundWhatABuyerSees runs every strategy against a store that is
// larger than the default caps, and small runs under the other terms.
func TestDefaultTermsBoundWhatABuyerSees(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes some hundred vectors")
	}
	b := Benchmark{
		Sources: []Source{Generated(1, 220)}, Searches: 30, Days: 30, Prices: Price{Search: 1000, Entry: 2000}, Seed: 1,
		Log: slog.New(slog.DiscardHandler),
	}
	report, err := b.Run(t.Context(), configs.Default())
	if err != nil {
		t.Fatal(err)
	}
	runs := report.Sources[0].Runs
	if want := len(Variants()) * (len(strategies()) + 1); len(runs) != want {
		t.Fatalf("%d runs, want %d", len(runs), want)
	}
	for _, run := range runs {
		var before Point
		for _, p := range run.Points {
			if p.Searches < before.Searches || p.Entries < before.Entries || p.Cost < before.Cost || p.Days < before.Days {
				t.Errorf("%s, %s: %+v after %+v", run.Terms, run.Strategy, p, before)
			}
			before = p
		}
		last := run.Last()
		if least := int64(last.Searches)*1000 + int64(last.Entries)*2000; last.Cost < least {
			t.Errorf("%s, %s: %d micros for %d searches and %d entries, want at least %d", run.Terms, run.Strategy, last.Cost, last.Searches, last.Entries, least)
		}
		// 200 entries a UTC day.
		if most := 200 * (2 + int(last.Days)); run.Terms == "default terms" && last.Entries > most {
			t.Errorf("%s: %d entries after %.1f days", run.Strategy, last.Entries, last.Days)
		}
	}

	var table, plot bytes.Buffer
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), Honest) {
		t.Error("the table lacks the honest buyer")
	}
	if err := report.WritePlot(&plot); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(&plot)
	lines := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the plot is not well-formed: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "polyline" {
			lines++
		}
	}
	if lines != len(runs) {
		t.Errorf("the plot has %d lines, want %d", lines, len(runs))
	}
}

func TestStatesAreReportedAtRoundNumbers(t *testing.T) {
	var got []int
	for n := range 1001 {
		if reported(n) {
			got = append(got, n)
		}
	}
	want := []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}
