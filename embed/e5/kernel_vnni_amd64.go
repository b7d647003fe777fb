package e5

// vnni requires AVX-512 (F, BW, DQ, VL) with VNNI: Intel servers since 2019, AMD
// since 2022.
var vnni = kernels{
	name:    "avx512vnni",
	product: productPanelsVNNI,
	multiply: func(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int) {
		_, _, _ = c[(rows-1)*ldc+panel-1], a[(rows-1)*lda+k-1], b[(k-1)*ldb+panel-1]
		multiplyAVX512(&c[0], uintptr(ldc)*4, &a[0], uintptr(lda)*4, uintptr(rows), &b[0], uintptr(ldb)*4, uintptr(k))
	},
	softmax: func(x []float32) { softmaxAVX512(&x[0], uintptr(len(x)), &vectorConstants) },
	gelu:    func(x []float32) { geluAVX512(&x[0], uintptr(len(x)), &geluConstants) },
	addNorm: func(x, y, gamma, beta []float32) {
		_, _, _ = y[len(x)-1], gamma[len(x)-1], beta[len(x)-1]
		addNormAVX512(&x[0], &y[0], &gamma[0], &beta[0], uintptr(len(x)), normEpsilon)
	},
	quantize: func(q []int8, steps []groupStep, x []float32) {
		_, _ = q[len(x)-1], steps[len(x)/group-1]
		quantizeAVX512(&q[0], &steps[0], &x[0], uintptr(len(x)))
	},
}

// tileRows is the largest number of rows that productVNNI takes.
const tileRows = 12

// productPanelsVNNI computes a product in tiles of two panels and up to tileRows
// rows. A last single panel goes to AVX2.
func productPanelsVNNI(c []float32, a []int8, steps []groupStep, rows int, m *matrix, from, to int) {
	groups := m.in / group
	o := from
	for ; o+2*panel <= to; o += 2 * panel {
		w, scale, bias := m.panel(o)
		// Check bounds: these are the last elements that the assembly accesses.
		_, _, _ = c[(rows-1)*m.out+o+2*panel-1], a[rows*m.in-1], steps[rows*groups-1]
		_, _, _ = w[m.in*2*panel-1], scale[groups*2*panel-1], bias[2*panel-1]
		// Tiles of about the same height: a low one uses its weights less often.
		for tiles, r := (rows+tileRows-1)/tileRows, 0; tiles > 0; tiles-- {
			n := (rows - r + tiles - 1) / tiles
			productVNNI(&c[r*m.out+o], uintptr(m.out)*4, &a[r*m.in], &steps[r*groups], uintptr(n), &w[0], &scale[0], &bias[0], uintptr(groups))
			r += n
		}
	}
	if o < to {
		productPanelsAVX2(c, a, steps, rows, m, o, to)
	}
}

//go:noescape
func productVNNI(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr)

//go:noescape
func multiplyAVX512(c *float32, ldcBytes uintptr, a *float32, ldaBytes, rows uintptr, b *float32, ldbBytes, k uintptr)

//go:noescape
func softmaxAVX512(x *float32, n uintptr, t *[12][8]float32)

//go:noescape
func geluAVX512(x *float32, n uintptr, t *[11]float32)

//go:noescape
func addNormAVX512(x, y, gamma, beta *float32, n uintptr, epsilon float32)

//go:noescape
func quantizeAVX512(q *int8, steps *groupStep, x *float32, n uintptr)
