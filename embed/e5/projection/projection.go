// Package projection reads and writes the file that maps the vectors of an
// encoder's tokens to the components of package maxsim: their mean, and their
// first principal components. Parse verifies the file's checksum.
//
// A file is a header of HeaderSize bytes and a payload. Numbers are
// little-endian.
//
//	offset  size  header
//	     0     8  Magic
//	     8     4  Version
//	    12     4  width of a token's vector
//	    16     4  number of components: maxsim.Dim
//	    20     4  bytes of the text
//	    24    32  SHA-256 of header[0:24] and the payload
//
// The payload consists of the following, in this order and without gaps. First the text: a line
// with the encoder's fingerprint, and one line for each source. Then the mean [width], in fp32.
// Then the components [maxsim.Dim, width] in half precision, each of about unit length, in
// descending order of the variance along them.
package projection

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"mneme/embed/e5/weightfile"
	"mneme/embed/maxsim"
)

const (
	// Magic is the first 8 bytes of every file.
	Magic = "mnemeE5P"
	// Version is the format that this package reads and writes.
	Version = 1
	// HeaderSize is the length of the header in bytes.
	HeaderSize = 56

	sumOffset = 24
	maxWidth  = 1 << 14
)

// Errors of Parse wrap one of these.
var (
	ErrNotProjection = errors.New("not a projection file")
	ErrVersion       = errors.New("projection format not supported")
	ErrDamaged       = errors.New("projection file damaged")
)

// Projection maps a token's vector to its components: the dot product of each
// row of Components with the vector minus Mean.
type Projection struct {
	// Encoder is the fingerprint of the encoder to whose tokens it was fitted.
	Encoder string
	// Sources are the names of the texts to which it was fitted.
	Sources []string
	// Mean is [width], Components [maxsim.Dim, width], rounded to half precision
	// by Append.
	Mean, Components []float32
	// Sum is the checksum in the file's header.
	Sum [32]byte
}

// Append appends p, in the format of a file, to dst and returns the result. It sets p.Sum.
// Encoder and the sources must not contain line breaks.
func (p *Projection) Append(dst []byte) []byte {
	text := strings.Join(append([]string{p.Encoder}, p.Sources...), "\n") + "\n"
	start := len(dst)
	dst = append(dst, make([]byte, HeaderSize)...)
	dst = append(dst, text...)
	for _, x := range p.Mean {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	for _, x := range p.Components {
		dst = binary.LittleEndian.AppendUint16(dst, weightfile.Half(x))
	}
	header := dst[start : start+HeaderSize]
	copy(header, Magic)
	for i, n := range []int{Version, len(p.Mean), maxsim.Dim, len(text)} {
		binary.LittleEndian.PutUint32(header[8+4*i:], uint32(n))
	}
	p.Sum = checksum(header, dst[start+HeaderSize:])
	copy(header[sumOffset:], p.Sum[:])
	return dst
}

// Parse verifies file and returns its contents.
func Parse(file []byte) (*Projection, error) {
	if len(file) < HeaderSize {
		return nil, fmt.Errorf("%w: %d bytes, shorter than the header", ErrDamaged, len(file))
	}
	header, payload := file[:HeaderSize], file[HeaderSize:]
	if string(header[:8]) != Magic {
		return nil, fmt.Errorf("%w: it begins with %q", ErrNotProjection, header[:8])
	}
	number := func(i int) int { return int(binary.LittleEndian.Uint32(header[8+4*i:])) }
	if v := number(0); v != Version {
		return nil, fmt.Errorf("%w: version %d, this program reads %d", ErrVersion, v, Version)
	}
	p := &Projection{Sum: [32]byte(header[sumOffset:])}
	if checksum(header, payload) != p.Sum {
		return nil, fmt.Errorf("%w: SHA-256 does not match", ErrDamaged)
	}
	width, dim, textBytes := number(1), number(2), number(3)
	if dim != maxsim.Dim || width < 1 || width > maxWidth || textBytes > len(payload) ||
		len(payload) != textBytes+4*width+2*width*dim {
		return nil, fmt.Errorf("%w: %d components of width %d and %d bytes of text do not match the payload", ErrDamaged, dim, width, textBytes)
	}
	text, rest := string(payload[:textBytes]), payload[textBytes:]
	if !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("%w: the text has no line", ErrDamaged)
	}
	lines := strings.Split(text[:len(text)-1], "\n")
	p.Encoder, p.Sources = lines[0], lines[1:]
	p.Mean, p.Components = make([]float32, width), make([]float32, width*dim)
	for i := range p.Mean {
		p.Mean[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
	}
	rest = rest[4*width:]
	for i := range p.Components {
		p.Components[i] = weightfile.Float(binary.LittleEndian.Uint16(rest[2*i:]))
	}
	return p, nil
}

func checksum(header, payload []byte) (sum [32]byte) {
	h := sha256.New()
	h.Write(header[:sumOffset])
	h.Write(payload)
	return [32]byte(h.Sum(nil))
}
