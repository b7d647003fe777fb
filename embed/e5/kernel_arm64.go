package e5

import (
	"math"

	"golang.org/x/sys/cpu"
)

// supported returns the sets of kernels that this processor supports, the fastest first.
func supported() []*kernels {
	sets := []*kernels{&neon, &portable}
	if cpu.ARM64.HasASIMDDP {
		sets = append([]*kernels{&dotProduct}, sets...)
	}
	return sets
}

// neon is for all 64-bit Arm processors.
var neon = kernels{
	name:    "neon",
	product: productPanels(productNEON),
	multiply: func(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int) {
		_, _, _ = c[(rows-1)*ldc+panel-1], a[(rows-1)*lda+k-1], b[(k-1)*ldb+panel-1]
		multiplyNEON(&c[0], uintptr(ldc)*4, &a[0], uintptr(lda)*4, uintptr(rows), &b[0], uintptr(ldb)*4, uintptr(k))
	},
	softmax: func(x []float32, length int) {
		for r := 0; r < len(x); r += length {
			softmaxNEON(&x[r], uintptr(length), &vectorConstants)
		}
	},
	gelu: func(x []float32) { geluNEON(&x[0], uintptr(len(x)), &geluConstants) },
	addNorm: func(x, y, gamma, beta []float32) {
		_, _ = y[len(x)-1], beta[len(gamma)-1]
		for r := 0; r < len(x); r += len(gamma) {
			addNormNEON(&x[r], &y[r], &gamma[0], &beta[0], uintptr(len(gamma)), normEpsilon)
		}
	},
	quantize: func(q []int8, steps []groupStep, x []float32) {
		_, _ = q[len(x)-1], steps[len(x)/group-1]
		quantizeNEON(&q[0], &steps[0], &x[0], uintptr(len(x)))
	},
}

// dotProduct is neon with the instruction SDOT: Arm servers since 2019, Apple's
// processors since 2020.
var dotProduct = func() kernels {
	k := neon
	k.name, k.product = "dotprod", productPanels(productDot)
	return k
}()

// productPanels computes a product panel by panel.
func productPanels(f func(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr)) func(c []float32, a []int8, steps []groupStep, rows int, m *matrix, from, to int) {
	return func(c []float32, a []int8, steps []groupStep, rows int, m *matrix, from, to int) {
		groups := m.in / group
		for o := from; o < to; o += panel {
			w, scale, bias := m.panel(o)
			// Check bounds: these are the last elements that the assembly accesses.
			_, _, _ = c[(rows-1)*m.out+o+panel-1], a[rows*m.in-1], steps[rows*groups-1]
			_, _, _ = w[m.in*panel-1], scale[groups*panel-1], bias[panel-1]
			f(&c[o], uintptr(m.out)*4, &a[0], &steps[0], uintptr(rows), &w[0], &scale[0], &bias[0], uintptr(groups))
		}
	}
}

// vectorConstants are the constants of exp. Each is repeated to fill a vector register. They
// are in the order in which kernel_arm64.s reads them.
var vectorConstants = func() (t [11][4]float32) {
	for i, v := range [11]float32{
		expLowest, log2e, ln2High, ln2Low, expC6, expC5, expC4, expC3, expC2, 1,
		math.Float32frombits(127),
	} {
		for j := range t[i] {
			t[i][j] = v
		}
	}
	return t
}()

//go:noescape
func productNEON(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr)

//go:noescape
func productDot(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr)

//go:noescape
func multiplyNEON(c *float32, ldcBytes uintptr, a *float32, ldaBytes, rows uintptr, b *float32, ldbBytes, k uintptr)

//go:noescape
func softmaxNEON(x *float32, n uintptr, t *[11][4]float32)

//go:noescape
func geluNEON(x *float32, n uintptr, t *[11]float32)

//go:noescape
func addNormNEON(x, y, gamma, beta *float32, n uintptr, epsilon float32)

//go:noescape
func quantizeNEON(q *int8, steps *groupStep, x *float32, n uintptr)
