package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mneme/embed/e5/weightfile"
)

// heads is num_attention_heads of the model's published configuration. The ONNX
// initializers do not include it.
const heads = 12

// pack returns the weights file for an ONNX model and its tokenizer.json.
func pack(model, tokenizer []byte) ([]byte, error) {
	tensors, err := readInitializers(model)
	if err != nil {
		return nil, err
	}
	w := &weightfile.Weights{ModelSHA256: sha256.Sum256(model), TokenizerSHA256: sha256.Sum256(tokenizer)}
	if w.Vocabulary, err = readVocabulary(tokenizer); err != nil {
		return nil, err
	}
	g := newGraph(tensors)
	word := g.named("embeddings.word_embeddings.weight")
	position := g.named("embeddings.position_embeddings.weight")
	inner := g.named("encoder.layer.0.intermediate.dense.bias")
	if g.err != nil {
		return nil, g.err
	}
	w.Shape = weightfile.Shape{
		Vocabulary: len(w.Vocabulary), Width: word.dims[1], Layers: len(g.matrices) / 6, Heads: heads,
		Inner: len(inner.data), Positions: position.dims[0], Group: weightfile.Group,
	}
	if word.dims[0] != len(w.Vocabulary) || len(g.matrices)%6 != 0 {
		return nil, fmt.Errorf("%w: %d word embeddings for %d tokens, %d matrices", errONNX, word.dims[0], len(w.Vocabulary), len(g.matrices))
	}
	w.WordQ = make([]int8, len(word.data))
	for i := 0; i < len(word.data); i += weightfile.Group {
		w.WordScale = append(w.WordScale, weightfile.Quantize(w.WordQ[i:], word.data[i:], weightfile.Group, 1))
	}
	w.Position = position.data
	w.Type = g.named("embeddings.token_type_embeddings.weight").data
	w.EmbeddingNorm = g.norm("embeddings.LayerNorm")
	for i := range w.Shape.Layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		w.Layers = append(w.Layers, weightfile.Layer{
			Query:         g.linear(at + "attention.self.query"),
			Key:           g.linear(at + "attention.self.key"),
			Value:         g.linear(at + "attention.self.value"),
			Attention:     g.linear(at + "attention.output.dense"),
			Inner:         g.linear(at + "intermediate.dense"),
			Output:        g.linear(at + "output.dense"),
			AttentionNorm: g.norm(at + "attention.output.LayerNorm"),
			OutputNorm:    g.norm(at + "output.LayerNorm"),
		})
	}
	if g.err != nil {
		return nil, g.err
	}
	file := w.Append(nil)
	if _, err := weightfile.Parse(file); err != nil {
		return nil, fmt.Errorf("the packed file cannot be parsed: %w", err)
	}
	return file, nil
}

// readVocabulary returns the tokens in the order of their IDs.
func readVocabulary(tokenizer []byte) ([]string, error) {
	var t struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(tokenizer, &t); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	words := make([]string, len(t.Model.Vocab))
	for word, id := range t.Model.Vocab {
		if id < 0 || id >= len(words) || words[id] != "" || word == "" || strings.Contains(word, "\n") {
			return nil, fmt.Errorf("tokenizer: token %q with ID %d does not fit the vocabulary", word, id)
		}
		words[id] = word
	}
	return words, nil
}

// graph looks up the tensors of an ONNX model. err is the first error.
type graph struct {
	byName map[string]tensor
	// matrices are the remaining anonymous two-dimensional tensors, in graph
	// order. The exporter folds the transposition of a Linear's weight into a
	// new constant [in, out] without the layer's name.
	matrices []tensor
	err      error
}

func newGraph(tensors []tensor) *graph {
	g := &graph{byName: map[string]tensor{}}
	for _, t := range tensors {
		if strings.HasPrefix(t.name, "onnx::MatMul_") {
			g.matrices = append(g.matrices, t)
			continue
		}
		g.byName[t.name] = t
	}
	g.matrices = slices.Clip(g.matrices)
	return g
}

func (g *graph) named(name string) tensor {
	t, ok := g.byName[name]
	if !ok && g.err == nil {
		g.err = fmt.Errorf("%w: no tensor %q", errONNX, name)
	}
	return t
}

func (g *graph) norm(name string) weightfile.Norm {
	return weightfile.Norm{Gamma: g.named(name + ".weight").data, Beta: g.named(name + ".bias").data}
}

// linear takes the next matrix, with the bias of the given name. Their output
// widths must match, which checks that the order is as expected.
func (g *graph) linear(name string) weightfile.Linear {
	bias := g.named(name + ".bias").data
	if g.err != nil {
		return weightfile.Linear{}
	}
	if len(g.matrices) == 0 || len(g.matrices[0].dims) != 2 || g.matrices[0].dims[1] != len(bias) {
		g.err = fmt.Errorf("%w: no matrix for %q", errONNX, name)
		return weightfile.Linear{}
	}
	t := g.matrices[0]
	g.matrices = g.matrices[1:]
	m := weightfile.Matrix{In: t.dims[0], Out: t.dims[1], Q: make([]int8, len(t.data))}
	for i := 0; i < m.In; i += weightfile.Group {
		for o := range m.Out {
			at := i*m.Out + o
			m.Scale = append(m.Scale, weightfile.Quantize(m.Q[at:], t.data[at:], weightfile.Group, m.Out))
		}
	}
	return weightfile.Linear{Matrix: m, Bias: bias}
}
