package meter_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/meter"
	"mneme/meter/canonicaljson"
)

// hashOf returns the SHA-256 of the previous line's hash and the canonical JSON of the line
// without its own hash.
func hashOf(line meter.Line) meter.Hash {
	text, _ := json.Marshal(line) // ids and numbers always marshal
	var members map[string]any
	_ = json.Unmarshal(text, &members)
	delete(members, "hash")
	if members["postings"] == nil {
		members["postings"] = []meter.Posting{}
	}
	text, _ = json.Marshal(members)
	return sha256.Sum256(append(line.Previous[:], canonicaljson.Of(text)...))
}

// ledgerOf returns a chain of lines.
func ledgerOf(lines ...meter.Line) []meter.Line {
	var last meter.Hash
	for i := range lines {
		lines[i].Number, lines[i].Previous = int64(i+1), last
		lines[i].At = time.Date(2026, 3, 1, 12, 0, i, 123456000, time.UTC)
		lines[i].Hash = hashOf(lines[i])
		last = lines[i].Hash
	}
	return lines
}

func sample() []meter.Line {
	return ledgerOf(
		meter.Line{Kind: meter.LineTopUp, Reference: "r1", Postings: []meter.Posting{{meter.AccountExternal, -100}, {"buyer", 100}}},
		meter.Line{Kind: meter.LineCharge, Charge: uuid.UUID{1}, Postings: []meter.Posting{{"buyer", -60}, {"seller", 60}}},
		meter.Line{Kind: meter.LineCharge, Charge: uuid.UUID{2}},
		meter.Line{Kind: meter.LinePayout, Reference: "r2", Postings: []meter.Posting{{"seller", -60}, {meter.AccountExternal, 60}}},
	)
}

func TestALedgerCheckReportsTheFirstBadLine(t *testing.T) {
	for name, c := range map[string]struct {
		change func([]meter.Line) []meter.Line
		line   int64
	}{
		"whole": {func(l []meter.Line) []meter.Line { return l }, 0},
		"another amount": {func(l []meter.Line) []meter.Line {
			l[1].Postings = []meter.Posting{{"buyer", -61}, {"seller", 61}}
			return l
		}, 2},
		"another account": {func(l []meter.Line) []meter.Line { l[1].Postings[1].Account = "thief"; return l }, 2},
		"another time":    {func(l []meter.Line) []meter.Line { l[2].At = l[2].At.Add(time.Microsecond); return l }, 3},
		"a missing line":  {func(l []meter.Line) []meter.Line { return append(l[:1], l[2:]...) }, 2},
		"lines swapped":   {func(l []meter.Line) []meter.Line { l[1], l[2] = l[2], l[1]; return l }, 2},
		"an altered line hashed again": {func(l []meter.Line) []meter.Line {
			l[1].Postings = []meter.Posting{{"buyer", -10}, {"seller", 10}}
			l[1].Hash = hashOf(l[1])
			return l
		}, 3},
		"overdrawn": {func(l []meter.Line) []meter.Line {
			l[1].Postings = []meter.Posting{{"buyer", -101}, {"seller", 101}}
			return ledgerOf(l...)
		}, 2},
		"unbalanced": {func(l []meter.Line) []meter.Line {
			l[0].Postings[1].Amount = 101
			return ledgerOf(l...)
		}, 1},
		"money from nowhere": {func(l []meter.Line) []meter.Line {
			l[3].Postings = []meter.Posting{{"/other", -60}, {"seller", 60}}
			return ledgerOf(l...)
		}, 4},
		"unknown kind": {func(l []meter.Line) []meter.Line { l[2].Kind = "gift"; return ledgerOf(l...) }, 3},
	} {
		var check meter.LedgerCheck
		var err error
		for _, line := range c.change(sample()) {
			if err = check.Add(line); err != nil {
				break
			}
		}
		var bad *meter.LedgerError
		if errors.As(err, &bad); (err == nil) != (c.line == 0) || bad != nil && bad.Line != c.line {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestALineKeepsItsHashAsJSON(t *testing.T) {
	var check meter.LedgerCheck
	for _, line := range sample() {
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		var again meter.Line
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if err := check.Add(again); err != nil || again.Hash != line.Hash {
			t.Errorf("%s: %v", text, err)
		}
	}
	var h meter.Hash
	if err := h.UnmarshalText([]byte("00")); err == nil {
		t.Error("accepted a short hash")
	}
}
