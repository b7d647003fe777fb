// Package memory is the heart of mneme: entries, the Service that writes,
// reads, searches and shares them under the rules of package acl, and the
// worker that keeps the vector index in step with the rows. It speaks to
// storages, indexes and embedders through the small interfaces it declares.
package memory

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// Path names a place in a store. Several entries may live at one path, of
// different labels or owners; a caller sees one of them.
type Path struct {
	Store, Namespace, Key string
}

// Compare orders paths by store, namespace and key, in byte order.
func (p Path) Compare(q Path) int {
	if c := strings.Compare(p.Store, q.Store); c != 0 {
		return c
	}
	if c := strings.Compare(p.Namespace, q.Namespace); c != 0 {
		return c
	}
	return strings.Compare(p.Key, q.Key)
}

// Entry is one memory. (Path, Owner, Label) is unique among live entries.
type Entry struct {
	ID uuid.UUID // version 7
	Path
	Owner       string // the agent that created it
	Label       acl.Label
	Value       json.RawMessage // any JSON value, kept byte for byte
	Type        string          // "", or a word such as user, feedback, project, reference
	Description string          // one line
	Tags        []string        // in the writer's order, distinct
	InContext   bool            // false: its owner alone reads it, by exact key
	Encrypted   bool            // the value is a client's opaque blob
	Source      json.RawMessage // where it came from, as its writer says; nil: not said
	ExpiresAt   time.Time       // zero: never
	Version     int             // 1, 2, …
	CreatedAt   time.Time
	UpdatedAt   time.Time
	UpdatedBy   string
	DeletedAt   time.Time // zero: not deleted
	DeletedBy   string

	// Revision counts the changes of the row, deletes and restores among
	// them. It ties queue rows and vectors to the text they were made of and
	// is never shown.
	Revision int64
}

// Expired tells whether the entry's time has come. An expired entry is gone
// for every operation, whether or not the sweeper has been by.
func (e *Entry) Expired(now time.Time) bool {
	return !e.ExpiresAt.IsZero() && !now.Before(e.ExpiresAt)
}

// Live tells whether the entry is neither deleted nor expired.
func (e *Entry) Live(now time.Time) bool { return e.DeletedAt.IsZero() && !e.Expired(now) }

// Searchable tells whether the entry may be indexed, while it lives.
func (e *Entry) Searchable() bool { return e.InContext && !e.Encrypted }

func idsOf(entries []Entry) []uuid.UUID {
	ids := make([]uuid.UUID, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	return ids
}

// compareOrder is the order of ties everywhere: store, namespace, key, label,
// owner, in byte order (labels by name).
func compareOrder(a, b *Entry) int {
	if c := a.Path.Compare(b.Path); c != 0 {
		return c
	}
	if c := strings.Compare(a.Label.String(), b.Label.String()); c != 0 {
		return c
	}
	return strings.Compare(a.Owner, b.Owner)
}
