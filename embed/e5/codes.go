package e5

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"mneme/embed"
	"mneme/embed/e5/projection"
	"mneme/embed/maxsim"
)

// codesVersion is part of the fingerprint of encoders that make codes. It must change when the
// format of codes changes, or the rule that determines which tokens have a code.
const codesVersion = "codes1"

// earlierProjection is, in the fingerprints of predecessors (see Predecessors), the projection
// of the embedded English weights: the first 6 bytes of its checksum.
const earlierProjection = "4a4bae9fe491"

// hasCode reports whether the token at an index of a sequence has a code. The tokens of the
// text have one; [CLS], the tokens of the prefix and [SEP] have none.
func hasCode(index, sequence, prefix int) bool { return index > prefix && index < sequence-1 }

// ErrNoProjection is wrapped by the errors of weights without a projection.
var ErrNoProjection = errors.New("the weights have no projection for token codes")

// projector maps the vectors of tokens to the components of maxsim.
type projector struct {
	mean       []float32 // [width]
	components []float32 // [width, maxsim.Dim]
}

// WithCodes returns an encoder that also makes token codes. It shares weights, memory and
// workers with e and returns the same vectors. It fails if the projection is damaged or was
// fitted to another encoder.
func (e *Encoder) WithCodes() (*Encoder, error) {
	if e.projector != nil {
		return e, nil
	}
	if e.projection == nil {
		return nil, fmt.Errorf("e5: %w", ErrNoProjection)
	}
	p, err := projection.Parse(e.projection)
	if err != nil {
		return nil, fmt.Errorf("e5: %w", err)
	}
	if p.Encoder != e.fingerprint || len(p.Mean) != width {
		return nil, fmt.Errorf("e5: the projection was fitted to %q, not to %q", p.Encoder, e.fingerprint)
	}
	coded := &Encoder{
		engine:      e.engine,
		projector:   &projector{mean: p.Mean, components: make([]float32, len(p.Components))},
		fingerprint: e.fingerprint + "+" + codesVersion + "/" + hex.EncodeToString(p.Sum[:6]),
	}
	for c := range maxsim.Dim {
		for i := range width {
			coded.projector.components[i*maxsim.Dim+c] = p.Components[c*width+i]
		}
	}
	return coded, nil
}

// HasCodes reports whether the encoder makes token codes.
func (e *Encoder) HasCodes() bool { return e.projector != nil }

// project sets s.context to the components [rows, maxsim.Dim] of the token vectors in s.x. It
// overwrites s.y, too.
func (p *projector) project(k *kernels, s *scratch, rows int) {
	for r := range rows {
		x, y := s.x[r*width:][:width], s.y[r*width:][:width]
		for i, m := range p.mean {
			y[i] = x[i] - m
		}
	}
	for c := 0; c < maxsim.Dim; c += panel {
		k.multiply(s.context[c:], maxsim.Dim, s.y, width, rows, p.components[c:], maxsim.Dim, width)
	}
}

// component returns the components that project computed for the token in a row.
func (s *scratch) component(row int) *[maxsim.Dim]float32 {
	return (*[maxsim.Dim]float32)(s.context[row*maxsim.Dim:])
}

// encodeCodes returns the codes of the passage in the n rows from first on.
func (e *Encoder) encodeCodes(s *scratch, first, n int) []byte {
	codes := make([]byte, 0, n*maxsim.TokenSize)
	for i := range n {
		if hasCode(i, n, e.passagePrefix) {
			codes = maxsim.AppendCode(codes, s.component(first+i))
		}
	}
	return codes
}

// queryTokens returns the tokens of a query. spans has the ranges of their words, and first is
// the query's first row in s. It returns nil if the encoder has no codes and the tokenizer is
// multilingual: such tokens would not show how well the model knows a language. It skips
// unknown tokens: all scripts and emoji that the model was not trained on have the same one.
func (e *Encoder) queryTokens(s *scratch, first int, ids []int32, spans []span) []embed.Token {
	n := len(ids)
	if _, english := e.tokenizer.(*wordPiece); !english && e.projector == nil {
		return nil
	}
	tokens := make([]embed.Token, 0, n)
	for i := range n {
		if !hasCode(i, n, e.queryPrefix) || ids[i] == e.tokenizer.unknown() {
			continue
		}
		t := embed.Token{Start: spans[i].start, End: spans[i].end}
		if e.projector != nil {
			t.Vector = maxsim.Quantize(s.component(first + i))
		}
		tokens = append(tokens, t)
	}
	return tokens
}

// TokenVectors returns the vectors [tokens][Dim], before projection, of those tokens of a
// stored text that have codes. It waits for a worker as Passages does.
func (e *Encoder) TokenVectors(ctx context.Context, text string) ([][]float32, error) {
	e.Load()
	if !e.takeWorker(ctx) {
		return nil, context.Cause(ctx)
	}
	defer func() { <-e.workers }()
	ids := e.tokenizer.encode(passagePrefix, text)
	var vectors [][]float32
	err := e.runBatch(ctx, [][]int32{ids}, make([][]float32, 1), func(s *scratch) {
		for i := range ids {
			if hasCode(i, len(ids), e.passagePrefix) {
				vectors = append(vectors, append([]float32(nil), s.x[i*width:][:width]...))
			}
		}
	})
	return vectors, err
}

// CodeSpans implements embed.Embedder.
func (e *Encoder) CodeSpans(header, text string, chunks []int) [][][2]int {
	ranges := make([][][2]int, len(chunks))
	if e.projector == nil {
		return ranges
	}
	clipped, title, spans := e.plan(header, text)
	for i, chunk := range chunks {
		if chunk < 0 || chunk >= len(spans) {
			continue
		}
		from := spans[chunk]
		passage := text[from.start:from.end]
		if chunk > 0 {
			passage = join(title, passage)
		}
		passage = join(clipped, passage)
		ranges[i] = e.codeSpans(passage, from.start, len(passage)-(from.end-from.start))
	}
	return ranges
}

// codeSpans returns, for each code of a passage, its range in the text of which the passage is
// a chunk. The first repeated bytes of the passage are a header or title and have empty ranges;
// the rest of the passage is text[start:] and so on.
func (e *Encoder) codeSpans(passage string, start, repeated int) [][2]int {
	_, words := e.tokenizer.encodeSpans(passagePrefix, passage)
	ranges := make([][2]int, 0, len(words))
	for i, w := range words {
		switch {
		case !hasCode(i, len(words), e.passagePrefix):
		case w.start < repeated:
			ranges = append(ranges, [2]int{})
		default:
			ranges = append(ranges, [2]int{start + w.start - repeated, start + w.end - repeated})
		}
	}
	return ranges
}
