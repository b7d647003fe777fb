package lexical

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxMatchItems is the largest number of items of a Match.
	MaxMatchItems = 32
	// MaxItemBytes is the length of the longest item.
	MaxItemBytes = 256
	// minPrefixLetters is the minimum length of a prefix, in letters or digits.
	minPrefixLetters = 2
	// MaxPrefixTerms is the maximum number of terms (Document.Terms) in one store that may
	// begin with a prefix.
	MaxPrefixTerms = 1000
)

// Match is a condition on the words of an entry. An item is a word or, with several words,
// a phrase: adjacent words in order, in one field. A word matches all words with the same
// stem. An item that ends in a star is the prefix of a word as written, or of a stem. The
// zero value is not valid: use ParseMatch.
type Match struct {
	All  []string `json:"all,omitempty"`  // each must be there
	Any  []string `json:"any,omitempty"`  // at least one, unless the list is empty
	None []string `json:"none,omitempty"` // must not be there

	all, any, none []item
}

// MatchError reports which part of a match breaks which rule. It does not contain the text
// of an item.
type MatchError struct {
	Field string // "any[2]"; "" for the match as a whole
	Rule  string // "must not be empty"
}

func (e *MatchError) Error() string { return strings.TrimSpace(e.Field + " " + e.Rule) }

// ParseMatch checks and analyzes the items of a match: at most MaxMatchItems of at most
// MaxItemBytes each. A nil list was not given. The error is a MatchError.
func ParseMatch(all, any, none []string) (*Match, error) {
	m := &Match{All: all, Any: any, None: none}
	if all == nil && any == nil && none == nil {
		return nil, &MatchError{Rule: "must have all, any or none"}
	}
	for _, list := range [...]struct {
		name  string
		texts []string
		into  *[]item
	}{{"all", all, &m.all}, {"any", any, &m.any}, {"none", none, &m.none}} {
		if list.texts != nil && len(list.texts) == 0 {
			return nil, &MatchError{list.name, "must not be empty"}
		}
		for i, text := range list.texts {
			parsed, rule := parseItem(text)
			if rule != "" {
				return nil, &MatchError{itemField(list.name, i), rule}
			}
			*list.into = append(*list.into, parsed)
		}
	}
	if len(all)+len(any)+len(none) > MaxMatchItems {
		return nil, &MatchError{Rule: fmt.Sprintf("must have at most %d items", MaxMatchItems)}
	}
	return m, nil
}

// itemField names an item of a list.
func itemField(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// item is a word, a phrase or a prefix.
type item struct {
	prefix string // "" unless it is a prefix
	// edges are the sought forms of a word or phrase, ordered by start: a path from
	// position 0 to length spells the item.
	edges  []edge
	length int
}

// edge is a form of an item.
type edge struct {
	form string
	span
	kind formKind
}

// parseItem analyzes an item, or returns the rule that it breaks.
func parseItem(text string) (parsed item, rule string) {
	switch {
	case len(text) > MaxItemBytes:
		return item{}, fmt.Sprintf("must have at most %d bytes", MaxItemBytes)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return item{}, "must be text without NUL"
	}
	text, isPrefix := strings.CutSuffix(strings.TrimSpace(text), "*")
	if strings.Contains(text, "*") {
		return item{}, "may have one star, at the end of its only word"
	}
	edges, length := formsOf(text)
	switch {
	case length == 0:
		return item{}, "must have a word"
	case isPrefix:
		return parsePrefix(text, edges, length)
	}
	return newPhrase(edges, length), ""
}

// formsOf returns the forms of a text, and the number of its positions.
func formsOf(text string) (forms []edge, length int) {
	a := newAnalysis()
	defer a.release()
	a.visitOnly, a.asking = true, true
	a.visit = func(form []byte, at span, kind formKind) { forms = append(forms, edge{string(form), at, kind}) }
	a.scan(text)
	a.inflect(text, 0, stemmersOf(text)...)
	return forms, a.position
}

// newPhrase returns a word or phrase of forms.
func newPhrase(forms []edge, length int) item {
	forms = slices.DeleteFunc(forms, func(e edge) bool { return e.kind == written || e.kind == single })
	slices.SortStableFunc(forms, func(x, y edge) int { return cmp.Compare(x.start, y.start) })
	return item{edges: forms, length: length}
}

// parsePrefix returns the item of a text before a star. In scripts without spaces the star
// has no effect, since a run of characters is found within longer ones anyway.
func parsePrefix(text string, forms []edge, length int) (item, string) {
	pairs := 0
	prefix := ""
	for _, e := range forms {
		switch {
		case e.kind == pair:
			pairs++
		case e.span == span{0, length} && (prefix == "" || e.kind == written):
			prefix = e.form
		}
	}
	if length > 1 && pairs == length-1 {
		return newPhrase(forms, length), ""
	}
	if prefix == "" || strings.ContainsFunc(text, unicode.IsSpace) {
		return item{}, "may have a star only at the end of its only word"
	}
	letters := 0
	for _, r := range prefix {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			letters++
		}
	}
	if letters < minPrefixLetters {
		return item{}, fmt.Sprintf("must have at least %d letters before the star", minPrefixLetters)
	}
	return item{prefix: prefix}, ""
}

// Matches reports whether an entry with these fields (Analyze) matches. It defines Match:
// every storage is tested against it.
func (m *Match) Matches(fields ...string) bool {
	found := m.find(fields)
	has := func(i item) bool { return i.in(found) }
	return !slices.ContainsFunc(m.all, func(i item) bool { return !has(i) }) &&
		(len(m.any) == 0 || slices.ContainsFunc(m.any, has)) &&
		!slices.ContainsFunc(m.none, has)
}

// find returns the positions of the items' forms in a text. For a prefix it returns at
// most one position, since its position does not matter.
func (m *Match) find(fields []string) map[string][]span {
	found := make(map[string][]span)
	var prefixes []string
	for _, list := range [...][]item{m.all, m.any, m.none} {
		for _, i := range list {
			if i.prefix != "" {
				prefixes = append(prefixes, i.prefix)
			}
			for _, e := range i.edges {
				found[e.form] = nil
			}
		}
	}
	a := newAnalysis()
	defer a.release()
	a.visitOnly = true
	a.visit = func(form []byte, at span, kind formKind) {
		if spans, ok := found[string(form)]; ok {
			found[string(form)] = append(spans, at)
		}
		if kind == written || kind == sought {
			for _, prefix := range prefixes {
				if strings.HasPrefix(string(form), prefix) {
					found[prefix+"*"] = []span{at} // no form has a star
				}
			}
		}
	}
	a.scanFields(fields)
	return found
}

// in reports whether the item is in a text with these forms.
func (i item) in(found map[string][]span) bool {
	if i.prefix != "" {
		return len(found[i.prefix+"*"]) > 0
	}
	// reached holds, for each position of the item, the positions of the text at which the
	// part before it may end.
	reached := make([]positions, i.length+1)
	for _, e := range i.edges {
		for _, at := range found[e.form] {
			if e.start == 0 || reached[e.start].has(at.start) {
				reached[e.end].add(at.end)
			}
		}
	}
	return len(reached[i.length]) > 0
}

// positions is a set of positions, one bit for each.
type positions []uint64

func (p positions) has(i int) bool { return i/64 < len(p) && p[i/64]&(1<<(i%64)) != 0 }

func (p *positions) add(i int) {
	for i/64 >= len(*p) {
		*p = append(*p, 0)
	}
	(*p)[i/64] |= 1 << (i % 64)
}
