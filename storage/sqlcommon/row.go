package sqlcommon

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/period"
	"mneme/memory"
)

// The states of an entry's row.
const (
	Live    = 0
	Deleted = 1
	Swept   = 2 // expired, and hidden until it is purged
)

// EntryValues returns the arguments for the columns that the tables entry and history have in
// both databases: those of {entry.kept} in SQLite.
func EntryValues(e *memory.Entry) []any {
	var tags any
	if len(e.Tags) > 0 {
		tags = e.Tags
	}
	return []any{
		tags, e.Revision, e.Version, e.InContext, e.Encrypted, e.CreatedAt, e.UpdatedAt, orNull(e.ExpiresAt), orNull(e.DeletedAt),
		e.Owner, e.UpdatedBy, e.DeletedBy, e.Namespace, e.Key, e.Type, e.Description, []byte(e.Source), []byte(e.Value),
	}
}

// ScanEntries returns a function that reads a row with these columns: ID, ID of the store,
// {entry.narrow}, when the entry's event happened and its precision, the size of the value if
// it is not read, the authors of type and description, source, and value.
func ScanEntries() func(Row) (memory.Entry, error) {
	var e memory.Entry
	return scanInto(&e, &e.TypeBy, &e.DescriptionBy, (*[]byte)(&e.Source), (*[]byte)(&e.Value))
}

// ScanCandidates is ScanEntries for rows that have, in place of the last four columns, those
// that are scanned into more.
func ScanCandidates(more ...any) func(Row) (memory.Entry, error) {
	return scanInto(new(memory.Entry), more...)
}

// scanInto returns a function that reads a row into e, and the remaining columns into more.
func scanInto(e *memory.Entry, more ...any) func(Row) (memory.Entry, error) {
	var precision int64
	columns := append([]any{
		&e.ID, &e.Store, &e.Label, &e.Revision, &e.Version, &e.InContext, &e.Encrypted,
		&e.CreatedAt, &e.UpdatedAt, &e.ExpiresAt, &e.DeletedAt, &e.Owner, &e.UpdatedBy, &e.DeletedBy,
		&e.Namespace, &e.Key, &e.Type, &e.Description, &e.Tags, &e.OccurredAt.Time, &precision, &e.Size,
	}, more...)
	return func(row Row) (memory.Entry, error) {
		*e = memory.Entry{}
		err := row.Scan(columns...)
		e.OccurredAt.Precision = period.Precision(precision)
		return *e, err
	}
}

// UnlessOwner returns the argument for the author of a type or description: null if that is the
// owner.
func UnlessOwner(e *memory.Entry, author string) any {
	if author == e.Owner {
		return nil
	}
	return author
}

// EntryIDs runs a query that returns IDs.
func EntryIDs(ctx context.Context, r Reader, text string, args ...any) ([]uuid.UUID, error) {
	return List(ctx, r, func(row Row) (id uuid.UUID, err error) {
		err = row.Scan(&id)
		return id, err
	}, text, args...)
}

// Get implements memory.EntryReader.
func (r Reads) Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := r.r.OfEntries(ctx, ids); err != nil {
		return nil, err
	}
	return List(ctx, r.r, ScanEntries(), "entry.by_id", ids)
}

// Contents implements memory.EntryReader.
func (r Reads) Contents(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := r.r.OfEntries(ctx, ids); err != nil {
		return nil, err
	}
	return List(ctx, r.r, func(row Row) (e memory.Entry, err error) {
		err = row.Scan(&e.ID, (*[]byte)(&e.Value), &e.TypeBy, &e.DescriptionBy)
		return e, err
	}, "entry.contents", ids)
}

// At implements memory.PathReader.
func (r Reads) At(ctx context.Context, q memory.AtPaths) ([]memory.Entry, error) {
	if len(q.Paths) == 0 {
		return nil, nil
	}
	first := q.Paths[0]
	if err := r.r.InStore(ctx, first.Store); err != nil {
		return nil, err
	}
	ceiling := min(q.Ceiling, acl.Restricted)
	if len(q.Paths) == 1 && !q.InContext {
		return List(ctx, r.r, ScanEntries(), "entry.at", first.Store, first.Namespace, first.Key, ceiling)
	}
	text := "entry.at_paths"
	if q.InContext {
		text = "entry.at_paths_in_context"
	}
	args := append([]any{first.Store}, r.d.Paths(q.Paths)...)
	found, err := List(ctx, r.r, ScanEntries(), text, append(args, ceiling)...)
	return distinct(found), err
}

// distinct drops repeated entries: a path may be requested twice.
func distinct(entries []memory.Entry) []memory.Entry {
	seen := make(map[uuid.UUID]bool, len(entries))
	kept := entries[:0]
	for _, e := range entries {
		if !seen[e.ID] {
			seen[e.ID] = true
			kept = append(kept, e)
		}
	}
	return kept
}

// Latest returns the last of several times.
func Latest(times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
