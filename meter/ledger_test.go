package meter

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
)

// ledgerOf returns a chain of lines.
func ledgerOf(lines ...Line) []Line {
	var last Hash
	for i := range lines {
		lines[i].Number, lines[i].Previous = int64(i+1), last
		lines[i].At = time.Date(2026, 3, 1, 12, 0, i, 123456000, time.UTC)
		lines[i].Hash = lines[i].hash()
		last = lines[i].Hash
	}
	return lines
}

func sample() []Line {
	return ledgerOf(
		Line{Kind: LineTopUp, Reference: "r1", Postings: []Posting{{AccountExternal, -100}, {"buyer", 100}}},
		Line{Kind: LineCharge, Charge: uuid.UUID{1}, Postings: []Posting{{"buyer", -60}, {"seller", 60}}},
		Line{Kind: LineCharge, Charge: uuid.UUID{2}},
		Line{Kind: LinePayout, Reference: "r2", Postings: []Posting{{"seller", -60}, {AccountExternal, 60}}},
	)
}

func TestALedgerNamesItsFirstBadLine(t *testing.T) {
	for name, c := range map[string]struct {
		change func([]Line) []Line
		line   int64
	}{
		"whole":           {func(l []Line) []Line { return l }, 0},
		"another amount":  {func(l []Line) []Line { l[1].Postings = []Posting{{"buyer", -61}, {"seller", 61}}; return l }, 2},
		"another account": {func(l []Line) []Line { l[1].Postings[1].Account = "thief"; return l }, 2},
		"another time":    {func(l []Line) []Line { l[2].At = l[2].At.Add(time.Microsecond); return l }, 3},
		"a missing line":  {func(l []Line) []Line { return append(l[:1], l[2:]...) }, 2},
		"lines swapped":   {func(l []Line) []Line { l[1], l[2] = l[2], l[1]; return l }, 2},
		"an altered line hashed again": {func(l []Line) []Line {
			l[1].Postings = []Posting{{"buyer", -10}, {"seller", 10}}
			l[1].Hash = l[1].hash()
			return l
		}, 3},
		"overdrawn": {func(l []Line) []Line {
			l[1].Postings = []Posting{{"buyer", -101}, {"seller", 101}}
			return ledgerOf(l...)
		}, 2},
		"unbalanced": {func(l []Line) []Line {
			l[0].Postings[1].Amount = 101
			return ledgerOf(l...)
		}, 1},
		"money from nowhere": {func(l []Line) []Line {
			l[3].Postings = []Posting{{"/other", -60}, {"seller", 60}}
			return ledgerOf(l...)
		}, 4},
		"unknown kind": {func(l []Line) []Line { l[2].Kind = "gift"; return ledgerOf(l...) }, 3},
	} {
		var check LedgerCheck
		var err error
		for _, line := range c.change(sample()) {
			if err = check.Add(line); err != nil {
				break
			}
		}
		var bad *LedgerError
		if errors.As(err, &bad); (err == nil) != (c.line == 0) || bad != nil && bad.Line != c.line {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestALineKeepsItsHashAsJSON(t *testing.T) {
	for _, line := range sample() {
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		var again Line
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if again.hash() != line.Hash || again.Hash != line.Hash {
			t.Errorf("%s", text)
		}
	}
	var h Hash
	if err := h.UnmarshalText([]byte("00")); err == nil {
		t.Error("a short hash is accepted")
	}
}
