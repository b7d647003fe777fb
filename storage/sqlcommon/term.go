package sqlcommon

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// Terms implements memory.LexicalLeg.
func (r Reads) Terms(ctx context.Context, scope acl.Scope, q memory.TermQuery) (terms []string, more bool, err error) {
	return r.terms(ctx, scope, q, false)
}

// ManyTerms implements memory.LexicalLeg.
func (r Reads) ManyTerms(ctx context.Context, scope acl.Scope, q memory.TermQuery) (bool, error) {
	_, many, err := r.terms(ctx, scope, q, true)
	return many, err
}

// terms is Terms, or with ofOne, ManyTerms: then it reports only whether one of the stores has
// more terms than the limit.
func (r Reads) terms(ctx context.Context, scope acl.Scope, q memory.TermQuery, ofOne bool) (terms []string, more bool, err error) {
	stores := scope.Indexed()
	if len(stores) == 0 || q.Prefix == "" {
		return nil, false, nil
	}
	// First read the terms of all postings, including those of entries that have expired and are
	// not swept. If there are such entries, which is rare, their terms are then subtracted.
	expired := make(map[int64]map[string]bool) // terms with the prefix, by store number
	found := termList{r: r, q: q, ofOne: ofOne}
	r.r.InScope(stores)
	if err := r.r.EachOf(ctx, r.expiredTerms(stores, q, expired), found.in(stores, 0)); err != nil {
		return nil, false, err
	}
	if len(expired) == 0 || ofOne && !found.many {
		return found.result(nil)
	}
	gone := make(map[int64][]string) // terms that only expired entries have
	var all []string
	for _, a := range stores {
		of, err := r.gone(ctx, only(scope, a), expired[a.Number], q)
		if err != nil {
			return nil, false, err
		}
		gone[a.Number], all = of, append(all, of...)
	}
	if !found.many || len(all) == 0 {
		return found.result(all)
	}
	if ofOne {
		more, err = r.someHasMore(ctx, stores, gone, q)
		return nil, more, err
	}
	found = termList{r: r, q: q}
	r.r.InScope(stores)
	if err := r.r.EachOf(ctx, found.in(stores, len(all))); err != nil {
		return nil, false, err
	}
	return found.result(all)
}

// someHasMore reports whether one of the stores has more terms than the limit, not counting
// those that are gone.
func (r Reads) someHasMore(ctx context.Context, stores []acl.Access, gone map[int64][]string, q memory.TermQuery) (bool, error) {
	found := termList{r: r, q: q, ofOne: true}
	var queries []Query
	var whole []acl.Access // all of their terms still exist
	for _, a := range stores {
		if n := len(gone[a.Number]); n > 0 {
			queries = append(queries, found.in([]acl.Access{a}, n))
		} else {
			whole = append(whole, a)
		}
	}
	if len(whole) > 0 {
		queries = append(queries, found.in(whole, 0))
	}
	r.r.InScope(stores)
	err := r.r.EachOf(ctx, queries...)
	return found.many, err
}

// only returns a scope restricted to one store.
func only(scope acl.Scope, store acl.Access) acl.Scope {
	return scope.Without(func(a acl.Access) bool { return a.Number != store.Number })
}

// termList collects the terms of a TermQuery from postings.
type termList struct {
	r     Reads
	q     memory.TermQuery
	ofOne bool // it sets only many: whether one store has too many
	many  bool
	list  []string // sorted; a term of several stores occurs once for each
}

// in returns the query that reads the terms of some stores. beyond is the number of terms that
// will be subtracted: the stores may have so many more than the limit.
func (l *termList) in(stores []acl.Access, beyond int) Query {
	// The range of terms ends before the prefix with its last byte incremented, which does not
	// overflow: UTF-8 has no byte 255.
	after := []byte(l.q.Prefix)
	after[len(after)-1]++
	limit := l.q.Limit + beyond
	args := append(l.r.d.Scope(stores), l.r.d.Term(l.q.Prefix), l.r.d.Term(string(after)), limit+1)
	if l.ofOne {
		return Query{"term.many", args, func(Row) error {
			l.many = true
			return nil
		}}
	}
	return Query{"term.range", args, func(row Row) error {
		var term []byte
		err := row.Scan(&term)
		l.list = append(l.list, string(term))
		l.many = len(l.list) > limit
		return err
	}}
}

// result returns the distinct terms, except those that only expired entries have. gone lists
// these store by store, so that a term that another store still has remains.
func (l *termList) result(gone []string) (terms []string, more bool, err error) {
	if l.many || l.ofOne {
		return nil, l.many, nil
	}
	left := make(map[string]int)
	for _, term := range l.list {
		left[term]++
	}
	for _, term := range gone {
		left[term]--
	}
	slices.Sort(l.list)
	terms = slices.Compact(l.list)
	return slices.DeleteFunc(terms, func(term string) bool { return left[term] <= 0 }), false, nil
}

// expiredTerms returns the query that adds to terms, by store number, the terms with the prefix
// of those entries that have expired and are not swept.
func (r Reads) expiredTerms(stores []acl.Access, q memory.TermQuery, terms map[int64]map[string]bool) Query {
	prefix := []byte(q.Prefix)
	return Query{"term.expired", append(r.d.Scope(stores), q.Now), func(row Row) error {
		var store, doc int64
		var document []byte
		if err := row.Scan(&store, &doc, &document); err != nil {
			return err
		}
		return r.d.Layout.DecodeTerms(document, func(key []byte, _ uint32) {
			if !bytes.HasPrefix(key, prefix) {
				return
			}
			if terms[store] == nil {
				terms[store] = make(map[string]bool)
			}
			terms[store][string(key)] = true
		})
	}}
}

// gone returns those of terms that only expired entries of a store have.
func (r Reads) gone(ctx context.Context, store acl.Scope, terms map[string]bool, q memory.TermQuery) (gone []string, err error) {
	if len(terms) == 0 {
		return nil, nil
	}
	query := make([]lexical.QueryTerm, 0, len(terms))
	for term := range terms {
		query = append(query, lexical.QueryTerm{Text: term, Weight: 1})
	}
	slices.SortFunc(query, func(a, b lexical.QueryTerm) int { return strings.Compare(a.Text, b.Text) })
	_, scorer, err := r.leg.Lexical(ctx, store, memory.LexicalQuery{Terms: query, Now: q.Now})
	if err != nil {
		return nil, err
	}
	for i, term := range query {
		if !scorer.Known(i) {
			gone = append(gone, term.Text)
		}
	}
	return gone, nil
}
