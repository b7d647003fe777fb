package sqlite

import (
	"context"
	"database/sql"
	"math"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/condition"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// tagSample is the largest count of entries with a tag in rarestTag.
const tagSample = 10_000

var countTagged = scopeTable + `SELECT count(*) FROM (SELECT 1 FROM scope
	CROSS JOIN tag t ON t.store = scope.store AND t.label IN ` + labels + ` AND t.tag = ?2
	WHERE t.label <= scope.ceiling LIMIT ?3)`

// judgedColumns are the columns of an entry that Matching evaluates: all but its
// store's id, source and authors.
var judgedColumns = texts.Fill("e.id, '', {entry.narrow}, o.at, o.date, '', '', NULL, e.value, 0")

// Matching implements memory.CandidateReader. The query finds the entries that
// pass the filter, or if the filter reads values or looks for phrases, those that
// may: then evaluating their rows decides.
func (r *reader) Matching(ctx context.Context, scope acl.Scope, filter memory.Filter, ids []uuid.UUID, limit int) ([]uuid.UUID, bool, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || ids != nil && len(ids) == 0 {
		return nil, false, nil
	}
	where, words := filter.Condition(), filter.Match.Query()
	byRow := filter.Match != nil && (ids != nil || words.Some.Empty())
	q := newArguments(stores)
	var from string
	var err error
	switch {
	case ids != nil:
		from = q.named(ids)
	case byRow || filter.Match == nil:
		from, err = r.accessPath(ctx, q, where.Keys())
	default:
		from, err = r.wordPath(ctx, q, words)
	}
	if err != nil {
		return nil, false, err
	}
	query := ` WHERE e.label <= scope.ceiling AND e.state = 0 AND e.in_context`
	if where != nil {
		query += ` AND ` + where.Root().Formula(condition.SQL(dialect{q}))
	}
	evaluate := where != nil && where.ReadsValue() || !words.Exact
	m := &sqlcommon.Matches{Filter: filter, Limit: limit}
	if byRow {
		if evaluate {
			m.Limit = math.MaxInt
		}
		err = r.eachOnce(ctx, func(rows *sql.Rows) error {
			var id uuid.UUID
			var forms sql.RawBytes
			if err := rows.Scan((*idColumn)(&id), &forms); err != nil || !words.FulfilledBy(forms) {
				return err
			}
			return m.Add(id)
		}, scopeTable+`SELECT e.id, w.forms`+from+` CROSS JOIN form w ON w.doc = e.doc`+query, q.Args...)
		if !evaluate || err != nil || len(m.IDs) == 0 {
			return m.Result(err)
		}
		q = newArguments(stores)
		from, query = q.named(m.IDs), ` WHERE e.label <= scope.ceiling AND e.state = 0`
		m.IDs, m.Limit = nil, limit
	}
	if part := sqlcommon.ValuePart(filter, where); part != nil {
		err = r.eachOnce(ctx, decoded(m.JudgeValue(part)), scopeTable+`SELECT e.id, e.encrypted, e.value`+from+query, q.Args...)
	} else if evaluate {
		err = r.eachOnce(ctx, decoded(m.JudgeEntry()), scopeTable+`SELECT `+judgedColumns+from+joinOccurrence+query, q.Args...)
	} else {
		err = r.eachOnce(ctx, decoded(m.AddRow), scopeTable+`SELECT e.id`+from+query, q.Args...)
	}
	return m.Result(err)
}

// arguments are the parameters of a query that is put together.
type arguments struct{ sqlcommon.Arguments }

// newArguments returns parameters of which the first is for scopeTable.
func newArguments(stores []acl.Access) *arguments {
	q := &arguments{sqlcommon.Arguments{Mark: "?"}}
	q.Arg(scopeList(stores))
	return q
}

// named returns the FROM clause of entries with these ids in stores of the scope.
func (q *arguments) named(ids []uuid.UUID) string {
	return ` FROM json_each(` + q.Arg(idList(ids)) + `) j CROSS JOIN entry e ON e.id = unhex(j.value)
	JOIN scope ON scope.store = e.store`
}

// accessPath returns the FROM clause by which the entries of the scope that have
// the keys are found: by the rarest tag, by type, by namespace, or all.
func (r *reader) accessPath(ctx context.Context, q *arguments, keys condition.Keys) (string, error) {
	switch {
	case len(keys.Tags) > 0 && keys.NotEncrypted: // the table has the tags of searchable entries
		rarest, err := r.rarestTag(ctx, q.Args[0].(string), keys.Tags)
		return ` FROM scope CROSS JOIN tag t ON t.store = scope.store AND t.label IN ` + labels + ` AND t.label <= scope.ceiling AND t.tag = ` + q.Arg(rarest) + `
	CROSS JOIN entry e ON e.doc = t.doc`, err
	case keys.Type != "":
		return ` FROM scope CROSS JOIN entry e INDEXED BY entry_type ON e.store = scope.store AND e.label IN ` + labels + `
	AND e.type = ` + q.Arg(keys.Type) + ` AND e.type <> ''`, nil
	case keys.Namespace != nil:
		from := ` FROM scope CROSS JOIN entry e INDEXED BY entry_live ON e.store = scope.store AND e.label IN ` + labels + `
	AND e.namespace = ` + q.Arg(*keys.Namespace)
		if keys.Key != nil {
			from += ` AND e.key = ` + q.Arg(*keys.Key)
		}
		return from, nil
	}
	return ` FROM scope CROSS JOIN entry e INDEXED BY entry_live ON e.store = scope.store AND e.label IN ` + labels, nil
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
