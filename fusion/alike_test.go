package fusion_test

import (
	"testing"

	"mneme/fusion"
)

func TestAlikeGrowsWithCosineAndMaxSim(t *testing.T) {
	e5, other := fusion.E5Cosines, fusion.CosineRange{Unrelated: 0.1, Related: 0.5}
	for _, c := range []struct {
		r              fusion.CosineRange
		cosine, maxSim float64 // 0: unknown
		similar        bool
	}{
		{e5, 0.976, 0.913, true},  // Anna is allergic to bees; Anna has a bee allergy
		{e5, 0.908, 0.857, true},  // … Anna is not allergic to bees
		{e5, 0.890, 0.643, false}, // … Anna likes honey
		{e5, 1, 1, true},
		{e5, 0.7, 0.3, false},
		{e5, 0.95, 0, true},
		{e5, 0.85, 0, false},
		{other, 0.95, 0, true},
		{other, 0.6, 0, false},
	} {
		var maxSim *float64
		if c.maxSim != 0 {
			maxSim = &c.maxSim
		}
		got := fusion.Alike(c.r, fusion.CosineRange{}, c.cosine, maxSim)
		if got < 0 || got > 1 || (got >= fusion.MinAlike) != c.similar {
			t.Errorf("%+v: %v", c, got)
		}
		if more := fusion.Alike(c.r, fusion.CosineRange{}, c.cosine+0.001, maxSim); more <= got {
			t.Errorf("%+v: %v for more", c, more)
		}
	}
}
