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

// tagSample is the number up to which rarestTag counts the entries with a tag.
const tagSample = 10_000

// Parts of the queries of Matching.
var (
	withIDs     = texts.Fill(" {match.with_ids} ")
	withTag     = texts.Fill(" {match.with_tag} ")
	withType    = texts.Fill(" {match.with_type} ")
	inNamespace = texts.Fill(" {match.in_namespace} ")
	atPath      = texts.Fill(" {match.at_path} ")
	allEntries  = texts.Fill(" {match.all} ")
	withWords   = texts.Fill(" {match.with_words} ")
	joinForms   = texts.Fill(" {match.join_forms} ")
	judged      = texts.Fill("{match.judged}")
	isWithin    = texts.Fill(" WHERE {match.is_within}")
)

// Matching implements memory.CandidateReader. The query finds the entries that pass the filter.
// If the filter reads values or looks for phrases, the query finds those that may pass, and
// evaluating their rows decides.
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
	query := isWithin + ` AND e.in_context`
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
		}, scopeTable+`SELECT e.id, w.forms`+from+joinForms+query, q.Args...)
		if !evaluate || err != nil || len(m.IDs) == 0 {
			return m.Result(err)
		}
		q = newArguments(stores)
		from, query = q.named(m.IDs), isWithin
		m.IDs, m.Limit = nil, limit
	}
	if part := sqlcommon.ValuePart(filter, where); part != nil {
		err = r.eachOnce(ctx, decoded(m.JudgeValue(part)), scopeTable+`SELECT e.id, e.encrypted, e.value`+from+query, q.Args...)
	} else if evaluate {
		err = r.eachOnce(ctx, decoded(m.JudgeEntry()), scopeTable+`SELECT `+judged+from+joinOccurrence+query, q.Args...)
	} else {
		err = r.eachOnce(ctx, decoded(m.AddRow), scopeTable+`SELECT e.id`+from+query, q.Args...)
	}
	return m.Result(err)
}

// arguments are the parameters of a composed query.
type arguments struct{ sqlcommon.Arguments }

// newArguments returns parameters, the first of which is for scopeTable. The parameters of the
// FROM clause follow, which sql/match.sql numbers from $2 on.
func newArguments(stores []acl.Access) *arguments {
	q := &arguments{sqlcommon.Arguments{Mark: "$"}}
	q.Arg(scopeList(stores))
	return q
}

// named returns the FROM clause of entries with these ids in stores of the scope.
func (q *arguments) named(ids []uuid.UUID) string {
	q.Arg(idList(ids))
	return withIDs
}

// accessPath returns the FROM clause for the entries of the scope that have the keys: by the
// rarest tag, by type, by namespace, or all.
func (r *reader) accessPath(ctx context.Context, q *arguments, keys condition.Keys) (string, error) {
	switch {
	case len(keys.Tags) > 0 && keys.NotEncrypted: // table tag has only tags of searchable entries
		rarest, err := r.rarestTag(ctx, q.Args[0].(string), keys.Tags)
		q.Arg(rarest)
		return withTag, err
	case keys.Type != "":
		q.Arg(keys.Type)
		return withType, nil
	case keys.Namespace != nil && keys.Key != nil:
		q.Arg(*keys.Namespace)
		q.Arg(*keys.Key)
		return atPath, nil
	case keys.Namespace != nil:
		q.Arg(*keys.Namespace)
		return inNamespace, nil
	}
	return allEntries, nil
}

// rarestTag returns the tag with the fewest entries in the scope, counting up to tagSample.
func (r *reader) rarestTag(ctx context.Context, within string, tags []string) (string, error) {
	rarest, fewest := tags[0], int64(tagSample+1)
	if len(tags) == 1 {
		return rarest, nil
	}
	for _, tag := range tags {
		var n int64
		if _, err := r.one(ctx, []any{&n}, "tag.count", within, tag, tagSample); err != nil {
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
