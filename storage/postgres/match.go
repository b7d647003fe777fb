package postgres

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// tagSample is the largest count of entries with a tag in rarestTag.
const tagSample = 10_000

// rarestTag selects the tag with the fewest entries in the scope, counting up to
// tagSample.
const rarestTag = scopeTable + `SELECT q.tag FROM unnest($3::text[]) WITH ORDINALITY q (tag, i)
	CROSS JOIN LATERAL (SELECT count(*) AS n FROM (SELECT 1 FROM scope
		JOIN tag t ON t.store = scope.store AND t.tag = q.tag AND t.label <= scope.ceiling LIMIT $4) sample) c
	ORDER BY c.n, q.i LIMIT 1`

// The access paths of a filter: by the rarest tag, or by store, type and
// namespace. Parameters: $3 type, $4 namespace or null, $5 all tags, $6 limit,
// $7 the rarest tag.
const (
	matchTagged = scopeTable + `SELECT e.id FROM scope
	JOIN tag t ON t.store = scope.store AND t.tag = $7 AND t.label <= scope.ceiling
	JOIN entry e ON e.id = t.entry
	WHERE ($3::text = '' OR e.type = $3) AND ($4::text IS NULL OR e.namespace = $4) AND e.tags @> $5::text[] LIMIT $6`
	matchType = scopeTable + `SELECT e.id FROM scope CROSS JOIN ` + labels + `
	JOIN entry e ON e.store = scope.store AND e.label = l.label AND e.type = $3 AND e.type <> ''
	WHERE l.label <= scope.ceiling AND e.state = 0 AND e.in_context AND NOT e.encrypted
	AND ($4::text IS NULL OR e.namespace = $4) AND $5::text[] IS NULL LIMIT $6`
	matchNamespace = scopeTable + `SELECT e.id FROM scope CROSS JOIN ` + labels + `
	JOIN entry e ON e.store = scope.store AND e.label = l.label AND e.namespace = $4
	WHERE l.label <= scope.ceiling AND e.state = 0 AND e.in_context AND NOT e.encrypted
	AND $3::text = '' AND $5::text[] IS NULL LIMIT $6`
	matchAll = scopeTable + `SELECT e.id FROM scope CROSS JOIN ` + labels + `
	JOIN entry e ON e.store = scope.store AND e.label = l.label
	WHERE l.label <= scope.ceiling AND e.state = 0 AND e.in_context AND NOT e.encrypted
	AND $3::text = '' AND $4::text IS NULL AND $5::text[] IS NULL LIMIT $6`
)

// Matching implements memory.CandidateReader.
func (r *reader) Matching(ctx context.Context, scope acl.Scope, filter memory.Filter, limit int) ([]uuid.UUID, bool, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || !storable(filter.Tags...) || !storable(filter.Type) || filter.Namespace != nil && !storable(*filter.Namespace) {
		return nil, false, nil
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	args := []any{numbers, ceilings, filter.Type, filter.Namespace, nil, limit + 1}
	query := matchAll
	switch {
	case len(filter.Tags) > 0:
		rarest := filter.Tags[0]
		if len(filter.Tags) > 1 {
			if _, err := r.one(ctx, []any{&rarest}, rarestTag, numbers, ceilings, filter.Tags, tagSample); err != nil {
				return nil, false, err
			}
		}
		args[4] = filter.Tags
		query, args = matchTagged, append(args, rarest)
	case filter.Type != "":
		query = matchType
	case filter.Namespace != nil:
		query = matchNamespace
	}
	ids, err := r.ids(ctx, query, args...)
	if err != nil {
		return nil, false, err
	}
	if len(ids) > limit {
		return nil, true, nil
	}
	return ids, false, nil
}
