package e5

import (
	_ "embed"
	"unsafe"
)

// embedded is a string so that the weights stay in the program's mapped file:
// what is not read takes no memory, and nothing is read before New.
//
//go:embed e5-small-v2.weights
var embedded string

// embeddedProjection is the projection of the tokens of the embedded weights.
//
//go:embed e5-small-v2.projection
var embeddedProjection []byte

// embeddedBytes returns a read-only view of the weights.
func embeddedBytes() []byte {
	return unsafe.Slice(unsafe.StringData(embedded), len(embedded))
}
