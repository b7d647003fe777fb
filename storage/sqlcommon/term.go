package sqlcommon

import (
	"context"
	"slices"

	"mneme/acl"
	"mneme/memory"
)

// Terms implements memory.LexicalLeg.
func (r Reads) Terms(ctx context.Context, scope acl.Scope, q memory.TermQuery) (terms []string, more bool, err error) {
	stores := scope.Indexed()
	if len(stores) == 0 || q.Prefix == "" {
		return nil, false, nil
	}
	r.r.InScope(stores)
	// UTF-8 has no byte 255: the successor of a term is the prefix with its last byte
	// raised.
	after := []byte(q.Prefix)
	after[len(after)-1]++
	args := append(r.d.Scope(stores), r.d.Term(q.Prefix), r.d.Term(string(after)), q.Limit+1)
	if q.InSomeStore {
		more, err = One(ctx, r.r, []any{new(int64)}, r.d.ManyTerms, args...)
		return nil, more, err
	}
	terms, err = List(ctx, r.r, func(row Row) (string, error) {
		var term []byte
		err := row.Scan(&term)
		return string(term), err
	}, r.d.Terms, args...)
	if err != nil || len(terms) > q.Limit {
		return nil, len(terms) > q.Limit, err
	}
	slices.Sort(terms)
	return slices.Compact(terms), false, nil
}
