package measure

import (
	"math"
	"math/rand/v2"
	"slices"
)

// resamples is the number of bootstrap samples, and of random assignments of the
// significance test. The smallest p-value is 1/(resamples+1).
const resamples = 10_000

// Estimate is a mean with its 95 % interval.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Difference is a difference of means with its 95 % interval and significance.
type Difference struct {
	Estimate
	// P is the p-value of a two-sided paired randomisation test: how often the
	// absolute difference is at least as large if the two systems are swapped on
	// each query at random. It is not corrected for several comparisons.
	P float64 `json:"p"`
}

// Paired compares systems by their values on the same queries, with the same
// random draws.
//
// Intervals are percentiles of a bootstrap over queries (Efron and Tibshirani,
// "An Introduction to the Bootstrap", 1993, chapter 13; for retrieval: Sakai,
// "Evaluating Evaluation Metrics based on the Bootstrap", SIGIR 2006). The test is
// Fisher's randomisation test (Smucker, Allan and Carterette, "A Comparison of
// Statistical Significance Tests for Information Retrieval Evaluation", CIKM 2007).
type Paired struct {
	means    []float64
	drawn    [][]float64 // means of each bootstrap sample
	assigned [][]float64 // means under each random assignment of signs
}

// NewPaired returns a comparison of columns. Each row holds the values of one
// query, in the same order of columns. The same seed gives the same figures.
func NewPaired(rows [][]float64, seed uint64) *Paired {
	p := new(Paired)
	if len(rows) == 0 {
		return p
	}
	columns, n := len(rows[0]), float64(len(rows))
	p.means = make([]float64, columns)
	for _, row := range rows {
		for c, v := range row {
			p.means[c] += v / n
		}
	}
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // reproducible, not secret
	p.drawn, p.assigned = make([][]float64, resamples), make([][]float64, resamples)
	for i := range resamples {
		p.drawn[i], p.assigned[i] = make([]float64, columns), make([]float64, columns)
		for range rows {
			add(p.drawn[i], rows[random.IntN(len(rows))], 1)
		}
		for from := 0; from < len(rows); from += 64 {
			signs := random.Uint64()
			for _, row := range rows[from:min(from+64, len(rows))] {
				add(p.assigned[i], row, 1-2*float64(signs&1))
				signs >>= 1
			}
		}
		for c := range columns {
			p.drawn[i][c] /= n
			p.assigned[i][c] /= n
		}
	}
	return p
}

// add adds factor · row to sum.
func add(sum, row []float64, factor float64) {
	for c, v := range row {
		sum[c] += factor * v
	}
}

// Mean estimates the mean of a column.
func (p *Paired) Mean(column int) Estimate {
	return p.interval(p.means[column], func(drawn []float64) float64 { return drawn[column] })
}

// Difference compares the mean of column a with that of column b; it is positive
// if a is larger.
func (p *Paired) Difference(a, b int) Difference {
	difference := func(means []float64) float64 { return means[a] - means[b] }
	observed := difference(p.means)
	// Sums in another order may differ in their last bits.
	threshold := math.Abs(observed) - 1e-12
	asLarge := 1 // the observed assignment is one of the possible ones
	for _, means := range p.assigned {
		if math.Abs(difference(means)) >= threshold {
			asLarge++
		}
	}
	return Difference{Estimate: p.interval(observed, difference), P: float64(asLarge) / float64(len(p.assigned)+1)}
}

// interval returns the 2.5th and 97.5th percentile of a statistic over the
// bootstrap samples.
func (p *Paired) interval(observed float64, statistic func(means []float64) float64) Estimate {
	values := make([]float64, len(p.drawn))
	for i, means := range p.drawn {
		values[i] = statistic(means)
	}
	slices.Sort(values)
	tail := len(values) / 40
	return Estimate{Mean: observed, Low: values[tail], High: values[len(values)-1-tail]}
}
