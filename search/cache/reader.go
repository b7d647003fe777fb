package cache

import (
	"sync/atomic"

	"mneme/acl"
	"mneme/internal/lru"
	"mneme/memory"
)

// Reader is the right to use what a cache holds, which is the right under which it was read.
// It is part of what each cache of this package looks up.
//
// SECURITY: what one Reader has read is never used for another, even if a value is held once
// for all. An agent is another Reader in sessions of another label, so that the speed of an
// answer reveals neither what others asked nor what the agent asked in such a session. What
// is read of a store is read by a Reader of that store, agent and ceiling, and what has changed
// by another one: see Rows. No Reader is ever used again for something else. The zero value
// has read nothing.
//
// How long something stays in a full cache does depend on what others ask.
type Reader struct{ number uint64 }

// Readers has the Reader of each caller. It is safe for concurrent use.
type Readers struct {
	sessions *lru.Cache[session, Reader]
	last     atomic.Uint64
}

// session is all sessions of an agent that have the same label.
type session struct {
	agent string
	taint acl.Label
}

// readerBytes bounds the memory of Readers: some 3,000.
const readerBytes = 1 << 20

// NewReaders returns the Readers of the caches of a process.
func NewReaders() *Readers {
	return &Readers{sessions: lru.New(readerBytes, func(s session, _ Reader) int { return len(s.agent) })}
}

// Of returns the Reader that a caller is: a new one if it has not searched for long.
func (r *Readers) Of(c memory.Caller) Reader {
	return r.sessions.GetOrPut(session{c.Agent, c.Taint}, r.next)
}

// next returns a Reader that has read nothing.
func (r *Readers) next() Reader { return Reader{r.last.Add(1)} }
