package e5

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"mneme/embed/e5/weightfile"
)

// The shape of the layers of both built-in models. The kernels rely on these sizes being
// multiples of panel and group.
const (
	width     = 384
	heads     = 12
	headWidth = width / heads
	inner     = 1536
)

// model holds the encoder's weights in the layout of the kernels. It is immutable.
type model struct {
	// words are the word embeddings, read from the file row by row.
	words weightfile.Table
	// position is the sum of the position embeddings and the type embedding of the first
	// sequence, the only one used: [maxTokens, width].
	position      []float32
	embeddingNorm weightfile.Norm
	layers        []layer
}

type layer struct {
	qkv, attention, inner, output matrix
	attentionNorm, outputNorm     weightfile.Norm
}

// matrix is a quantized matrix [in, out], stored in panels of 16 columns. The values of a panel
// are in the order [in/4][panel][4]: one instruction then multiplies four inputs of a column
// and adds the products. The scales of a panel are [in/group][panel]. The values are
// XORed with kernels.flip.
type matrix struct {
	in, out int
	q       []int8
	scale   []float32
	bias    []float32
}

// newModel returns the model of w for kernels with the given flip.
func newModel(w *weightfile.Weights, flip int8) (*model, error) {
	want := weightfile.Shape{Vocabulary: w.Shape.Vocabulary, Width: width, Layers: len(w.Layers), Heads: heads, Inner: inner, Positions: maxTokens, Group: group}
	if w.Shape != want {
		return nil, fmt.Errorf("weights have shape %+v, want %+v", w.Shape, want)
	}
	m := &model{
		words:         w.Words,
		position:      make([]float32, maxTokens*width),
		embeddingNorm: w.EmbeddingNorm,
		layers:        make([]layer, len(w.Layers)),
	}
	for i := range m.position {
		m.position[i] = w.Position[i] + w.Type[i%width]
	}
	// Fold the factor 1/√headWidth of the attention scores into the query matrix.
	queryFactor := float32(1 / math.Sqrt(headWidth))
	var wg sync.WaitGroup
	next := make(chan int, len(w.Layers))
	for i := range w.Layers {
		next <- i
	}
	close(next)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			var wide []int8
			for i := range next {
				wide = w.Layers[i].Widen(wide)
				m.layers[i] = newLayer(&w.Layers[i], queryFactor, flip)
			}
		})
	}
	wg.Wait()
	return m, nil
}

func newLayer(l *weightfile.Layer, queryFactor float32, flip int8) layer {
	out := layer{
		qkv: newMatrix(width, 3*width), attention: newMatrix(width, width),
		inner: newMatrix(width, inner), output: newMatrix(inner, width),
		attentionNorm: l.AttentionNorm, outputNorm: l.OutputNorm,
	}
	out.qkv.put(0, &l.Query, queryFactor, flip)
	out.qkv.put(width, &l.Key, 1, flip)
	out.qkv.put(2*width, &l.Value, 1, flip)
	out.attention.put(0, &l.Attention, 1, flip)
	out.inner.put(0, &l.Inner, 1, flip)
	out.output.put(0, &l.Output, 1, flip)
	return out
}

func newMatrix(in, out int) matrix {
	return matrix{in: in, out: out, q: make([]int8, in*out), scale: make([]float32, in/group*out), bias: make([]float32, out)}
}

// put copies l, times factor, to the columns of m from at on, for kernels with the given flip.
func (m *matrix) put(at int, l *weightfile.Linear, factor float32, flip int8) {
	for o := 0; o < l.Out; o += panel {
		q := m.q[(at+o)*m.in:]
		for i := range m.in {
			dst := q[i&^3*panel+i&3:]
			for j, v := range l.Q[i*l.Out+o:][:panel] {
				dst[4*j] = v ^ flip
			}
		}
		scale := m.scale[(at+o)*(m.in/group):]
		for g := range m.in / group {
			for j := range panel {
				scale[g*panel+j] = factor * weightfile.Float(l.Scale[g*l.Out+o+j])
			}
		}
	}
	for o, b := range l.Bias {
		m.bias[at+o] = factor * b
	}
}

// columns returns n columns of m, from column o on, which must be the first of a panel. Its
// slices go on beyond these columns.
func (m *matrix) columns(o, n int) matrix {
	w, scale, bias := m.panel(o)
	return matrix{in: m.in, out: n, q: w, scale: scale, bias: bias}
}

// panel returns the weights, scales and biases from column o on. o must be the first column of
// a panel.
func (m *matrix) panel(o int) (w []int8, scale, bias []float32) {
	return m.q[o*m.in:], m.scale[o*(m.in/group):], m.bias[o:]
}
