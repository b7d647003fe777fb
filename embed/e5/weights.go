package e5

import (
	_ "embed"
	"unsafe"
)

// The weights stay in the program's mapped file as a string: what is not read
// costs no memory, and nothing is read before New.
//
//go:embed e5-small-v2.weights
var embedded string

// embeddedBytes is a read-only view of the weights.
func embeddedBytes() []byte {
	return unsafe.Slice(unsafe.StringData(embedded), len(embedded))
}
