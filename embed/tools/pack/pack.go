// Package pack converts published models to weights files for the encoder of package e5.
// It reads the parameters as safetensors or ONNX, and the tokenizer as tokenizer.json. The
// same inputs give the same bytes on every machine.
//
// The model is a BERT encoder as wide as E5-small-v2 (384), with any number of layers and
// tokens. Its tokenizer is WordPiece as in uncased BERT models, or a SentencePiece unigram
// model as in XLM-RoBERTa. The package rejects everything else.
package pack

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"mneme/embed/e5/unigram"
	"mneme/embed/e5/weightfile"
)

// The shape that the kernels of package e5 support. The number of heads is assumed and not
// checked: neither safetensors nor ONNX includes it.
const (
	width     = 384
	heads     = 12
	inner     = 1536
	positions = 512
	maxLayers = 48
)

// maxTokenizer bounds a tokenizer.json, in bytes. The tokenizer of XLM-RoBERTa has 17 MB.
const maxTokenizer = 128 << 20

const wordEmbeddings = "embeddings.word_embeddings.weight"

// ErrArchitecture is wrapped by the errors of models that the encoder cannot run.
var ErrArchitecture = errors.New("not a model that the encoder can run")

// source is a model's parameters.
type source interface {
	// dims returns the shape of a tensor.
	dims(name string) ([]int, error)
	// values returns n values of a tensor that exists, beginning with from.
	values(name string, from, n int) ([]float32, error)
	// linear returns the matrix of a linear layer as [in, out]. It is called once
	// for each layer in the order of the model.
	linear(name string, in, out int) ([]float32, error)
}

// Bits are the numbers of bits that the values of matrices may have. Eight are enough for any
// model. Four halve the file and lose accuracy, unless the model had four bits before: its
// parameters are then, in each group of 32 inputs, multiples from -8 to 7 of one half-precision
// number. Such parameters stay exact with four and with eight bits.
var Bits = []int{4, 8}

// Safetensors packs a model.safetensors of size bytes and its tokenizer.json, with
// values of 8 or 4 bits.
func Safetensors(model io.ReaderAt, size int64, tokenizer []byte, bits int) ([]byte, error) {
	s, err := newSafetensors(model, size)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(model, 0, size)); err != nil {
		return nil, err
	}
	return pack(s, [32]byte(h.Sum(nil)), tokenizer, bits)
}

// ONNX packs a model exported by PyTorch, in fp32, and its tokenizer.json, with values
// of 8 or 4 bits.
func ONNX(model, tokenizer []byte, bits int) ([]byte, error) {
	g, err := newGraph(model)
	if err != nil {
		return nil, err
	}
	return pack(g, sha256.Sum256(model), tokenizer, bits)
}

func pack(model source, sum [32]byte, tokenizer []byte, bits int) ([]byte, error) {
	if !slices.Contains(Bits, bits) {
		return nil, fmt.Errorf("values of %d bits; 4 and 8 are supported", bits)
	}
	if len(tokenizer) > maxTokenizer {
		return nil, refuse("%d bytes; at most %d are read", len(tokenizer), maxTokenizer)
	}
	pieces, config, err := readTokenizer(tokenizer)
	if err != nil {
		return nil, err
	}
	w := &weightfile.Weights{ModelSHA256: sum, TokenizerSHA256: sha256.Sum256(tokenizer), Bits: bits}
	if config == nil {
		w.Vocabulary = pieces
	} else {
		t, err := unigram.New(*config)
		if err != nil {
			return nil, refuse("%v", err)
		}
		w.Tokenizer = t.Marshal()
	}
	r := &reader{model: model, bits: bits}
	w.Shape = weightfile.Shape{
		Vocabulary: len(pieces), Width: width, Layers: r.layers(), Heads: heads,
		Inner: inner, Positions: positions, Group: weightfile.Group,
	}
	w.Words = r.words(len(pieces))
	w.Position = r.values("embeddings.position_embeddings.weight", positions, width)
	w.Type = r.values("embeddings.token_type_embeddings.weight", 2, width)
	w.EmbeddingNorm = r.norm("embeddings.LayerNorm")
	for i := range w.Shape.Layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		w.Layers = append(w.Layers, weightfile.Layer{
			Query:         r.linear(at+"attention.self.query", width, width),
			Key:           r.linear(at+"attention.self.key", width, width),
			Value:         r.linear(at+"attention.self.value", width, width),
			Attention:     r.linear(at+"attention.output.dense", width, width),
			Inner:         r.linear(at+"intermediate.dense", width, inner),
			Output:        r.linear(at+"output.dense", inner, width),
			AttentionNorm: r.norm(at + "attention.output.LayerNorm"),
			OutputNorm:    r.norm(at + "output.LayerNorm"),
		})
	}
	if r.err != nil {
		return nil, r.err
	}
	file := w.Append(nil)
	if _, err := weightfile.Parse(file); err != nil {
		return nil, fmt.Errorf("the packed file cannot be parsed: %w", err)
	}
	return file, nil
}

// reader reads the parameters of a model. err is the first error. After an error, its methods
// return empty results.
type reader struct {
	model source
	bits  int
	err   error
}

// layers returns the number of layers, which it finds by the names of their tensors.
func (r *reader) layers() int {
	n := 0
	for ; n <= maxLayers; n++ {
		if _, err := r.model.dims(fmt.Sprintf("encoder.layer.%d.output.LayerNorm.weight", n)); err != nil {
			break
		}
	}
	if r.err == nil && (n == 0 || n > maxLayers) {
		r.err = fmt.Errorf("%w: %d layers; 1 to %d are supported", ErrArchitecture, n, maxLayers)
	}
	return n
}

// words reads and quantizes the word embeddings, in batches of rows, since they are most of a
// multilingual model. Some models have more rows than tokens: it omits these rows.
func (r *reader) words(tokens int) weightfile.Table {
	const block = 4096
	dims, err := r.model.dims(wordEmbeddings)
	if err == nil && (len(dims) != 2 || dims[0] < tokens || dims[1] != width) {
		err = fmt.Errorf("%w: word embeddings %d, want [%d or more, %d]", ErrArchitecture, dims, tokens, width)
	}
	if err != nil {
		r.fail(err)
		return weightfile.Table{}
	}
	q := make([]int8, tokens*width)
	scales := make([]uint16, 0, tokens*width/weightfile.Group)
	for row := 0; row < tokens && r.err == nil; row += block {
		n := min(block, tokens-row)
		x := r.take(wordEmbeddings, row*width, n*width)
		for i := 0; i < len(x); i += weightfile.Group {
			scales = append(scales, weightfile.Quantize(q[row*width+i:], x[i:], weightfile.Group, 1, r.bits))
		}
	}
	return weightfile.Table{Q: weightfile.ValuesOf(q, r.bits), Scale: weightfile.HalvesOf(scales)}
}

// take returns n values of a tensor, beginning with from. The tensor must exist.
func (r *reader) take(name string, from, n int) []float32 {
	if r.err != nil {
		return nil
	}
	x, err := r.model.values(name, from, n)
	if err == nil {
		err = checkFinite(name, x)
	}
	if err != nil {
		r.fail(err)
		return nil
	}
	return x
}

// values returns the values of a tensor. It is an error if the tensor does not have the given
// shape.
func (r *reader) values(name string, dims ...int) []float32 {
	if r.err != nil {
		return nil
	}
	x, err := read(r.model, name, dims...)
	r.fail(err)
	return x
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) norm(name string) weightfile.Norm {
	return weightfile.Norm{Gamma: r.values(name+".weight", width), Beta: r.values(name+".bias", width)}
}

func (r *reader) linear(name string, in, out int) weightfile.Linear {
	bias := r.values(name+".bias", out)
	if r.err != nil {
		return weightfile.Linear{}
	}
	x, err := r.model.linear(name, in, out)
	if err == nil {
		err = checkFinite(name, x)
	}
	if err != nil {
		r.fail(err)
		return weightfile.Linear{}
	}
	m := weightfile.Matrix{In: in, Out: out, Q: make([]int8, len(x))}
	for i := 0; i < in; i += weightfile.Group {
		for o := range out {
			at := i*out + o
			m.Scale = append(m.Scale, weightfile.Quantize(m.Q[at:], x[at:], weightfile.Group, out, r.bits))
		}
	}
	return weightfile.Linear{Matrix: m, Bias: bias}
}

// read returns all values of a tensor. It is an error if the tensor does not have the given
// shape.
func read(model source, name string, dims ...int) ([]float32, error) {
	have, err := model.dims(name)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(have, dims) {
		return nil, fmt.Errorf("%w: %s has the shape %d, want %d", ErrArchitecture, name, have, dims)
	}
	n := 1
	for _, d := range dims {
		n *= d
	}
	x, err := model.values(name, 0, n)
	if err != nil {
		return nil, err
	}
	return x, checkFinite(name, x)
}

func checkFinite(name string, x []float32) error {
	for _, v := range x {
		if math.IsInf(float64(v), 0) || v != v {
			return fmt.Errorf("%w: %s has values that are not finite", ErrArchitecture, name)
		}
	}
	return nil
}
