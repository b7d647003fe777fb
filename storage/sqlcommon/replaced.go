package sqlcommon

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

// ErrReplaced means that the database is no longer the one that was opened, or lost commits,
// for example by a restore. The process's cached data (vectors, rows that searches have read)
// derives from data that no longer exists, and feed positions are assigned again.
var ErrReplaced = fmt.Errorf("%w: the database was replaced while mneme served it: complete the restore and start mneme again, see docs/operating/backups.md", memory.ErrUnavailable)

// Continuity detects that a database no longer continues the state that was read from it, for
// example after a restore. It remembers the database's name and the last record of table change,
// to which every write of an entry appends a record at the next position. If the last position
// is later a lower one, or the remembered record is another one, commits were lost. The zero
// value has seen nothing.
type Continuity struct {
	seen     atomic.Pointer[seenChange]
	replaced atomic.Bool
}

// seenChange is the last record of table change that was seen.
type seenChange struct {
	name     string // of the database
	position int64  // 0: there was none
	found    bool   // the record existed and was not yet trimmed
	entry    uuid.UUID
	at       time.Time
}

// Replaced reports whether the database was replaced.
func (c *Continuity) Replaced() bool { return c.replaced.Load() }

// Notice records that the database was replaced, and returns ErrReplaced.
func (c *Continuity) Notice() error {
	c.replaced.Store(true)
	return ErrReplaced
}

// Namer reads the name of a database in a transaction. No two databases have the same name.
type Namer func(context.Context) (string, error)

// Check returns ErrReplaced if a transaction's snapshot does not continue the last state seen.
// The transaction must not have read anything before.
func (c *Continuity) Check(ctx context.Context, r Reads, name Namer) error {
	_, _, err := c.check(ctx, r, name)
	return err
}

// Follow is Check, and records the state that it has read, for later checks. Calls of Follow
// must not be concurrent; calls of Check may be.
func (c *Continuity) Follow(ctx context.Context, r Reads, read Namer) error {
	name, last, err := c.check(ctx, r, read)
	if err != nil {
		return err
	}
	if seen := c.seen.Load(); seen != nil && seen.position == last {
		return nil
	}
	now, err := r.changeAt(ctx, last)
	if err == nil {
		now.name = name
		c.seen.Store(&now)
	}
	return err
}

// check is Check, and returns the name of the database and the position of the last change.
func (c *Continuity) check(ctx context.Context, r Reads, read Namer) (name string, last int64, err error) {
	if c.Replaced() {
		return "", 0, ErrReplaced
	}
	// Load the last state before the first read takes the snapshot: another transaction may
	// later record a newer state than the snapshot.
	seen := c.seen.Load()
	if name, err = read(ctx); err != nil {
		return "", 0, err
	}
	if last, err = r.lastChange(ctx); err != nil || seen == nil {
		return name, last, err
	}
	if seen.name != name || last < seen.position {
		return name, last, c.Notice()
	}
	if !seen.found {
		return name, last, nil
	}
	now, err := r.changeAt(ctx, seen.position)
	if err == nil && now.found && (now.entry != seen.entry || !now.at.Equal(seen.at)) {
		err = c.Notice()
	}
	return name, last, err
}

// changeAt reads the record of table change at a position.
func (r Reads) changeAt(ctx context.Context, position int64) (seenChange, error) {
	s := seenChange{position: position}
	var err error
	s.found, err = One(ctx, r.r, []any{&s.entry, &s.at}, "change.at", position)
	return s, err
}
