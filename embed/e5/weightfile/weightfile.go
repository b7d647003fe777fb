// Package weightfile reads and writes the packed weights of a BERT encoder.
// Matrices are integers of 8 or 4 bits in groups along the input dimension, each
// group with a half-precision scale. Everything else is fp32. Parse verifies the
// file's checksum.
//
// A file is a header of HeaderSize bytes, a payload and, in version 3, a projection.
// Numbers are little-endian.
//
//	offset  size  header
//	     0     8  Magic
//	     8     4  Version
//	    12    28  Shape: vocabulary, width, layers, heads, inner, positions, group
//	    40     4  bytes of the vocabulary's text
//	    44     4  bytes of the tokenizer; 0 in version 1
//	    48    32  SHA-256 of the model file that the weights come from
//	    80    32  SHA-256 of the tokenizer file that the vocabulary comes from
//	   112     8  bytes of the payload
//	   120     8  bytes of the projection; 0 before version 3
//	   128     4  bits of a matrix's values: 8 or 4; 0, which means 8, before version 3
//	   132    28  zero
//	   160    32  SHA-256 of header[0:160], with zeros from 120 to 128, and the payload
//
// The payload consists of, in this order and without gaps: the vocabulary (one
// token per line, in the order of IDs); from version 2 the tokenizer, which
// package unigram reads (in version 3 with the vocabulary, whose text is then empty);
// the word embeddings (a matrix with
// groups along the width); the position and the token-type embeddings
// [positions, width] and [2, width]; the embeddings' LayerNorm (gamma, beta);
// and for each layer the six matrices query, key, value, attention output,
// intermediate and output, each with its bias, followed by gamma and beta of the
// LayerNorm after attention and of the one after the output.
//
// The projection is a file of package projection. It has a checksum of its own, and the
// checksum of the weights does not cover it, because it can be replaced without changing the
// weights.
package weightfile

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// Magic is the first 8 bytes of every file.
	Magic = "mnemeE5\n"
	// Version is the newest format that this package reads and writes. It writes the
	// oldest version that supports the contents: files of WordPiece models in 8 bits have
	// version 1.
	Version = 3
	// HeaderSize is the length of the header in bytes.
	HeaderSize = 192
	// Group is the number of inputs that share a scale.
	Group = 32

	projectionOffset = 120
	bitsOffset       = 128
	sumOffset        = 160
)

// Errors of Parse wrap one of these.
var (
	ErrNotWeights = errors.New("not a weights file")
	ErrVersion    = errors.New("weights format not supported")
	ErrDamaged    = errors.New("weights file damaged")
)

// Shape is the size of the model.
type Shape struct {
	Vocabulary, Width, Layers, Heads, Inner, Positions, Group int
}

// Matrix is a matrix [In, Out]. The weight from input i to output o is Q[i*Out+o] times the
// scale of its group. If the file has 4 bits, Q is nil until Widen sets it.
type Matrix struct {
	In, Out int
	Q       []int8
	packed  Values // as stored in the file
	// Scale holds half-precision bits: [In/Group, Out].
	Scale []uint16
}

// Linear is a matrix with its bias [Out].
type Linear struct {
	Matrix
	Bias []float32
}

// Norm is the scale and shift of a LayerNorm, each [Width].
type Norm struct{ Gamma, Beta []float32 }

// Layer is one block of the encoder.
type Layer struct {
	Query, Key, Value, Attention, Inner, Output Linear
	AttentionNorm, OutputNorm                   Norm
}

// Weights is a whole model.
type Weights struct {
	Shape Shape
	// ModelSHA256 and TokenizerSHA256 are the checksums of the source files.
	ModelSHA256, TokenizerSHA256 [32]byte
	// Sum is the checksum in the file's header.
	Sum [32]byte
	// Bits is the number of bits of a matrix's values: 8 or 4; 0 means 8.
	Bits int
	// Vocabulary has the tokens in the order of their IDs. It is empty if Tokenizer
	// contains them.
	Vocabulary []string
	// Tokenizer is a unigram tokenizer (unigram.Tokenizer.Marshal), or one without its
	// vocabulary (unigram.Config.Marshal). Empty: the vocabulary is a WordPiece
	// vocabulary.
	Tokenizer []byte
	// Projection is a file of package projection. Empty: there is none.
	Projection []byte
	// Words are the word embeddings.
	Words Table
	// Position is [Positions, Width], Type [2, Width].
	Position, Type []float32
	EmbeddingNorm  Norm
	Layers         []Layer
}

// Append appends w, in the format of a file, to dst and returns the result. It sets w.Sum.
func (w *Weights) Append(dst []byte) []byte {
	vocabulary := []byte{}
	for _, token := range w.Vocabulary {
		vocabulary = append(append(vocabulary, token...), '\n')
	}
	start := len(dst)
	dst = append(dst, make([]byte, HeaderSize)...)
	dst = append(dst, vocabulary...)
	dst = append(dst, w.Tokenizer...)
	dst = append(dst, w.Words.Q.B...)
	dst = append(dst, w.Words.Scale...)
	dst = appendFloat32(dst, w.Position)
	dst = appendFloat32(dst, w.Type)
	dst = appendNorm(dst, w.EmbeddingNorm)
	for i := range w.Layers {
		l := &w.Layers[i]
		for _, m := range l.matrices() {
			dst = append(dst, m.values(w.bits()).B...)
			dst = appendUint16(dst, m.Scale)
			dst = appendFloat32(dst, m.Bias)
		}
		dst = appendNorm(dst, l.AttentionNorm)
		dst = appendNorm(dst, l.OutputNorm)
	}
	header := dst[start : start+HeaderSize]
	copy(header, Magic)
	version := w.version()
	binary.LittleEndian.PutUint32(header[8:], version)
	if version == 3 {
		binary.LittleEndian.PutUint32(header[bitsOffset:], uint32(w.bits()))
	}
	binary.LittleEndian.PutUint32(header[44:], uint32(len(w.Tokenizer)))
	for i, n := range w.Shape.list() {
		binary.LittleEndian.PutUint32(header[12+4*i:], uint32(*n))
	}
	binary.LittleEndian.PutUint32(header[40:], uint32(len(vocabulary)))
	copy(header[48:], w.ModelSHA256[:])
	copy(header[80:], w.TokenizerSHA256[:])
	binary.LittleEndian.PutUint64(header[112:], uint64(len(dst)-start-HeaderSize))
	w.Sum = checksum(header, dst[start+HeaderSize:])
	copy(header[sumOffset:], w.Sum[:])
	binary.LittleEndian.PutUint64(header[projectionOffset:], uint64(len(w.Projection)))
	return append(dst, w.Projection...)
}

// SetProjection returns the file with another projection. The vectors and the checksum of the
// weights stay the same.
func SetProjection(file, projection []byte) ([]byte, error) {
	w, err := Parse(file)
	if err != nil {
		return nil, err
	}
	w.Projection = projection
	return w.Append(nil), nil
}

// version returns the oldest version that supports w.
func (w *Weights) version() uint32 {
	switch {
	case w.bits() != 8 || len(w.Projection) > 0 || len(w.Vocabulary) == 0:
		return 3
	case len(w.Tokenizer) > 0:
		return 2
	}
	return 1
}

func (w *Weights) bits() int {
	if w.Bits == 0 {
		return 8
	}
	return w.Bits
}

// Parse verifies file and returns its contents. The word embeddings, the values of
// matrices, the tokenizer and the projection are views of file, which must not change
// while they are in use. The projection is not verified.
func Parse(file []byte) (*Weights, error) {
	header, payload, _, err := split(file)
	if err != nil {
		return nil, err
	}
	if checksum(header, payload) != [32]byte(header[sumOffset:]) {
		return nil, fmt.Errorf("%w: SHA-256 does not match", ErrDamaged)
	}
	return ParseUnverified(file)
}

// ParseUnverified is Parse without verifying the checksum, which takes most of the time and
// reads the whole file. It is for weights that are embedded in the program.
func ParseUnverified(file []byte) (*Weights, error) {
	header, payload, projection, err := split(file)
	if err != nil {
		return nil, err
	}
	w := &Weights{Sum: [32]byte(header[sumOffset:]), Bits: 8, Projection: projection}
	number := func(offset int) int { return int(binary.LittleEndian.Uint32(header[offset:])) }
	version, text, tokenizer := number(8), number(40), number(44)
	for i, n := range w.Shape.list() {
		*n = number(12 + 4*i)
	}
	copy(w.ModelSHA256[:], header[48:])
	copy(w.TokenizerSHA256[:], header[80:])
	if version == 3 {
		w.Bits = number(bitsOffset)
	}
	if err := w.check(version, tokenizer); err != nil {
		return nil, err
	}
	r := &reader{rest: payload}
	w.read(r, text, tokenizer)
	if r.short || len(r.rest) != 0 {
		return nil, fmt.Errorf("%w: the payload does not match the shape", ErrDamaged)
	}
	if version == 3 && text == 0 && tokenizer > 0 {
		return w, nil // the tokenizer has the vocabulary
	}
	if len(w.Vocabulary) != w.Shape.Vocabulary {
		return nil, fmt.Errorf("%w: %d tokens, the header says %d", ErrDamaged, len(w.Vocabulary), w.Shape.Vocabulary)
	}
	return w, nil
}

// check rejects contents that are invalid in every version of the file.
func (w *Weights) check(version, tokenizer int) error {
	if err := w.Shape.check(); err != nil {
		return err
	}
	if w.Bits != 8 && w.Bits != 4 {
		return fmt.Errorf("%w: values of %d bits", ErrDamaged, w.Bits)
	}
	if version < 3 && (version == 2) != (tokenizer > 0) {
		return fmt.Errorf("%w: version %d with a tokenizer of %d bytes", ErrDamaged, version, tokenizer)
	}
	return nil
}

// split returns the parts of a file whose format and length are valid.
func split(file []byte) (header, payload, projection []byte, err error) {
	if len(file) < HeaderSize {
		return nil, nil, nil, fmt.Errorf("%w: %d bytes, shorter than the header", ErrDamaged, len(file))
	}
	header, rest := file[:HeaderSize], file[HeaderSize:]
	if string(header[:8]) != Magic {
		return nil, nil, nil, fmt.Errorf("%w: it begins with %q", ErrNotWeights, header[:8])
	}
	version := binary.LittleEndian.Uint32(header[8:])
	if version == 0 || version > Version {
		return nil, nil, nil, fmt.Errorf("%w: version %d, this program reads 1 to %d", ErrVersion, version, Version)
	}
	n, beyond := binary.LittleEndian.Uint64(header[112:]), binary.LittleEndian.Uint64(header[projectionOffset:])
	if n > uint64(len(rest)) || beyond != uint64(len(rest))-n || version < 3 && beyond != 0 {
		return nil, nil, nil, fmt.Errorf("%w: %d bytes after the header, which says %d and %d", ErrDamaged, len(rest), n, beyond)
	}
	return header, rest[:n:n], rest[n:], nil
}

// Header returns the checksum in the header of a file and the number of bits of its
// values, without verifying or reading anything else.
func Header(file []byte) (sum [32]byte, bits int, err error) {
	header, _, _, err := split(file)
	if err != nil {
		return sum, 0, err
	}
	if bits = int(binary.LittleEndian.Uint32(header[bitsOffset:])); bits == 0 {
		bits = 8
	}
	return [32]byte(header[sumOffset:]), bits, nil
}

// Projection returns the projection in a file, without verifying or reading anything
// else. It is empty if there is none.
func Projection(file []byte) ([]byte, error) {
	_, _, projection, err := split(file)
	return projection, err
}

// Vocabulary returns the tokens in a file, without verifying or reading anything
// else.
func Vocabulary(file []byte) ([]string, error) {
	header, payload, _, err := split(file)
	if err != nil {
		return nil, err
	}
	r := &reader{rest: payload}
	tokens := r.vocabulary(int(binary.LittleEndian.Uint32(header[40:])))
	if r.short {
		return nil, fmt.Errorf("%w: the payload does not match the vocabulary", ErrDamaged)
	}
	return tokens, nil
}

// vocabulary returns the lines of a text of n bytes.
func (r *reader) vocabulary(n int) []string {
	text := string(r.take(n))
	tokens := make([]string, 0, strings.Count(text, "\n"))
	for len(text) > 0 {
		line, rest, ok := cutLine(text)
		if !ok {
			r.short = true
			return nil
		}
		tokens, text = append(tokens, line), rest
	}
	return tokens
}

func (w *Weights) read(r *reader, vocabularyBytes, tokenizerBytes int) {
	s := w.Shape
	if w.Vocabulary = r.vocabulary(vocabularyBytes); r.short {
		return
	}
	w.Tokenizer = r.take(tokenizerBytes)
	w.Words.Q = r.values(s.Vocabulary*s.Width, w.Bits)
	w.Words.Scale = r.take(2 * (s.Vocabulary * s.Width / s.Group))
	w.Position = r.float32s(s.Positions * s.Width)
	w.Type = r.float32s(2 * s.Width)
	w.EmbeddingNorm = r.norm(s.Width)
	w.Layers = make([]Layer, s.Layers)
	for i := range w.Layers {
		l := &w.Layers[i]
		for j, m := range l.matrices() {
			m.In, m.Out = s.Width, s.Width
			switch j {
			case 4:
				m.Out = s.Inner
			case 5:
				m.In = s.Inner
			}
			m.packed = r.values(m.In*m.Out, w.Bits)
			if w.Bits == 8 && !r.short {
				m.Q = m.packed.Int8(nil, 0, m.In*m.Out)
			}
			m.Scale = r.uint16s(m.In / s.Group * m.Out)
			m.Bias = r.float32s(m.Out)
		}
		l.AttentionNorm = r.norm(s.Width)
		l.OutputNorm = r.norm(s.Width)
	}
}

// Widen sets Q of the layer's matrices if the file has 4 bits. It stores the values in buf,
// which it grows as needed and returns. They are valid until buf is used for another layer.
func (l *Layer) Widen(buf []int8) []int8 {
	total := 0
	for _, m := range l.matrices() {
		total += m.In * m.Out
	}
	if l.Query.packed.Bits != 4 {
		return buf
	}
	buf = slices.Grow(buf[:0], total)
	for _, m := range l.matrices() {
		from, n := len(buf), m.In*m.Out
		buf = buf[:from+n]
		m.Q = m.packed.Int8(buf[from:], 0, n)
	}
	return buf
}

// values returns the values of a matrix with 8 or 4 bits each.
func (m *Matrix) values(bits int) Values {
	if m.packed.Bits == bits {
		return m.packed
	}
	return ValuesOf(m.Q, bits)
}

// matrices returns the layer's matrices in the order of the file.
func (l *Layer) matrices() [6]*Linear {
	return [6]*Linear{&l.Query, &l.Key, &l.Value, &l.Attention, &l.Inner, &l.Output}
}

func (s *Shape) list() [7]*int {
	return [7]*int{&s.Vocabulary, &s.Width, &s.Layers, &s.Heads, &s.Inner, &s.Positions, &s.Group}
}

// check rejects impossible shapes, so that sizes computed from a valid one do not overflow.
func (s *Shape) check() error {
	for _, n := range s.list() {
		if *n < 1 || *n > 1<<20 {
			return fmt.Errorf("%w: impossible shape %+v", ErrDamaged, *s)
		}
	}
	if s.Group != Group || s.Width%Group != 0 || s.Inner%Group != 0 || s.Width%s.Heads != 0 || s.Layers > 1000 {
		return fmt.Errorf("%w: impossible shape %+v", ErrDamaged, *s)
	}
	return nil
}

func checksum(header, payload []byte) (sum [32]byte) {
	h := sha256.New()
	h.Write(header[:projectionOffset])
	h.Write(make([]byte, bitsOffset-projectionOffset))
	h.Write(header[bitsOffset:sumOffset])
	h.Write(payload)
	h.Sum(sum[:0])
	return sum
}

func cutLine(text string) (line, rest string, ok bool) {
	i := strings.IndexByte(text[:min(len(text), 1024)], '\n')
	if i < 0 {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}
