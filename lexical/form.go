package lexical

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mneme/acl"
)

// FormVersion identifies the rules that turn text into forms. It changes whenever the
// forms of any text may change. A storage filled under another version must store the
// forms again. It is separate from AnalysisVersion, because forms do not affect the
// ranking.
const FormVersion = "6"

// A text is a sequence of positions. Each position has forms, which Match looks up.
// Separators, such as punctuation, have no position.
//
//   - A word takes one position. Its forms are its English stem or the stem of its script;
//     the folded word as it was written, if that differs; and the stem by the stemmer of the
//     text's language. Stop words are words like others.
//   - A compound ("e-mail", "build_status") takes the positions of its parts. Each
//     part has forms of its own, and the compound has forms over all of them.
//     A camelCase part takes the positions of its words; those of one or two
//     letters have no form.
//   - In scripts without spaces, Chinese, Japanese and Korean included, each
//     character takes a position. Its forms are the character alone and the pair of it and
//     the next character, unless it is the last of a run of such characters.
//   - A symbol takes one position.

// span is a range of positions.
type span struct{ start, end int }

// formKind says which forms a query uses.
type formKind uint8

const (
	// sought forms represent the words of a query: stems, symbols, and of a run of
	// characters all pairs and the last character.
	sought formKind = iota
	// pair is the sought form of two characters. Its span is the span of the first.
	pair
	// written forms are found by prefixes only.
	written
	// single is a character that is not the last of its run. Queries use the more
	// selective pair.
	single
)

// addForm passes a form to visit.
func (a *analysis) addForm(form []byte, at span, kind formKind) {
	if a.visit == nil || a.inflecting {
		return
	}
	if form = truncate(form); len(form) > 0 {
		a.visit(form, at, kind)
	}
}

// addRun adds the forms of a run of characters of a script without spaces.
func (a *analysis) addRun(run string) {
	if a.visit == nil {
		return
	}
	for run != "" {
		_, width := utf8.DecodeRuneInString(run)
		at := span{a.position, a.position + 1}
		a.position++
		if width == len(run) {
			a.addForm([]byte(run), at, sought)
			return
		}
		_, next := utf8.DecodeRuneInString(run[width:])
		a.addForm([]byte(run[:width+next]), at, pair)
		a.addForm([]byte(run[:width]), at, single)
		run = run[width:]
	}
}

// Partition returns the part of FormKey that identifies a store and a label.
func Partition(store int64, label acl.Label) string {
	return strconv.FormatInt(store, 10) + string('a'-1+byte(label))
}

// FormKey returns the key of a form in a partition, for a full-text index of several
// stores. It is lower-case text without white space, quotes and punctuation, which a
// tokenizer does not split. The key of a prefix is a prefix of the forms' keys.
//
// SECURITY: keys of different stores or labels differ, so that a query for a key reads no
// other partition.
func FormKey(partition, form string) string {
	key := append(make([]byte, 0, len(partition)+len(form)+8), partition...)
	for i := range len(form) {
		switch c := form[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c >= utf8.RuneSelf:
			key = append(key, c)
		default: // in the private use area, which no form uses
			key = utf8.AppendRune(key, 0xE000+rune(c))
		}
	}
	return string(key)
}

// FormKeys returns the keys of forms in a partition, separated by spaces.
func FormKeys(store int64, label acl.Label, forms []string) string {
	keys := make([]string, len(forms))
	partition := Partition(store, label)
	for i, form := range forms {
		keys[i] = FormKey(partition, form)
	}
	return strings.Join(keys, " ")
}

// Without returns the elements of a that are not in b. Both are sorted.
func Without(a, b []string) []string {
	var only []string
	for _, x := range a {
		i, found := slices.BinarySearch(b, x)
		if b = b[i:]; !found {
			only = append(only, x)
		}
	}
	return only
}
