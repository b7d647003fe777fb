package e5

// panel is the number of output columns that a matrix product computes at a time.
// Matrices are stored as panels of that many columns.
const panel = 16

// group is the number of inputs whose weights share a scale.
const group = 32

// kernels are the inner loops for one kind of processor, selected at run time. All sets
// compute the same bits: every sum has one order, and no product is fused into a sum.
// Otherwise the smallest difference would change the rounding of activations, and the
// vectors by about 1e-5.
type kernels struct {
	name string

	// flip is XORed with each weight of a matrix: 0, or -128 if product takes weights that are
	// shifted by weightShift. Only kernels that have fused ones may flip.
	flip int8

	// product computes the columns [from, to) of a quantized matrix product with bias. Both
	// numbers are multiples of 2*panel:
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

	// softmax replaces each row of x by exp(x-max)/sum. Rows have the given length, a
	// multiple of group.
	softmax func(x []float32, length int)

	// gelu replaces each x by x·Φ(x). len(x) is a multiple of panel.
	gelu func(x []float32)

	// addNorm sets each row of x to the LayerNorm of x+y. Rows have the length of gamma, a
	// multiple of panel.
	addNorm func(x, y, gamma, beta []float32)

	// quantize sets q to x, each group in units of its own step, so that the largest magnitude
	// of a group becomes 127. len(x) is a multiple of group.
	quantize func(q []int8, steps []groupStep, x []float32)

	fused *fusedKernels // nil: attention uses the other kernels instead
}

// fusedKernels compute several steps of attention in one pass over memory.
type fusedKernels struct {
	// center computes attention.center: mean is [2*width], qkv [n, 3*width].
	center func(mean, qkv []float32, n int)

	// putKeys sets the panels of keys to n rows of q: one head, so headWidth of the 2*width
	// values of each row. It may read rows up to a multiple of panel. It does not set the
	// scales.
	putKeys func(keys *matrix, q []int8, n int)

	// putValues sets the panels and scales of values to n rows of value minus mean: one head,
	// so headWidth of the 3*width numbers of each row. It quantizes them in groups of tokens.
	// values.in is n, rounded up to a multiple of group.
	putValues func(values *matrix, value, mean []float32, n int)
}

// groupStep says how a group of inputs is quantized.
type groupStep struct {
	size   float32 // of one unit
	offset int32   // -weightShift times the sum of the group's values
}

// weightShift is added to weights to make them unsigned, as the instruction VPDPBUSD requires:
// to flip the sign bit does that. The offset of the inputs' group (groupStep.offset), with which a sum of products begins,
// cancels the shift.
const weightShift = 128

// fastest returns the fastest kernels for this processor.
func fastest() *kernels { return supported()[0] }

// normEpsilon is layer_norm_eps of the model's configuration.
const normEpsilon = 1e-12
