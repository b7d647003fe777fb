package cache

import (
	"sync/atomic"

	"mneme/acl"
	"mneme/internal/lru"
	"mneme/memory"
)

// Reader identifies who has read what a cache holds. Each cache of this package yields a value
// only to a Reader that has read it before.
//
// SECURITY: what one Reader has read is never used for another, even if the cache holds a value
// once for all Readers. An agent is another Reader in sessions of another label, so that the
// speed of an answer reveals neither what others asked nor what the agent asked in such a
// session. For rows, each session has a Reader of its own for each store and ceiling, and
// another one for what has changed: see Rows. No Reader is ever used again for something else.
// The zero value has read nothing.
//
// How long a value stays in a full cache does depend on what others ask.
type Reader struct{ number uint64 }

// Readers has the Reader of each caller. It is safe for concurrent use.
type Readers struct {
	sessions *lru.Cache[session, Reader]
	last     atomic.Uint64
}

// session stands for all sessions of an agent that have the same label.
type session struct {
	agent string
	taint acl.Label
}

// readerBytes bounds the memory of Readers: some 3,000 sessions.
const readerBytes = 1 << 20

// NewReaders returns the Readers of the caches of a process.
func NewReaders() *Readers {
	return &Readers{sessions: lru.New(readerBytes, func(s session, _ Reader) int { return len(s.agent) })}
}

// Of returns the Reader of the caller's session; a new one if the session has not searched for a
// long time.
func (r *Readers) Of(c memory.Caller) Reader {
	return r.sessions.GetOrPut(session{c.Agent, c.Taint}, r.next)
}

// next returns a Reader that has read nothing.
func (r *Readers) next() Reader { return Reader{r.last.Add(1)} }
