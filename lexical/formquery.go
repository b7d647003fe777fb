package lexical

import (
	"bytes"
	"slices"
	"strings"
)

// FormQuery is a condition on the forms of an entry (Document.Forms), for full-text indexes:
// Some holds and no element of None holds. Every entry that the Match matches fulfils it.
type FormQuery struct {
	Some FormExpr   // the zero value holds always
	None []FormExpr // one form each
	// Exact reports whether every entry that fulfils the query matches. Otherwise
	// Match.Matches must check the entries that fulfil it.
	Exact bool
}

// FulfilledBy evaluates the query over the forms of an entry, with a space before and
// after each form.
func (q FormQuery) FulfilledBy(forms []byte) bool {
	has := func(form string, prefix bool) bool {
		if form = " " + form; !prefix {
			form += " "
		}
		return bytes.Contains(forms, []byte(form))
	}
	return q.Some.Holds(has) && !slices.ContainsFunc(q.None, func(e FormExpr) bool { return e.Holds(has) })
}

// FormExpr is a form, a prefix of forms, or a conjunction or disjunction of expressions.
type FormExpr struct {
	Form   string
	Prefix bool // any form that begins with Form
	All    []FormExpr
	Any    []FormExpr
}

// Empty reports whether the expression holds always.
func (e FormExpr) Empty() bool { return e.Form == "" && len(e.All) == 0 && len(e.Any) == 0 }

// Holds evaluates the expression over the forms for which has returns true.
func (e FormExpr) Holds(has func(form string, prefix bool) bool) bool {
	holds := func(x FormExpr) bool { return x.Holds(has) }
	switch {
	case e.Form != "":
		return has(e.Form, e.Prefix)
	case len(e.Any) > 0:
		return slices.ContainsFunc(e.Any, holds)
	}
	return !slices.ContainsFunc(e.All, func(x FormExpr) bool { return !holds(x) })
}

// Formula writes the expression in a query language that has parentheses and the operators
// and and or. write writes a form, or a prefix of forms.
func (e FormExpr) Formula(and, or string, write func(form string, prefix bool) string) string {
	if e.Form != "" {
		return write(e.Form, e.Prefix)
	}
	list, operator := e.All, and
	if len(e.Any) > 0 {
		list, operator = e.Any, or
	}
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = x.Formula(and, or, write)
	}
	return "(" + strings.Join(parts, operator) + ")"
}

// Prefix is an item that is a prefix.
type Prefix struct {
	Field string // "any[2]"
	Text  string
}

// Prefixes returns the prefixes among the items; none if m is nil.
func (m *Match) Prefixes() (prefixes []Prefix) {
	if m == nil {
		return nil
	}
	add := func(name string, list []item) {
		for i, parsed := range list {
			if parsed.prefix != "" {
				prefixes = append(prefixes, Prefix{itemField(name, i), parsed.prefix})
			}
		}
	}
	add("all", m.all)
	add("any", m.any)
	add("none", m.none)
	return prefixes
}

// Words returns the terms of the words and phrases of All and Any, as ParseQuery returns
// them, and the prefixes; none if m is nil.
func (m *Match) Words() (terms []QueryTerm, prefixes []string) {
	if m == nil {
		return nil, nil
	}
	var phrases []string
	for _, list := range [...]struct {
		texts []string
		items []item
	}{{m.All, m.all}, {m.Any, m.any}} {
		for i, parsed := range list.items {
			if parsed.prefix != "" {
				prefixes = append(prefixes, parsed.prefix)
			} else {
				phrases = append(phrases, strings.ReplaceAll(list.texts[i], "*", ""))
			}
		}
	}
	for _, phrase := range phrases { // one by one, since stop words depend on the other words
		for _, term := range ParseQuery(phrase) {
			if !slices.ContainsFunc(terms, func(t QueryTerm) bool { return t.Text == term.Text }) {
				terms = append(terms, term)
			}
		}
	}
	return terms, prefixes
}

// Query returns the match as a condition on forms. If m is nil, the condition always
// holds.
func (m *Match) Query() FormQuery {
	q := FormQuery{Exact: true}
	if m == nil {
		return q
	}
	var all, either []FormExpr
	for _, i := range m.all {
		all, q.Exact = append(all, i.expr()), q.Exact && i.exact()
	}
	for _, i := range m.any {
		either, q.Exact = append(either, i.expr()), q.Exact && i.exact()
	}
	if len(either) > 0 {
		all = append(all, anyOf(either))
	}
	for _, i := range m.none {
		if !i.exact() {
			q.Exact = false
			continue
		}
		q.None = append(q.None, i.expr())
	}
	q.Some = allOf(all)
	return q
}

// exact reports whether every entry with the forms of expr has the item: it is a prefix,
// one word, or two characters of a script without spaces.
func (i item) exact() bool {
	return i.prefix != "" || i.length == 1 || len(i.edges) == 2 && i.edges[0].kind == pair
}

// expr returns the forms that every entry with the item has.
func (i item) expr() FormExpr {
	if i.prefix != "" {
		return FormExpr{Form: i.prefix, Prefix: true}
	}
	if len(i.edges) == 2 && i.edges[0].kind == pair {
		return FormExpr{Form: i.edges[0].form}
	}
	e, _ := exprOf(i.edges, span{0, i.length})
	if len(e.All) > maxPhraseForms {
		e.All = slices.Clone(e.All)
		slices.SortStableFunc(e.All, func(x, y FormExpr) int { return len(y.Form) - len(x.Form) })
		e.All = e.All[:maxPhraseForms]
	}
	return e
}

// maxPhraseForms bounds the forms that a query has for a phrase, which Matches checks in
// any case. The longest forms are used, since they are rare.
const maxPhraseForms = 8

// exprOf returns the forms that every text has which contains a path of the edges over a range
// of positions, and whether there is such a path.
func exprOf(edges []edge, over span) (FormExpr, bool) {
	if over.start == over.end {
		return FormExpr{}, true
	}
	var whole []FormExpr
	var inner []edge
	for _, e := range edges {
		if e.span == over {
			whole = append(whole, FormExpr{Form: e.form})
		} else {
			inner = append(inner, e)
		}
	}
	if parts, ok := exprOfParts(inner, over); ok {
		whole = append(whole, parts)
	}
	return anyOf(whole), len(whole) > 0
}

// exprOfParts is exprOf for a range that no edge covers as a whole. It splits the range at the
// positions that every path visits.
func exprOfParts(edges []edge, over span) (FormExpr, bool) {
	var parts []FormExpr
	start := over.start
	for cut := over.start + 1; cut <= over.end; cut++ {
		if slices.ContainsFunc(edges, func(e edge) bool { return e.start < cut && cut < e.end }) {
			continue
		}
		part := span{start, cut}
		if part == over {
			return exprOfOverlaps(edges, over)
		}
		e, ok := exprOf(within(edges, part), part)
		if !ok {
			return FormExpr{}, false
		}
		parts = append(parts, e)
		start = cut
	}
	return allOf(parts), true
}

// exprOfOverlaps returns the forms of overlapping edges, where no position is on every
// path: at each position every path has one of the edges over it.
func exprOfOverlaps(edges []edge, over span) (FormExpr, bool) {
	var parts []FormExpr
	for at := over.start; at < over.end; at++ {
		var either []FormExpr
		for _, e := range edges {
			if e.start <= at && at < e.end {
				either = append(either, FormExpr{Form: e.form})
			}
		}
		if len(either) == 0 {
			return FormExpr{}, false
		}
		parts = append(parts, anyOf(either))
	}
	return allOf(parts), true
}

// within returns the edges within a range.
func within(edges []edge, over span) (inner []edge) {
	for _, e := range edges {
		if over.start <= e.start && e.end <= over.end {
			inner = append(inner, e)
		}
	}
	return inner
}

func allOf(list []FormExpr) FormExpr {
	if len(list) == 1 {
		return list[0]
	}
	return FormExpr{All: list}
}

func anyOf(list []FormExpr) FormExpr {
	if len(list) == 1 {
		return list[0]
	}
	return FormExpr{Any: list}
}
