package measure

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// normalRows returns rows of two columns, whose differences are normal with the
// given mean and the standard deviation 1.
func normalRows(n int, shift float64) [][]float64 {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	rows := make([][]float64, n)
	for i := range rows {
		base := 10 * random.Float64()
		rows[i] = []float64{base + shift + random.NormFloat64(), base}
	}
	return rows
}

// The t distribution is the reference: for 200 normal differences it gives the
// same p-values and intervals as randomisation and bootstrap, up to their noise.
func TestPairedAgreesWithTheTTestOnNormalDifferences(t *testing.T) {
	for _, shift := range []float64{0, .1, .2} {
		rows := normalRows(200, shift)
		var mean, square float64
		for _, row := range rows {
			mean += (row[0] - row[1]) / 200
		}
		for _, row := range rows {
			deviation := row[0] - row[1] - mean
			square += deviation * deviation / 199
		}
		standardError := math.Sqrt(square / 200)
		p := math.Erfc(math.Abs(mean/standardError) / math.Sqrt2)
		got := NewPaired(rows, 1).Difference(0, 1)
		if math.Abs(got.Mean-mean) > 1e-12 || math.Abs(got.P-p) > .02 {
			t.Errorf("shift %g: got %+v, want mean %g and p %g", shift, got, mean, p)
		}
		for _, end := range []float64{mean - got.Low, got.High - mean} {
			if math.Abs(end-1.96*standardError) > .015 {
				t.Errorf("shift %g: got %+v, want ± %g", shift, got, 1.96*standardError)
			}
		}
	}
}

// By hand: of the 2³ assignments of +1, +1, +1 two have the same absolute sum.
func TestRandomisationTestCountsAssignments(t *testing.T) {
	got := NewPaired([][]float64{{1, 0}, {1, 0}, {1, 0}}, 1).Difference(0, 1)
	if math.Abs(got.P-.25) > .02 || got.Mean != 1 || got.Low != 1 || got.High != 1 {
		t.Errorf("got %+v", got)
	}
	if same := NewPaired([][]float64{{1, 1}, {0, 0}}, 1).Difference(0, 1); same.P != 1 || same.Mean != 0 {
		t.Errorf("equal columns: got %+v", same)
	}
	// 200 queries, all won: no assignment drawn is as large.
	if clear := NewPaired(normalRows(200, 50), 1).Difference(0, 1); clear.P != 1./(resamples+1) {
		t.Errorf("got %+v", clear)
	}
}

func TestPairedDependsOnTheSeedAlone(t *testing.T) {
	rows := normalRows(50, .2)
	a, b, c := NewPaired(rows, 1), NewPaired(rows, 1), NewPaired(rows, 2)
	if !reflect.DeepEqual(a.Difference(0, 1), b.Difference(0, 1)) || a.Difference(0, 1) == c.Difference(0, 1) {
		t.Errorf("got %+v, %+v, %+v", a.Difference(0, 1), b.Difference(0, 1), c.Difference(0, 1))
	}
	if d := a.Difference(1, 0); d.Mean != -a.Difference(0, 1).Mean || d.P != a.Difference(0, 1).P {
		t.Errorf("the other way round: got %+v", d)
	}
	if m := a.Mean(0); m.Low >= m.Mean || m.High <= m.Mean {
		t.Errorf("got %+v", m)
	}
}
