package e5

import (
	"sync/atomic"
	"time"
)

// restAfter is how long after a use of a model its pages are released at the latest.
const restAfter = time.Second

// mapped is the file of a model in the program. Its word embeddings and its tokenizer
// are read in place, which maps pages of the file; release unmaps them, so that a model
// at rest takes no more memory than its layers. Reading a page again costs about a
// microsecond while the system's cache has it.
type mapped struct {
	file    []byte // nil: the model is not in the program
	pending atomic.Bool
}

// used releases the pages after a while.
func (m *mapped) used() {
	if m.file != nil && m.pending.CompareAndSwap(false, true) {
		time.AfterFunc(restAfter, func() {
			m.pending.Store(false) // first: a use from here on needs a release of its own
			release(m.file)
		})
	}
}
