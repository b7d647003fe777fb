package e5

import (
	"sync/atomic"
	"time"
)

// restAfter is the maximum time after a use of a model until its pages are released.
const restAfter = time.Second

// mapped is the file of a built-in model. Its word embeddings and its tokenizer are read
// in place, which maps pages of the file; release unmaps them, so that an idle model takes
// no more memory than its layers. Reading a page again costs about a microsecond while it
// is in the page cache.
type mapped struct {
	file    []byte // nil: the model is not built in
	pending atomic.Bool
}

// used schedules the release of the pages.
func (m *mapped) used() {
	if m.file != nil && m.pending.CompareAndSwap(false, true) {
		time.AfterFunc(restAfter, func() {
			m.pending.Store(false) // first: a use after this line needs another release
			release(m.file)
		})
	}
}
