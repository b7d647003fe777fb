package e5

// vnni requires AVX-512 (F, BW, DQ, VL) with VNNI: Intel servers since 2019, AMD
// since 2022.
var vnni = kernels{
	name:     "avx512vnni",
	product:  productPanelsVNNI,
	multiply: avx2.multiply,
	softmax:  avx2.softmax,
	gelu:     avx2.gelu,
	addNorm:  avx2.addNorm,
	quantize: avx2.quantize,
}

// tileRows is the largest number of rows that productVNNI takes.
const tileRows = 12

// productPanelsVNNI computes a product in tiles of two panels and up to tileRows
// rows. A last single panel goes to AVX2.
func productPanelsVNNI(c []float32, a []int16, steps []float32, rows int, m *matrix, from, to int) {
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
func productVNNI(c *float32, ldcBytes uintptr, a *int16, steps *float32, rows uintptr, w *int8, scale, bias *float32, groups uintptr)
