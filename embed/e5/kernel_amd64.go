package e5

import (
	"math"

	"golang.org/x/sys/cpu"
)

// supported returns the sets of kernels that this processor supports, the fastest first.
func supported() []*kernels {
	var sets []*kernels
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512VNNI && x.HasAVX2 {
		sets = append(sets, &vnni)
	}
	if x.HasAVX2 {
		sets = append(sets, &avx2)
	}
	return append(sets, &portable)
}

// avx2 needs a processor with AVX2: Intel's since 2013, AMD's since 2015.
var avx2 = kernels{
	name:    "avx2",
	product: productPanelsAVX2,
	multiply: func(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int) {
		_, _, _ = c[(rows-1)*ldc+panel-1], a[(rows-1)*lda+k-1], b[(k-1)*ldb+panel-1]
		multiplyAVX2(&c[0], uintptr(ldc)*4, &a[0], uintptr(lda)*4, uintptr(rows), &b[0], uintptr(ldb)*4, uintptr(k))
	},
	softmax: func(x []float32, length int) {
		for r := 0; r < len(x); r += length {
			softmaxAVX2(&x[r], uintptr(length), &vectorConstants)
		}
	},
	gelu: func(x []float32) { geluAVX2(&x[0], uintptr(len(x)), &geluConstants) },
	addNorm: func(x, y, gamma, beta []float32) {
		_, _ = y[len(x)-1], beta[len(gamma)-1]
		for r := 0; r < len(x); r += len(gamma) {
			addNormAVX2(&x[r], &y[r], &gamma[0], &beta[0], uintptr(len(gamma)), normEpsilon)
		}
	},
	quantize: func(q []int8, steps []groupStep, x []float32) {
		_, _ = q[len(x)-1], steps[len(x)/group-1]
		quantizeAVX2(&q[0], &steps[0], &x[0], uintptr(len(x)))
	},
}

// productPanelsAVX2 computes a product panel by panel.
func productPanelsAVX2(c []float32, a []int8, steps []groupStep, rows int, m *matrix, from, to int) {
	groups := m.in / group
	for o := from; o < to; o += panel {
		w, scale, bias := m.panel(o)
		// Check bounds: these are the last elements that the assembly accesses.
		_, _, _ = c[(rows-1)*m.out+o+panel-1], a[rows*m.in-1], steps[rows*groups-1]
		_, _, _ = w[m.in*panel-1], scale[groups*panel-1], bias[panel-1]
		productAVX2(&c[o], uintptr(m.out)*4, &a[0], &steps[0], uintptr(rows), &w[0], &scale[0], &bias[0], uintptr(groups))
	}
}

// vectorConstants are the constants of exp. Each is repeated to fill a vector register. They
// are in the order in which kernel_amd64.s reads them.
var vectorConstants = func() (t [12][8]float32) {
	for i, v := range [12]float32{
		expLowest, log2e, ln2High, ln2Low, expC6, expC5, expC4, expC3, expC2, 1,
		math.Float32frombits(127), roundMagic,
	} {
		for j := range t[i] {
			t[i][j] = v
		}
	}
	return t
}()

//go:noescape
func productAVX2(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr)

//go:noescape
func multiplyAVX2(c *float32, ldcBytes uintptr, a *float32, ldaBytes, rows uintptr, b *float32, ldbBytes, k uintptr)

//go:noescape
func softmaxAVX2(x *float32, n uintptr, t *[12][8]float32)

//go:noescape
func geluAVX2(x *float32, n uintptr, t *[11]float32)

//go:noescape
func addNormAVX2(x, y, gamma, beta *float32, n uintptr, epsilon float32)

//go:noescape
func quantizeAVX2(q *int8, steps *groupStep, x *float32, n uintptr)
