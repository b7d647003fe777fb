package lexical

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"mneme/internal/edit"
)

// minTypoLetters is the length of the shortest word that is corrected, minTwoTypos the
// length of the shortest one in which two letters may be wrong.
const (
	minTypoLetters = 4
	minTwoTypos    = 8
)

// alphabets are the folded letters that Corrections substitutes: the first alphabet whose
// range has all letters of the word.
var alphabets = []struct {
	first, last rune
	letters     string
}{
	{'a', 'z', "abcdefghijklmnopqrstuvwxyz"},
	{'α', 'ω', "αβγδεζηθικλμνξοπρστυφχψω"},
	{'а', 'я', "абвгдежзийклмнопрстуфхцчшщъыьэюя"},
	{'א', 'ת', "אבגדהוזחטיכלמנסעפצקרשת"},
	{'ء', 'ي', "ءؤئابتثجحخدذرزسشصضطظعغفقكلمنهوي"},
}

// MayBeTypo reports whether a folded word of a query may be a typing error: it has four
// letters or more, of one of the alphabets of Corrections, and no digits. A word longer
// than a term is none: Corrections would copy it for each letter.
func MayBeTypo(word string) bool {
	return len(word) <= MaxTermBytes && utf8.RuneCountInString(word) >= minTypoLetters && alphabetOf(word) != ""
}

func alphabetOf(word string) string {
	for _, a := range alphabets {
		if hasLettersOf(word, a.first, a.last) {
			return a.letters
		}
	}
	return ""
}

func hasLettersOf(word string, first, last rune) bool {
	for _, r := range word {
		if r < first || r > last {
			return false
		}
	}
	return true
}

// MaxTypos returns how many letters of a word may be wrong: none, one, or, from eight
// letters on, two.
func MaxTypos(word string) int {
	switch {
	case !MayBeTypo(word):
		return 0
	case utf8.RuneCountInString(word) < minTwoTypos:
		return 1
	}
	return 2
}

// Correction is a folded word that replaces another, and its term.
type Correction struct{ Term, Word string }

// Corrections returns the words that differ from a folded word in one letter, which is
// missing, superfluous, different, or swapped with the next. They are in the order of
// their terms, without those that have the word's own term. There are some hundred; most
// are not words.
func Corrections(word string) []Correction {
	letters, alphabet := []rune(word), alphabetOf(word)
	own := string(stem([]byte(word)))
	found := make(map[Correction]bool)
	add := func(parts ...[]rune) {
		var edited []byte
		for _, part := range parts {
			edited = append(edited, string(part)...)
		}
		word := string(edited)
		if term := string(truncate(stem(edited))); term != "" && term != own {
			found[Correction{term, word}] = true
		}
	}
	for i := range len(letters) + 1 {
		before, after := letters[:i], letters[i:]
		if len(after) > 0 {
			add(before, after[1:])
		}
		if len(after) > 1 {
			add(before, []rune{after[1], after[0]}, after[2:])
		}
		for _, r := range alphabet {
			add(before, []rune{r}, after)
			if len(after) > 0 {
				add(before, []rune{r}, after[1:])
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b Correction) int {
		return cmp.Or(strings.Compare(a.Term, b.Term), strings.Compare(a.Word, b.Word))
	})
}

// Typos returns the number of letters in which term differs from a folded word or from the
// word's own term, whichever is nearer; most+1 if more than most.
func Typos(word, term string, most int) int {
	return min(edit.Distance(word, term, most), edit.Distance(string(stem([]byte(word))), term, most))
}
