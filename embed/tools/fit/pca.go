package fit

import (
	"cmp"
	"math"
	"slices"
)

// The explicit conversions to float64 in this file keep the compiler from fusing
// products into sums, so that all processors give the same bits.

// moments are sums over vectors of one width.
type moments struct {
	width   int
	count   int
	sum     []float64 // [width]
	product []float64 // [width, width], the upper triangle: sums of x[i]·x[j]
}

func newMoments(width int) *moments {
	return &moments{width: width, sum: make([]float64, width), product: make([]float64, width*width)}
}

func (m *moments) add(x []float32) {
	m.count++
	for i, a := range x {
		m.sum[i] += float64(a)
		row := m.product[i*m.width:][:m.width]
		for j := i; j < len(x); j++ {
			row[j] += float64(float64(a) * float64(x[j]))
		}
	}
}

// covariance returns the mean and the covariance matrix [width, width].
func (m *moments) covariance() (mean, matrix []float64) {
	n := float64(m.count)
	mean, matrix = make([]float64, m.width), make([]float64, m.width*m.width)
	for i, s := range m.sum {
		mean[i] = s / n
	}
	for i := range m.width {
		for j := i; j < m.width; j++ {
			c := m.product[i*m.width+j]/n - float64(mean[i]*mean[j])
			matrix[i*m.width+j], matrix[j*m.width+i] = c, c
		}
	}
	return mean, matrix
}

const (
	// maxSweeps bounds the iteration. About ten suffice.
	maxSweeps = 50
	// converged is the sum of squares off the diagonal, relative to the sum of all
	// squares, at which the iteration ends.
	converged = 1e-24
)

// eigen returns the eigenvalues of a symmetric matrix [n, n], the largest first, and its
// eigenvectors of unit length, one per row. The component of each with the largest
// magnitude is positive. It overwrites a.
//
// It is the cyclic Jacobi method: Golub and Van Loan, Matrix Computations, 4th
// edition, section 8.5.
func eigen(a []float64, n int) (values, vectors []float64) {
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = 1
	}
	for range maxSweeps {
		var beside, all float64
		for i, x := range a {
			square := float64(x * x)
			all += square
			if i/n != i%n {
				beside += square
			}
		}
		if beside <= converged*all {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(a, v, n, p, q)
			}
		}
	}
	return sorted(a, v, n)
}

// rotate makes a[p, q] zero by a rotation, and applies the rotation to the rows of v too.
func rotate(a, v []float64, n, p, q int) {
	apq := a[p*n+q]
	if apq == 0 {
		return
	}
	theta := (a[q*n+q] - a[p*n+p]) / (2 * apq)
	t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := t * c
	a[p*n+p] -= float64(t * apq)
	a[q*n+q] += float64(t * apq)
	a[p*n+q], a[q*n+p] = 0, 0
	for k := range n {
		if k == p || k == q {
			continue
		}
		x, y := a[p*n+k], a[q*n+k]
		x, y = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
		a[p*n+k], a[k*n+p] = x, x
		a[q*n+k], a[k*n+q] = y, y
	}
	for k := range n {
		x, y := v[p*n+k], v[q*n+k]
		v[p*n+k], v[q*n+k] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}

// sorted returns the diagonal of a, the largest first, with the rows of v in the
// same order.
func sorted(a, v []float64, n int) (values, vectors []float64) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a[j*n+j], a[i*n+i]) })
	for _, i := range order {
		row := v[i*n:][:n]
		largest := 0.0
		for _, x := range row {
			if math.Abs(x) > math.Abs(largest) {
				largest = x
			}
		}
		sign := math.Copysign(1, largest)
		values = append(values, a[i*n+i])
		for _, x := range row {
			vectors = append(vectors, sign*x)
		}
	}
	return values, vectors
}
