package e5

import "math"

// attention is the memory of attend: for one head of a text, the 8-bit matrices of its keys and
// values, and a block of rows of its scores. It is made for texts of up to longest tokens, a
// multiple of group.
type attention struct {
	keys    matrix      // [headWidth, tokens]
	values  matrix      // [tokens, headWidth]
	columns []float32   // [headWidth, longest]: the values, transposed
	query   []int8      // [scoreRows, headWidth]
	scores  []float32   // [scoreRows, longest]
	q       []int8      // [max(headWidth, scoreRows), longest]: values or scores, quantized
	steps   []groupStep // of query or q
	context []float32   // [scoreRows, headWidth]
	mean    []float32   // [2*width]: means of the keys and of the values
}

// scoreRows is the number of rows of attention scores computed at a time.
const scoreRows = 32

// Assert that a head is one group: a product of a query and a key is then one integer.
var _ [0]struct{} = [headWidth - group]struct{}{}

func newAttention(longest int) attention {
	const lines = max(headWidth, scoreRows)
	return attention{
		keys:    newMatrix(headWidth, longest),
		values:  newMatrix(longest, headWidth),
		columns: make([]float32, headWidth*longest),
		query:   make([]int8, scoreRows*headWidth),
		scores:  make([]float32, scoreRows*longest),
		q:       make([]int8, lines*longest),
		steps:   make([]groupStep, lines*longest/group),
		context: make([]float32, scoreRows*headWidth),
		mean:    make([]float32, 2*width),
	}
}

// attend computes the attention context of one text, which has the n rows from first on. It
// overwrites s.q.
func (s *scratch) attend(k *kernels, first, n int, pause func() error) error {
	qkv := s.qkv[first*3*width:]
	s.attention.center(k, qkv, n)
	q, steps := s.q.q, s.q.steps
	for r := range n { // only queries and keys; putValues quantizes values, along the tokens
		k.quantize(q[r*2*width:], steps[r*2*heads:], qkv[r*3*width:][:2*width])
	}
	a := &s.attention
	padded := roundUp(n, group)
	a.keys.out, a.values.in = padded, padded
	// Each head takes 2*n*padded*headWidth multiplications. Pause after about 2^22 of them.
	every := max(1, 1<<22/(2*n*padded*headWidth))
	for h := range heads {
		if h%every == 0 {
			if err := pause(); err != nil {
				return err
			}
		}
		a.putKeys(k, q[width+h*headWidth:], steps[heads+h:], n)
		a.putValues(k, qkv[2*width+h*headWidth:], a.mean[width+h*headWidth:], n)
		for r := 0; r < n; r += scoreRows {
			rows := min(scoreRows, n-r)
			a.score(k, q[r*2*width+h*headWidth:], steps[r*2*heads+h:], rows, n)
			k.quantize(a.q, a.steps, a.scores[:rows*padded])
			k.product(a.context, a.q, a.steps, rows, &a.values, 0, headWidth)
			for i := range rows {
				*(*[headWidth]float32)(s.context[(first+r+i)*width+h*headWidth:]) = *(*[headWidth]float32)(a.context[i*headWidth:])
			}
		}
	}
	return nil
}

// center subtracts the mean of the keys from n rows of qkv, each of which has a query, a key
// and a value. This changes all scores of a query by the same number, so their softmax stays
// the same. It also sets a.mean to the means of the keys and of the values; putValues subtracts
// the mean of the values, and the product adds it back as a bias. Smaller numbers lose less
// when quantized: for keys see Zhang et al., SageAttention, arXiv:2410.02367, 2024, section
// 4.2.
func (a *attention) center(k *kernels, qkv []float32, n int) {
	if k.fused != nil {
		k.fused.center(a.mean, qkv, n)
		return
	}
	share := a.scores[:n]
	for i := range share {
		share[i] = 1 / float32(n)
	}
	for c := 0; c < 2*width; c += panel {
		k.multiply(a.mean[c:], panel, share, n, 1, qkv[width+c:], 3*width, n)
	}
	mean := (*[width]float32)(a.mean)
	for r := range n {
		key := (*[width]float32)(qkv[r*3*width+width:])
		for i := range key {
			key[i] -= mean[i]
		}
	}
}

// score sets a.scores [rows, padded] to the weights that rows of queries give to n tokens. q
// and steps have the queries of one head.
func (a *attention) score(k *kernels, q []int8, steps []groupStep, rows, n int) {
	for i := range rows {
		*(*[headWidth]int8)(a.query[i*headWidth:]) = *(*[headWidth]int8)(q[i*2*width:])
		a.steps[i] = steps[i*2*heads]
	}
	padded := a.keys.out
	k.product(a.scores, a.query, a.steps, rows, &a.keys, 0, padded)
	for i := range rows {
		row := a.scores[i*padded:][:padded]
		for j := n; j < padded; j++ {
			row[j] = -math.MaxFloat32
		}
	}
	k.softmax(a.scores[:rows*padded], padded)
}

// putKeys sets a.keys to one head of n rows of quantized keys. Columns beyond n keep the values
// of an earlier text; score overwrites their scores.
func (a *attention) putKeys(k *kernels, q []int8, steps []groupStep, n int) {
	for j := range n {
		a.keys.scale[j] = steps[j*2*heads].size // a head has a single group
	}
	if k.fused != nil {
		k.fused.putKeys(&a.keys, q, n)
		return
	}
	for j := range n {
		o, c := j/panel*panel, j%panel
		w, _, _ := a.keys.panel(o)
		row := (*[headWidth]int8)(q[j*2*width:])
		for i := 0; i < headWidth; i += 4 {
			*(*[4]int8)(w[i*panel+4*c:]) = *(*[4]int8)(row[i:])
		}
	}
}

// putValues sets a.values to one head of n rows of values minus their mean, which becomes the
// bias. It quantizes them in groups of tokens. Values beyond n are zero.
func (a *attention) putValues(k *kernels, value, mean []float32, n int) {
	padded := a.values.in
	means := (*[headWidth]float32)(mean)
	copy(a.values.bias, means[:])
	if k.fused != nil {
		k.fused.putValues(&a.values, value, means[:], n)
		return
	}
	for i := range n {
		column := a.columns[i:]
		for c, v := range (*[headWidth]float32)(value[i*3*width:]) {
			column[c*padded] = v - means[c]
		}
	}
	for c := range headWidth {
		clear(a.columns[c*padded+n : (c+1)*padded])
	}
	k.quantize(a.q, a.steps, a.columns[:headWidth*padded])
	groups := padded / group
	for c := range headWidth {
		w, scale, _ := a.values.panel(c / panel * panel)
		j := c % panel
		for g := range groups {
			scale[g*panel+j] = a.steps[c*groups+g].size
		}
		column := a.q[c*padded:][:padded]
		for i := 0; i < padded; i += 4 {
			*(*[4]int8)(w[i*panel+4*j:]) = *(*[4]int8)(column[i:])
		}
	}
}
