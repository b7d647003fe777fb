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

// ScanEntry reads a row of these columns: ID, ID of the store, label, revision, version,
// whether it is in context and encrypted; when it was created and updated, expires and
// was deleted; owner, who updated and deleted it; namespace, key, type, description,
// tags; when what it describes happened, and the precision of that; the authors of type
// and description, null for the owner; source, value, and the size of the value if it is
// null.
func ScanEntry(row Row) (e memory.Entry, err error) {
	var precision *int64
	var typeBy, descriptionBy *string
	err = row.Scan(&e.ID, &e.Store, &e.Label, &e.Revision, &e.Version, &e.InContext, &e.Encrypted,
		&e.CreatedAt, &e.UpdatedAt, &e.ExpiresAt, &e.DeletedAt, &e.Owner, &e.UpdatedBy, &e.DeletedBy,
		&e.Namespace, &e.Key, &e.Type, &e.Description, &e.Tags, &e.OccurredAt.Time, &precision,
		&typeBy, &descriptionBy, (*[]byte)(&e.Source), (*[]byte)(&e.Value), &e.Size)
	if precision != nil {
		e.OccurredAt.Precision = period.Precision(*precision)
	}
	e.TypeBy, e.DescriptionBy = e.Owner, e.Owner
	if typeBy != nil {
		e.TypeBy = *typeBy
	}
	if descriptionBy != nil {
		e.DescriptionBy = *descriptionBy
	}
	return e, err
}

// UnlessOwner returns the argument for the author of a type or description.
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
	return List(ctx, r.r, ScanEntry, "entry.by_id", ids)
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
		return List(ctx, r.r, ScanEntry, "entry.at", first.Store, first.Namespace, first.Key, ceiling)
	}
	text := "entry.at_paths"
	if q.InContext {
		text = "entry.at_paths_in_context"
	}
	args := append([]any{first.Store}, r.d.Paths(q.Paths)...)
	found, err := List(ctx, r.r, ScanEntry, text, append(args, ceiling)...)
	return distinct(found), err
}

// distinct drops all but the first of equal entries: a path may be asked for twice.
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
