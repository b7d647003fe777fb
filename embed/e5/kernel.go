package e5

// panel is the number of output columns that a matrix product computes at a time.
// Matrices are stored as panels of that many columns.
const panel = 16

// group is the number of inputs whose weights share a scale.
const group = 32

// kernels are the inner loops for one kind of processor, chosen at run time. All
// sets give the same bits: every sum has one order, and no product is fused into
// a sum. Otherwise the smallest difference would change how activations round,
// and the vectors by about 1e-5.
type kernels struct {
	name string

	// product is a quantized matrix product with bias, for the columns of m from
	// one number to another, both multiples of panel:
	//
	//	c[r*m.out+j] = m.bias[j] + sum over groups g of steps[r*groups+g].size *
	//	               (the scale of g in column j) * (the integer product of row r and column j in g)
	//
	// a is [rows, m.in], each from -127 to 127; steps [rows, groups], for groups of
	// group inputs; c [rows, m.out]. The integer part is exact, and so is its
	// conversion to fp32: 32 products of at most 255·127, which is the range with
	// weights shifted by weightShift, stay below 2^20.
	product func(c []float32, a []int8, steps []groupStep, rows int, m *matrix, from, to int)

	// multiply is c = a·b in fp32 for panel columns: a is [rows, k] with row
	// stride lda, b [k, panel] with stride ldb, c [rows, panel] with stride ldc.
	multiply func(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int)

	// softmax replaces x by exp(x-max)/sum. len(x) is a multiple of panel.
	softmax func(x []float32)

	// gelu replaces each x by x·Φ(x). len(x) is a multiple of panel.
	gelu func(x []float32)

	// addNorm sets x to the LayerNorm of x+y. len(x) is a multiple of panel.
	addNorm func(x, y, gamma, beta []float32)

	// quantize sets q to x in units of one step per group. The largest magnitude
	// of a group becomes 127. len(x) is a multiple of group.
	quantize func(q []int8, steps []groupStep, x []float32)
}

// groupStep is the scale of a group of quantized inputs.
type groupStep struct {
	size   float32 // of one unit
	offset int32   // -weightShift times the sum of the group's values
}

// weightShift makes weights unsigned, as VPDPBUSD takes them. A sum of products
// with such weights begins with the group's offset, which takes the shift out again.
const weightShift = 128

// native returns the fastest kernels for this processor.
func native() *kernels { return supported()[0] }

// normEpsilon is layer_norm_eps of the model's configuration.
const normEpsilon = 1e-12
