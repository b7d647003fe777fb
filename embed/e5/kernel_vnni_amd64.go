package e5

// vnni requires AVX-512 (F, BW, DQ, VL) with VNNI: Intel servers since 2019, AMD
// since 2022.
var vnni = kernels{
	name:    "avx512vnni",
	flip:    -weightShift,
	product: productPanelsVNNI,
	multiply: func(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int) {
		_, _, _ = c[(rows-1)*ldc+panel-1], a[(rows-1)*lda+k-1], b[(k-1)*ldb+panel-1]
		multiplyAVX512(&c[0], uintptr(ldc)*4, &a[0], uintptr(lda)*4, uintptr(rows), &b[0], uintptr(ldb)*4, uintptr(k))
	},
	softmax: func(x []float32, length int) {
		softmaxAVX512(&x[0], uintptr(length), uintptr(len(x)/length), &vectorConstants)
	},
	gelu:     func(x []float32) { geluAVX512(&x[0], uintptr(len(x)), &geluConstants) },
	addNorm:  addNormRowsAVX512,
	quantize: quantizeGroupsAVX512,
	fused: &fusedKernels{
		center: func(mean, qkv []float32, n int) {
			_, _ = mean[2*width-1], qkv[n*3*width-1]
			centerAVX512(&mean[0], &qkv[width], 3*width*4, uintptr(n), 1/float32(n))
		},
		putKeys: func(keys *matrix, q []int8, n int) {
			panels := (n + panel - 1) / panel
			_, _ = keys.q[panels*panel*headWidth-1], q[(panels*panel-1)*2*width+headWidth-1]
			keysAVX512(&keys.q[0], &q[0], 2*width, uintptr(panels))
		},
		putValues: func(values *matrix, value, mean []float32, n int) {
			groups := values.in / group
			_, _ = values.q[groups*group*headWidth-1], values.scale[groups*headWidth-1]
			_, _ = value[(n-1)*3*width+headWidth-1], mean[headWidth-1]
			valuesAVX512(&values.q[0], &values.scale[0], &value[0], 3*width*4, uintptr(n), &mean[0], uintptr(groups))
		},
	},
}

// fourGroups is the number of values quantized at a time.
const fourGroups = 4 * group

// quantizeGroupsAVX512 quantizes four groups at a time, and the remaining groups one by one.
func quantizeGroupsAVX512(q []int8, steps []groupStep, x []float32) {
	_, _ = q[len(x)-1], steps[len(x)/group-1]
	n := len(x) / fourGroups * fourGroups
	if n > 0 {
		quantize4AVX512(&q[0], &steps[0], &x[0], uintptr(n))
	}
	if n < len(x) {
		quantizeAVX512(&q[n], &steps[n/group], &x[n], uintptr(len(x)-n))
	}
}

// addNormRowsAVX512 processes four rows at a time, and the remaining rows one by one.
func addNormRowsAVX512(x, y, gamma, beta []float32) {
	_, _ = y[len(x)-1], beta[len(gamma)-1]
	n := len(gamma)
	four := len(x) / (4 * n) * 4
	if four > 0 {
		addNorm4AVX512(&x[0], &y[0], &gamma[0], &beta[0], uintptr(n), uintptr(four), normEpsilon)
	}
	for r := four * n; r < len(x); r += n {
		addNormAVX512(&x[r], &y[r], &gamma[0], &beta[0], uintptr(n), normEpsilon)
	}
}

// tileRows is the largest number of rows of a tile of productVNNI.
const tileRows = 12

// cacheLine is the number of bytes that a prefetch loads.
const cacheLine = 64

// productPanelsVNNI computes a product in tiles of two panels and up to tileRows rows. All layers together exceed the
// processor's own caches, so each tile prefetches an equal part of the panels that follow. If
// the first tile prefetched all of them, it would wait for memory.
func productPanelsVNNI(c []float32, a []int8, steps []groupStep, rows int, m *matrix, from, to int) {
	groups := m.in / group
	tiles := (rows + tileRows - 1) / tileRows
	stride := (cacheLine + tiles - 1) / tiles
	for o := from; o < to; o += 2 * panel {
		w, scale, bias := m.panel(o)
		// Check bounds: these are the last elements that the assembly accesses.
		_, _, _ = c[(rows-1)*m.out+o+2*panel-1], a[rows*m.in-1], steps[rows*groups-1]
		_, _, _ = w[m.in*2*panel-1], scale[groups*2*panel-1], bias[2*panel-1]
		next := w // panels to prefetch; these, which are in the cache, if no others follow
		if len(w) >= 2*m.in*2*panel {
			next = w[m.in*2*panel:]
		}
		// Use tiles of about the same height: for a low tile, weights are loaded for few
		// products.
		for t, r := 0, 0; t < tiles; t++ {
			n := (rows - r + tiles - t - 1) / (tiles - t)
			productVNNI(&c[r*m.out+o], uintptr(m.out)*4, &a[r*m.in], &steps[r*groups], uintptr(n), &w[0], &scale[0], &bias[0], uintptr(groups), &next[t*m.in*panel/tiles], uintptr(stride))
			r += n
		}
	}
}

//go:noescape
func productVNNI(c *float32, ldcBytes uintptr, a *int8, steps *groupStep, rows uintptr, w *int8, scale, bias *float32, groups uintptr, next *int8, stride uintptr)

//go:noescape
func multiplyAVX512(c *float32, ldcBytes uintptr, a *float32, ldaBytes, rows uintptr, b *float32, ldbBytes, k uintptr)

//go:noescape
func softmaxAVX512(x *float32, length, rows uintptr, t *[12][8]float32)

//go:noescape
func geluAVX512(x *float32, n uintptr, t *[11]float32)

//go:noescape
func addNormAVX512(x, y, gamma, beta *float32, n uintptr, epsilon float32)

//go:noescape
func addNorm4AVX512(x, y, gamma, beta *float32, n, rows uintptr, epsilon float32)

//go:noescape
func quantizeAVX512(q *int8, steps *groupStep, x *float32, n uintptr)

//go:noescape
func quantize4AVX512(q *int8, steps *groupStep, x *float32, n uintptr)

//go:noescape
func centerAVX512(mean, kv *float32, strideBytes, n uintptr, share float32)

//go:noescape
func keysAVX512(w, q *int8, strideBytes, panels uintptr)

//go:noescape
func valuesAVX512(w *int8, scale, value *float32, strideBytes, n uintptr, mean *float32, groups uintptr)
