package e5

import (
	"math"

	"mneme/embed/e5/weightfile"
)

// scratch is the memory of one run of the encoder. Its matrices have one row for each token, up
// to rows; the tokens of several texts follow each other.
type scratch struct {
	rows    int
	x, y    []float32 // [rows, width]
	qkv     []float32 // [rows, 3*width]
	context []float32 // [rows, width]
	inner   []float32 // [rows, innerBlock]
	q       quantized // [rows up to a multiple of panel, 2*width]: the input of a product
	hidden  quantized // [rows, inner]: the input of a layer's last product

	attention attention
}

// quantized is a quantized matrix of activations.
type quantized struct {
	q     []int8
	steps []groupStep // a step for each group of q
}

func newQuantized(n int) quantized {
	return quantized{q: make([]int8, n), steps: make([]groupStep, n/group)}
}

// innerBlock is the number of columns of the inner layer that are computed before they are
// quantized. All of them would take 6 kB a token in fp32, and not stay in the processor's own
// caches until then.
const innerBlock = 384

func newScratch(rows int) *scratch {
	rows = max(rows, panel) // attention reads keys by the panel
	return &scratch{
		rows:      rows,
		x:         make([]float32, rows*width),
		y:         make([]float32, rows*width),
		qkv:       make([]float32, rows*3*width),
		context:   make([]float32, rows*width),
		inner:     make([]float32, rows*innerBlock),
		q:         newQuantized(roundUp(rows, panel) * 2 * width),
		hidden:    newQuantized(rows * inner),
		attention: newAttention(roundUp(min(rows, maxTokens), group)),
	}
}

// forward embeds texts, given as token IDs, and sets out to their vectors. A matrix product
// covers the rows of all texts, so texts of different lengths need no padding; attention covers
// each text separately. s must have at least as many rows as the texts have tokens. forward
// calls pause about every millisecond or more often; if pause returns an error, forward returns
// it. Afterwards s.x has the vectors of all tokens.
func (m *model) forward(k *kernels, s *scratch, texts [][]int32, out [][]float32, pause func() error) error {
	rows := 0
	for _, ids := range texts {
		for i, id := range ids {
			m.lookUp(s.x[rows*width:][:width], int(id), i)
			rows++
		}
	}
	clear(s.y[:rows*width])
	s.addNorm(k, rows, m.embeddingNorm)
	for i := range m.layers {
		l := &m.layers[i]
		if err := s.linear(k, s.qkv, s.x, rows, &l.qkv, pause); err != nil {
			return err
		}
		first := 0
		for _, ids := range texts {
			if err := s.attend(k, first, len(ids), pause); err != nil {
				return err
			}
			first += len(ids)
		}
		if err := s.linear(k, s.y, s.context, rows, &l.attention, pause); err != nil {
			return err
		}
		s.addNorm(k, rows, l.attentionNorm)
		if err := s.activate(k, rows, &l.inner, pause); err != nil {
			return err
		}
		if err := s.product(k, s.y, s.hidden, rows, &l.output, pause); err != nil {
			return err
		}
		s.addNorm(k, rows, l.outputNorm)
	}
	first := 0
	for i, ids := range texts {
		out[i] = mean(s.x[first*width:][:len(ids)*width])
		first += len(ids)
	}
	return nil
}

// lookUp sets x to the embedding of the token id at a position of its text.
func (m *model) lookUp(x []float32, id, position int) {
	m.words.Row(x, id)
	for i, v := range m.position[position*width:][:width] {
		x[i] += v
	}
}

// linear sets the first rows of y to x·m + bias.
func (s *scratch) linear(k *kernels, y, x []float32, rows int, m *matrix, pause func() error) error {
	k.quantize(s.q.q, s.q.steps, x[:rows*m.in])
	return s.product(k, y, s.q, rows, m, pause)
}

// activate sets the first rows of s.hidden to the activations of the inner layer m for s.x.
func (s *scratch) activate(k *kernels, rows int, m *matrix, pause func() error) error {
	k.quantize(s.q.q, s.q.steps, s.x[:rows*width])
	for o := 0; o < inner; o += innerBlock {
		block := m.columns(o, innerBlock)
		if err := s.product(k, s.inner, s.q, rows, &block, pause); err != nil {
			return err
		}
		for r := range rows { // row by row, while the row is in the processor's cache
			row := s.inner[r*innerBlock:][:innerBlock]
			k.gelu(row)
			k.quantize(s.hidden.q[r*inner+o:], s.hidden.steps[(r*inner+o)/group:], row)
		}
	}
	return nil
}

// product sets the first rows of y to x·m + bias.
func (s *scratch) product(k *kernels, y []float32, x quantized, rows int, m *matrix, pause func() error) error {
	// Each column takes rows*in multiplications. Pause after about 2^24 of them.
	every := max(2*panel, 1<<24/(rows*m.in)/(2*panel)*(2*panel))
	for o := 0; o < m.out; o += every {
		if err := pause(); err != nil {
			return err
		}
		k.product(y, x.q, x.steps, rows, m, o, min(o+every, m.out))
	}
	return nil
}

func (s *scratch) addNorm(k *kernels, rows int, n weightfile.Norm) {
	k.addNorm(s.x[:rows*width], s.y, n.Gamma, n.Beta)
}

// mean returns the average of x [tokens, width], scaled to unit length.
func mean(x []float32) []float32 {
	sum := make([]float32, width)
	for i := 0; i < len(x); i += width {
		for j, v := range x[i : i+width] {
			sum[j] += v
		}
	}
	var square float64
	for _, v := range sum {
		square += float64(float64(v) * float64(v)) // not fused into a sum, as in the kernels
	}
	factor := float32(1 / math.Sqrt(square))
	for j := range sum {
		sum[j] *= factor
	}
	return sum
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }
