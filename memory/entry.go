// Package memory implements mneme's entries and the operations on them: the Service writes,
// reads, shares and follows entries under the access rules of package acl. It reaches storages
// and the indexer through small interfaces. Package search answers questions from the same
// entries.
//
// New returns a Service; Service.Put, Get, List and Share are its main methods. The interfaces
// whose names end in Reader or Writer are those that a storage implements.
package memory

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
)

// Path addresses an entry in a store. Several entries of different labels or
// owners may share a path; for each caller it resolves to one of them.
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
	Value       json.RawMessage // any JSON value, stored byte for byte
	Type        string          // "", or a word such as user, feedback, project, reference
	Description string          // one line
	Tags        []string        // in the writer's order, distinct
	InContext   bool            // false: only its owner can read it, by exact key
	Encrypted   bool            // the value is an opaque blob that the client encrypted
	Source      json.RawMessage // where it came from, according to its writer; nil: unknown
	OccurredAt  Moment          `json:",omitzero"` // when what it describes happened, according to its writer
	ExpiresAt   time.Time       // zero: never
	Version     int             // 1, 2, …
	CreatedAt   time.Time
	UpdatedAt   time.Time
	UpdatedBy   string
	// TypeBy and DescriptionBy are the agents that wrote the current type and description; "":
	// unknown. A write that omits a field does not change the field's author. The key's author
	// is always the owner.
	TypeBy, DescriptionBy string
	DeletedAt             time.Time // zero: not deleted
	DeletedBy             string

	// Revision counts the changes of the row, including deletes and restores. Queue rows and
	// vectors have the revision of the text from which they were made, and are out of date if
	// it differs. Callers never see it.
	Revision int64

	// Size is the number of bytes of the value if the value itself was not read, and otherwise
	// 0.
	Size int `json:"-"`
}

// Expired reports whether the entry has expired by now. For every operation, an expired entry
// does not exist, whether it has been swept or not.
func (e *Entry) Expired(now time.Time) bool {
	return !e.ExpiresAt.IsZero() && !now.Before(e.ExpiresAt)
}

// Live reports whether the entry is neither deleted nor expired.
func (e *Entry) Live(now time.Time) bool { return e.DeletedAt.IsZero() && !e.Expired(now) }

// DeletionOccurred returns when a deleted entry was deleted. If DeleteOccurred deleted it, this
// is the time at which it was deleted elsewhere.
func (e *Entry) DeletionOccurred() time.Time {
	if e.deletedElsewhere() {
		return e.OccurredAt.Time
	}
	return e.DeletedAt
}

// deletedElsewhere reports whether DeleteOccurred wrote the last version.
func (e *Entry) deletedElsewhere() bool {
	return e.Version > 1 && e.UpdatedAt.Equal(e.DeletedAt) && !e.OccurredAt.IsZero() && !e.OccurredAt.Dated()
}

// bytes returns the size of the value, whether it was read or not.
func (e *Entry) bytes() int { return max(e.Size, len(e.Value)) }

// Searchable reports whether the entry may be indexed while it is live.
func (e *Entry) Searchable() bool { return e.InContext && !e.Encrypted }

func idsOf(entries []Entry) []uuid.UUID {
	ids := make([]uuid.UUID, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	return ids
}

// Texts returns the texts by whose words an entry is found, in the order that lexical.Analyze
// takes.
func (e *Entry) Texts() []string {
	return append([]string{lexical.TextOf(e.Value), lexical.KeyWords(e.Key), e.Description}, e.Tags...)
}

// IsText reports whether a value is a string.
func IsText(value []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(value), []byte{'"'}) }

// Day returns the day, month or year of OccurredAt in UTC, or else the day of the last write,
// such as 2026-07-09.
func (e *Entry) Day() string {
	if e.OccurredAt.IsZero() {
		return e.UpdatedAt.UTC().Format(time.DateOnly)
	}
	text := e.OccurredAt.String()
	return text[:min(len(text), len(time.DateOnly))]
}
