package postgres

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/condition"
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

// judgedColumns are the columns of an entry that Matching evaluates: all but its
// store's id, source and authors.
var judgedColumns = strings.Replace(narrowColumns, "s.id", "''", 1) + `'', '', NULL::bytea, e.value, 0`

// Matching implements memory.CandidateReader. The query finds the entries that
// pass the filter, or if the filter reads values, those that would with some
// value: then evaluating their rows decides.
func (r *reader) Matching(ctx context.Context, scope acl.Scope, filter memory.Filter, ids []uuid.UUID, limit int) ([]uuid.UUID, bool, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || ids != nil && len(ids) == 0 ||
		!storable(filter.Tags...) || !storable(filter.Type) || filter.Namespace != nil && !storable(*filter.Namespace) {
		return nil, false, nil
	}
	r.setRLSScope(stores)
	where := filter.Condition()
	numbers, ceilings := scopeLists(stores)
	q := &matchQuery{args: []any{numbers, ceilings}}
	var from string
	if ids != nil {
		from = ` FROM unnest(` + q.arg(idList(ids)) + `::uuid[]) named (id)
	CROSS JOIN LATERAL (SELECT * FROM entry f WHERE f.id = named.id AND f.state = 0 OFFSET 0) e
	JOIN scope ON scope.store = e.store AND e.label <= scope.ceiling WHERE e.in_context`
	} else {
		var err error
		if from, err = r.accessPath(ctx, q, where.Keys()); err != nil {
			return nil, false, err
		}
	}
	if where != nil {
		from += ` AND ` + where.Root().Formula(q.leaf)
	}
	var found []uuid.UUID
	if where != nil && where.ReadsValue() {
		err := r.eachFetched(ctx, func(rows pgx.Rows) error {
			e, err := scanEntry(rows)
			if err != nil {
				return err
			}
			if fields := e.Fields(); where.Fits(&fields) {
				found = append(found, e.ID)
			}
			if len(found) > limit {
				return errEnough
			}
			return nil
		}, scopeTable+`SELECT `+judgedColumns+from, q.args...)
		if err != nil && !errors.Is(err, errEnough) {
			return nil, false, err
		}
	} else {
		var err error
		if found, err = r.ids(ctx, scopeTable+`SELECT e.id`+from+` LIMIT `+q.arg(limit+1), q.args...); err != nil {
			return nil, false, err
		}
	}
	if len(found) > limit {
		return nil, true, nil
	}
	return found, false, nil
}

// accessPath returns the FROM and WHERE clauses by which the entries of the scope
// that have the keys are found: by the rarest tag, by type, by namespace, or all.
func (r *reader) accessPath(ctx context.Context, q *matchQuery, keys condition.Keys) (string, error) {
	if len(keys.Tags) > 0 && keys.NotEncrypted { // the table has the tags of searchable entries
		rarest := keys.Tags[0]
		if len(keys.Tags) > 1 {
			if _, err := r.one(ctx, []any{&rarest}, rarestTag, q.args[0], q.args[1], keys.Tags, tagSample); err != nil {
				return "", err
			}
		}
		return ` FROM scope JOIN tag t ON t.store = scope.store AND t.tag = ` + q.arg(rarest) + ` AND t.label <= scope.ceiling
	JOIN entry e ON e.id = t.entry WHERE e.state = 0 AND e.in_context`, nil
	}
	from := ` FROM scope CROSS JOIN ` + labels + ` JOIN entry e ON e.store = scope.store AND e.label = l.label`
	switch {
	case keys.Type != "":
		from += ` AND e.type = ` + q.arg(keys.Type) + ` AND e.type <> ''`
	case keys.Namespace != nil:
		from += ` AND e.namespace = ` + q.arg(*keys.Namespace)
		if keys.Key != nil {
			from += ` AND e.key = ` + q.arg(*keys.Key)
		}
	}
	return from + ` WHERE l.label <= scope.ceiling AND e.state = 0 AND e.in_context`, nil
}

// errEnough ends a query whose further rows are not needed.
var errEnough = errors.New("postgres: no further rows are needed")

// matchQuery collects the parameters of a query that is put together.
type matchQuery struct{ args []any }

// arg adds a parameter and returns its name.
func (q *matchQuery) arg(value any) string {
	q.args = append(q.args, value)
	return "$" + strconv.Itoa(len(q.args))
}
