package e5

import (
	_ "embed"
	"unsafe"
)

// The weights are strings, so that they are read from the mapped file of the program: parts
// that are not read take no memory.
var (
	//go:embed e5-small-v2.weights
	englishWeights string
	//go:embed multilingual-e5-small.weights
	multilingualWeights string
)

// The projections of the tokens of the embedded weights.
var (
	//go:embed e5-small-v2.projection
	englishProjection []byte
	//go:embed multilingual-e5-small.projection
	multilingualProjection []byte
)

// builtIn is a model that is part of the program.
type builtIn struct {
	kind       string
	weights    string
	projection []byte
}

var (
	english      = builtIn{wordPieceModel, englishWeights, englishProjection}
	multilingual = builtIn{unigramModel, multilingualWeights, multilingualProjection}
)

// file returns a read-only view of the weights.
func (b *builtIn) file() []byte { return unsafe.Slice(unsafe.StringData(b.weights), len(b.weights)) }
