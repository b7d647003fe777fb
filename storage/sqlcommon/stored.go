package sqlcommon

import (
	"time"

	"mneme/acl"
	"mneme/memory"
)

// Stored is what a write must know of an entry's row: of the row that it replaces, and of the
// new one.
type Stored struct {
	State          int
	Store          int64
	Label          acl.Label
	Writer         string
	Revision       int64
	Version        int
	Bytes          int64 // of the value
	Source         int64 // bytes
	Searchable     bool
	InContext      bool
	Namespace, Key string
	Past           Past
}

// Next returns the state of the row that a write of e makes. store is the number of the entry's
// store.
func Next(e *memory.Entry, store int64) Stored {
	next := Stored{
		Store: store, Label: e.Label, Writer: e.UpdatedBy, Revision: e.Revision, Version: e.Version,
		Bytes: int64(len(e.Value)), Source: int64(len(e.Source)), Searchable: e.Searchable(),
		InContext: e.InContext, Namespace: e.Namespace, Key: e.Key,
	}
	if !e.DeletedAt.IsZero() {
		next.State = Deleted
	}
	return next
}

// Indexed reports whether a search can find the row.
func (s *Stored) Indexed() bool { return s.State == Live && s.Searchable }

// FeedRow is a feed record, which gets its position when it is written.
type FeedRow struct {
	Store          int64
	Label          acl.Label
	At             time.Time
	Namespace, Key *string // nil unless the entry left the path
}

// Announce returns the feed records of a write: one for the path of next, and one for the path
// of old if the entry has left it. old is nil for a new entry.
func Announce(old, next *Stored, at time.Time) (rows []FeedRow) {
	if old != nil && old.InContext &&
		(old.Store != next.Store || old.Label != next.Label || old.Namespace != next.Namespace || old.Key != next.Key) {
		rows = append(rows, FeedRow{old.Store, old.Label, at, &old.Namespace, &old.Key})
	}
	if next.InContext {
		rows = append(rows, FeedRow{Store: next.Store, Label: next.Label, At: at})
	}
	return rows
}

// AnnounceEnd returns the feed record of a row that was swept or purged.
func AnnounceEnd(row *Stored, at time.Time) (rows []FeedRow) {
	if row.State == Live && row.InContext {
		rows = append(rows, FeedRow{Store: row.Store, Label: row.Label, At: at})
	}
	return rows
}

// AddRow adds a live row to its last writer's usage (sign 1) or subtracts it (-1).
func (c UsageChanges) AddRow(row *Stored, sign int64) {
	if row.State == Live {
		c.Add(UsageKey{row.Store, row.Label, row.Writer}, sign, sign*row.Bytes)
	}
}
