// Package prefetch asks the processor to fetch memory that is needed soon, so that it
// comes while something else is computed. What a search reads of a candidate lies anywhere
// in memory, and mostly in no cache: the encoder has read its weights since.
package prefetch

import "unsafe"

// Of asks for what p points to.
func Of[T any](p *T) { lines(unsafe.Pointer(p), unsafe.Sizeof(*p)) }

// Slice asks for the elements of s.
func Slice[T any](s []T) {
	if len(s) > 0 {
		lines(unsafe.Pointer(&s[0]), uintptr(len(s))*unsafe.Sizeof(s[0]))
	}
}
