package sqlite

import (
	"context"
	"database/sql"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// tagSample is the largest count of entries with a tag in rarestTag.
const tagSample = 10_000

const countTagged = scopeTable + `SELECT count(*) FROM (SELECT 1 FROM scope
	CROSS JOIN tag t ON t.store = scope.store AND t.label IN ` + labels + ` AND t.tag = ?2
	WHERE t.label <= scope.ceiling LIMIT ?3)`

// The access paths of a filter: by the rarest tag, by type, or by namespace.
// Parameters: ?2 tag, ?3 type, ?4 namespace or null, ?5 all tags, ?6 limit.
const (
	matchTagged = scopeTable + `SELECT e.id FROM scope
	CROSS JOIN tag t ON t.store = scope.store AND t.label IN ` + labels + ` AND t.tag = ?2
	CROSS JOIN entry e ON e.doc = t.doc
	WHERE t.label <= scope.ceiling AND (?3 = '' OR e.type = ?3) AND (?4 IS NULL OR e.namespace = ?4)
	AND NOT EXISTS (SELECT 1 FROM json_each(?5) j WHERE NOT EXISTS
		(SELECT 1 FROM tag x WHERE x.store = t.store AND x.label = t.label AND x.tag = j.value AND x.doc = t.doc))
	LIMIT ?6`
	matchType = scopeTable + `SELECT e.id FROM scope
	CROSS JOIN entry e INDEXED BY entry_type ON e.store = scope.store AND e.label IN ` + labels + ` AND e.type = ?3
	WHERE e.state = 0 AND e.type <> '' AND e.label <= scope.ceiling AND e.in_context AND NOT e.encrypted
	AND (?4 IS NULL OR e.namespace = ?4) LIMIT ?6`
	matchNamespace = scopeTable + `SELECT e.id FROM scope
	CROSS JOIN entry e INDEXED BY entry_live ON e.store = scope.store AND e.label IN ` + labels + ` AND e.namespace = ?4
	WHERE e.state = 0 AND e.label <= scope.ceiling AND e.in_context AND NOT e.encrypted LIMIT ?6`
	matchAll = scopeTable + `SELECT e.id FROM scope
	CROSS JOIN entry e INDEXED BY entry_live ON e.store = scope.store AND e.label IN ` + labels + `
	WHERE e.state = 0 AND e.label <= scope.ceiling AND e.in_context AND NOT e.encrypted LIMIT ?6`
)

// Matching implements memory.CandidateReader.
func (r *reader) Matching(ctx context.Context, scope acl.Scope, filter memory.Filter, limit int) ([]uuid.UUID, bool, error) {
	stores := scope.Indexed()
	if len(stores) == 0 {
		return nil, false, nil
	}
	within := scopeList(stores)
	tags, err := textList(filter.Tags)
	if err != nil {
		return nil, false, err
	}
	query, rarest := matchAll, ""
	switch {
	case len(filter.Tags) > 0:
		query = matchTagged
		if rarest, err = r.rarestTag(ctx, within, filter.Tags); err != nil {
			return nil, false, err
		}
	case filter.Type != "":
		query = matchType
	case filter.Namespace != nil:
		query = matchNamespace
	}
	var namespace any
	if filter.Namespace != nil {
		namespace = *filter.Namespace
	}
	var ids []uuid.UUID
	err = r.each(ctx, func(rows *sql.Rows) error {
		var id uuid.UUID
		if err := rows.Scan((*idColumn)(&id)); err != nil {
			return err
		}
		ids = append(ids, id)
		return nil
	}, query, within, rarest, filter.Type, namespace, tags, limit+1)
	if err != nil {
		return nil, false, err
	}
	if len(ids) > limit {
		return nil, true, nil
	}
	return ids, false, nil
}

// rarestTag returns the tag with the fewest entries in the scope, counting up to
// tagSample.
func (r *reader) rarestTag(ctx context.Context, within string, tags []string) (string, error) {
	rarest, fewest := tags[0], int64(tagSample+1)
	if len(tags) == 1 {
		return rarest, nil
	}
	for _, tag := range tags {
		var n int64
		if _, err := r.one(ctx, []any{&n}, countTagged, within, tag, tagSample); err != nil {
			return "", err
		}
		if n < fewest {
			rarest, fewest = tag, n
		}
	}
	return rarest, nil
}

// idColumn scans an ID from its 16 bytes.
type idColumn uuid.UUID

// Scan implements sql.Scanner.
func (c *idColumn) Scan(value any) error {
	b, _ := value.([]byte)
	id, err := uuid.FromBytes(b)
	*c = idColumn(id)
	return err
}
