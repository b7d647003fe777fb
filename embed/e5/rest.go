package e5

import (
	"sync/atomic"
	"time"
)

// restAfter is the time after a use of a model until its pages are released.
const restAfter = time.Second

// mapped is the file of a built-in model. Its word embeddings and its tokenizer are used
// directly in the file. This maps pages of the file into memory; release unmaps them, so that
// an idle model takes no more memory than its layers. To read a page again takes about a
// microsecond while the operating system has it in its page cache.
type mapped struct {
	file    []byte // nil: the model is not built in
	pending atomic.Bool
}

// used schedules the release of the pages that a use of the model has mapped.
func (m *mapped) used() {
	if m.file != nil && m.pending.CompareAndSwap(false, true) {
		time.AfterFunc(restAfter, func() {
			m.pending.Store(false) // set before the release: a use meanwhile needs another one
			release(m.file)
		})
	}
}
