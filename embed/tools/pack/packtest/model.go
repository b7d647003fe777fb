// Package packtest has a small model for tests: a unigram tokenizer, trained on
// testdata/corpus.txt, and an encoder of two layers with random Parameters.
package packtest

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"mneme/embed/e5/weightfile"
)

const (
	width          = 384
	inner          = 1536
	wordEmbeddings = "embeddings.word_embeddings.weight"
)

// Rows is the number of word embeddings of the model. It is 7 more than the tokenizer has
// tokens, as in models with padded embeddings.
const Rows = 863

// Parameters are the tensors of a model, by name.
type Parameters map[string]*Parameter

// Parameter is a tensor.
type Parameter struct {
	Type   string // as in a safetensors header
	Dims   []int
	Values []float32
}

//go:embed testdata/tokenizer.json.gz
var tokenizer []byte

// Tokenizer returns the model's tokenizer.json.
var Tokenizer = sync.OnceValues(func() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(tokenizer))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
})

// uniform returns the values that testdata/golden.py assigns to a tensor: SplitMix64,
// seeded with the hash of its name.
func uniform(name string, n int, low, high float64) []float32 {
	h := fnv.New64a()
	h.Write([]byte(name))
	seed, x := h.Sum64(), make([]float32, n)
	for i := range x {
		z := seed + uint64(i+1)*0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		x[i] = float32(low + float64((high-low)*(float64(z>>40)/(1<<24))))
	}
	return x
}

// Random returns the parameters that golden.py generates. Its word embeddings are in half
// precision, the biases of its matrices in bfloat16.
func Random(rows int) Parameters {
	p := Parameters{}
	add := func(name string, low, high float64, dims ...int) {
		n := 1
		for _, d := range dims {
			n *= d
		}
		t := &Parameter{Type: "F32", Dims: dims, Values: uniform(name, n, low, high)}
		switch {
		case name == wordEmbeddings:
			t.Type = "F16"
		case strings.HasSuffix(name, "dense.bias"):
			t.Type = "BF16"
		}
		p[name] = t
	}
	norm := func(name string) {
		add(name+".weight", 0.8, 1.2, width)
		add(name+".bias", -0.08, 0.08, width)
	}
	linear := func(name string, in, out int) {
		add(name+".weight", -0.08, 0.08, out, in)
		add(name+".bias", -0.08, 0.08, out)
	}
	add(wordEmbeddings, -0.08, 0.08, rows, width)
	add("embeddings.position_embeddings.weight", -0.02, 0.02, 512, width)
	add("embeddings.token_type_embeddings.weight", -0.02, 0.02, 2, width)
	norm("embeddings.LayerNorm")
	for n := range 2 {
		at := fmt.Sprintf("encoder.layer.%d.", n)
		for _, part := range []string{"query", "key", "value"} {
			linear(at+"attention.self."+part, width, width)
		}
		linear(at+"attention.output.dense", width, width)
		norm(at + "attention.output.LayerNorm")
		linear(at+"intermediate.dense", width, inner)
		linear(at+"output.dense", inner, width)
		norm(at + "output.LayerNorm")
	}
	return p
}

// Safetensors returns the parameters as model.safetensors.
func (p Parameters) Safetensors() []byte {
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	size := 0
	for _, t := range p {
		size += 4 * len(t.Values) // at most
	}
	values := make([]byte, 0, size)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		t, from := p[name], len(values)
		for _, v := range t.Values {
			switch t.Type {
			case "F16":
				values = binary.LittleEndian.AppendUint16(values, weightfile.Half(v))
			case "BF16":
				values = binary.LittleEndian.AppendUint16(values, uint16(math.Float32bits(v)>>16))
			default:
				values = binary.LittleEndian.AppendUint32(values, math.Float32bits(v))
			}
		}
		header[name] = map[string]any{"dtype": t.Type, "shape": t.Dims, "data_offsets": [2]int{from, len(values)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), values...)
}

// ONNX returns the parameters as PyTorch exports them: everything in fp32, and matrices
// transposed and without names.
func (p Parameters) ONNX() []byte {
	field := func(dst []byte, num int, b []byte) []byte {
		dst = binary.AppendUvarint(dst, uint64(num<<3|2))
		return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
	}
	var graph []byte
	put := func(name string, dims []int, values []float32) {
		var t, raw []byte
		for _, d := range dims {
			t = binary.AppendUvarint(append(t, 1<<3), uint64(d))
		}
		for _, v := range values {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		t = append(t, 2<<3, 1)
		graph = field(graph, 5, field(field(t, 8, []byte(name)), 9, raw))
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if t := p[name]; len(t.Dims) == 1 || strings.HasPrefix(name, "embeddings.") {
			values := t.Values
			switch t.Type {
			case "F16":
				values = slices.Clone(values)
				for i, v := range values {
					values[i] = weightfile.Float(weightfile.Half(v))
				}
			case "BF16":
				values = slices.Clone(values)
				for i, v := range values {
					values[i] = math.Float32frombits(math.Float32bits(v) &^ 0xffff)
				}
			}
			put(name, t.Dims, values)
		}
	}
	for n := range 2 {
		for i, part := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense"} {
			t := p[fmt.Sprintf("encoder.layer.%d.%s.weight", n, part)]
			out, in := t.Dims[0], t.Dims[1]
			x := make([]float32, len(t.Values))
			for o := range out {
				for i := range in {
					x[i*out+o] = t.Values[o*in+i]
				}
			}
			put(fmt.Sprintf("onnx::MatMul_%d", 100*n+i), []int{in, out}, x)
		}
	}
	return field(nil, 7, graph)
}
