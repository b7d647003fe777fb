package measure

import (
	"math"
	"testing"
)

func TestReliabilityComparesPredictedWithObserved(t *testing.T) {
	// By hand: .2 and .25 (one true), 1 (true), .95 (false).
	r := NewReliability([]Prediction{{.2, false}, {.25, true}, {1, true}, {.95, false}}, 10)
	if len(r.Bins) != 10 || r.Count != 4 {
		t.Fatalf("got %+v", r)
	}
	if b := r.Bins[2]; b.Count != 2 || math.Abs(b.Predicted-.225) > 1e-12 || b.Observed != .5 || b.Low != .2 {
		t.Errorf("got %+v", b)
	}
	if b := r.Bins[9]; b.Count != 2 || math.Abs(b.Predicted-.975) > 1e-12 || b.Observed != .5 || b.High != 1 {
		t.Errorf("got %+v", b)
	}
	if want := (.275 + .475) / 2; math.Abs(r.ECE-want) > 1e-12 {
		t.Errorf("ECE %g, want %g", r.ECE, want)
	}
	if want := (.04 + .5625 + 0 + .9025) / 4; math.Abs(r.Brier-want) > 1e-12 {
		t.Errorf("Brier %g, want %g", r.Brier, want)
	}
	if empty := NewReliability(nil, 10); empty.ECE != 0 || empty.Count != 0 {
		t.Errorf("got %+v", empty)
	}
}
