package postgres

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/condition"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// tagSample is the number up to which rarestTag counts the entries with a tag.
const tagSample = 10_000

var rarestTag = scoped{"tag.rarest_in_one", "tag.rarest"}

// Parts of the queries of Matching.
var (
	withIDs     = texts.Fill(" {match.with_ids} ")
	wordRows    = texts.Fill(" {match.word_rows} ")
	withWords   = texts.Fill(" {match.with_words} ")
	isFound     = texts.Fill(" {match.is_found} ")
	withTag     = texts.Fill(" {match.with_tag} ")
	allEntries  = texts.Fill(" {match.all} ")
	withType    = texts.Fill(" {match.with_type} ")
	inNamespace = texts.Fill(" {match.in_namespace} ")
	atPath      = texts.Fill(" {match.at_path} ")
	isWithin    = texts.Fill(" {match.is_within} ")
	judged      = texts.Fill("{match.judged}")
	onlyStore   = texts.Fill("{scope.only}")
)

// Matching implements memory.CandidateReader. The query finds the entries that pass the filter.
// If the filter reads values or looks for phrases, the query finds those that may pass, and
// evaluating their rows decides.
func (r *reader) Matching(ctx context.Context, scope acl.Scope, filter memory.Filter, ids []uuid.UUID, limit int) ([]uuid.UUID, bool, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || ids != nil && len(ids) == 0 ||
		!storable(filter.Tags...) || !storable(filter.Type) || filter.Namespace != nil && !storable(*filter.Namespace) {
		return nil, false, nil
	}
	r.setRLSScope(stores)
	m := &matching{reader: r, Matches: sqlcommon.Matches{Filter: filter, Limit: limit}, where: filter.Condition()}
	m.numbers, m.ceilings = scopeLists(stores)
	var err error
	if filter.Match == nil {
		err = m.find(ctx, ids, formCondition{}, m.where != nil && m.where.ReadsValue())
	} else {
		err = m.findWords(ctx, ids)
	}
	return m.Result(err)
}

// matching is one call of Matching.
type matching struct {
	*reader
	sqlcommon.Matches
	numbers  []int64 // scopeLists
	ceilings []int16
	where    *condition.Condition
}

// inStore returns the condition that a row belongs to the scope's store, if the scope has only
// one: it confines the query to the store's partition.
func (m *matching) inStore(row string) string {
	if len(m.numbers) > 1 {
		return ""
	}
	return ` AND ` + row + `.store = ` + onlyStore
}

// storeOf returns the store of a row. If the scope has only one store, it is named itself, so
// that PostgreSQL selects the partition once and not for each row.
func (m *matching) storeOf(row string) string {
	if len(m.numbers) > 1 {
		return row + `.store`
	}
	return onlyStore
}

// arguments are the parameters of a composed query: $1 and $2 of the scope, then those of the
// FROM clause, which sql/match.sql numbers from $3 on, then others.
type arguments struct{ sqlcommon.Arguments }

// find adds the entries that pass the filter and a condition on their forms. It considers all
// entries, or if ids is not nil, only these. With evaluate, it evaluates the filter on their
// rows.
func (m *matching) find(ctx context.Context, ids []uuid.UUID, forms formCondition, evaluate bool) error {
	q := &arguments{sqlcommon.Arguments{Mark: "$", Args: []any{m.numbers, m.ceilings}}}
	var from string
	var err error
	switch {
	case ids != nil:
		q.Arg(idList(ids))
		from = withIDs + m.inStore("f") + isFound
	case forms.query != "":
		q.Arg(forms.query)
		from = m.wordPath()
	default:
		from, err = m.accessPath(ctx, q, m.where.Keys())
	}
	if err != nil {
		return err
	}
	if forms.template != "" {
		from += m.rowForms(q.Arg(forms.template))
	}
	m.setRLSWords(forms.query)
	if m.where != nil {
		from += ` AND ` + m.where.Root().Formula(condition.SQL(dialect{q}))
	}
	if !evaluate {
		limit := q.Arg(m.Limit + 1 - len(m.IDs))
		return m.each(ctx, decoded(m.AddRow), scopeTable+`SELECT e.id`+from+` LIMIT `+limit, q.Args...)
	}
	if part := sqlcommon.ValuePart(m.Filter, m.where); part != nil {
		return m.eachFetched(ctx, "entry_values", decoded(m.JudgeValue(part)), scopeTable+`SELECT e.id, e.encrypted, e.value`+from, q.Args...)
	}
	return m.eachFetched(ctx, "entry_rows", decoded(m.JudgeEntry()), scopeTable+`SELECT `+judged+from, q.Args...)
}

// accessPath returns the FROM and WHERE clauses for the entries of the scope that have the
// keys: by the rarest tag, by type, by namespace, or all.
func (m *matching) accessPath(ctx context.Context, q *arguments, keys condition.Keys) (string, error) {
	if len(keys.Tags) > 0 && keys.NotEncrypted { // table tag has only tags of searchable entries
		rarest := keys.Tags[0]
		if len(keys.Tags) > 1 {
			if _, err := m.one(ctx, []any{&rarest}, rarestTag.of(len(m.numbers)), q.Args[0], q.Args[1], keys.Tags, tagSample); err != nil {
				return "", err
			}
		}
		q.Arg(rarest)
		return withTag + m.inStore("t"), nil
	}
	from := allEntries
	switch {
	case keys.Type != "":
		q.Arg(keys.Type)
		from = withType
	case keys.Namespace != nil && keys.Key != nil:
		q.Arg(*keys.Namespace)
		q.Arg(*keys.Key)
		from = atPath
	case keys.Namespace != nil:
		q.Arg(*keys.Namespace)
		from = inNamespace
	}
	return from + isWithin + m.inStore("e"), nil
}
