package language

import (
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// entry is the evidence of a word.
type entry struct {
	languages uint64  // bits of latin
	english   float32 // its weight for English
	particle  bool    // whether it may be part of a name
}

// particles are words within names of people and places.
const particles = `de da do dos das di du del della degli la las le les los des von van der den ten ter zu y e i el al et en san st af av`

// elidedWords precede an apostrophe in the languages that elide.
const elidedWords = `l d qu j c n s m t un dell all nell sull dall quell lorsqu jusqu puisqu`

// tables are computed from the lists.
type tables struct {
	vocabulary map[string]entry
	endings    map[string]uint64
	beginnings map[string]uint64
	pairs      *pairTable
	letters    map[rune]uint64 // the languages of accented letters
	elided     map[string]bool
	// Sets of languages, as bits of latin.
	eliding, german, spanish uint64
}

// load computes the tables when the first text is read, so that commands that read none do
// not wait for it (3 ms).
var load = sync.OnceValue(func() *tables {
	return &tables{
		vocabulary: makeVocabulary(),
		endings:    makeTable(func(p *profile) string { return p.ends }),
		beginnings: makeTable(func(p *profile) string { return p.starts }),
		pairs:      makePairs(),
		letters:    makeLetters(),
		elided:     setOf(elidedWords),
		eliding:    languagesWhere(func(p *profile) bool { return p.elided }),
		german:     languagesWhere(func(p *profile) bool { return p.code == "de" }),
		spanish:    languagesWhere(func(p *profile) bool { return p.code == "es" || p.code == "gl" || p.code == "ca" }),
	}
})

// The lengths in bytes of endings and beginnings.
const (
	maxEnding    = 7
	minBeginning = 4
	maxBeginning = 4
)

func makeVocabulary() map[string]entry {
	table := make(map[string]entry)
	for i := range latin {
		for word := range strings.FieldsSeq(latin[i].words) {
			for _, w := range spellings(word) {
				e := table[w]
				e.languages |= 1 << i
				table[w] = e
			}
		}
	}
	for word, weight := range englishWeights() {
		e := table[word]
		e.english = weight
		table[word] = e
	}
	for word := range setOf(particles) {
		e := table[word]
		e.particle = true
		table[word] = e
	}
	return table
}

// spellings returns a word and, if it has three letters or more, the word without accents,
// as people type it.
func spellings(word string) []string {
	plain := plainASCII(word)
	if plain == word || len(plain) < 3 {
		return []string{word}
	}
	return []string{word, plain}
}

var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i", "œ", "oe")

func plainASCII(word string) string {
	var plain strings.Builder
	for _, r := range norm.NFD.String(plainLetters.Replace(word)) {
		if r < 0x0300 || r > 0x036F {
			plain.WriteRune(r)
		}
	}
	return plain.String()
}

// makeTable maps each word of a list to the languages that have it.
func makeTable(list func(*profile) string) map[string]uint64 {
	table := make(map[string]uint64)
	for i := range latin {
		for word := range strings.FieldsSeq(list(&latin[i])) {
			table[word] |= 1 << i
		}
	}
	return table
}

func makeLetters() map[rune]uint64 {
	table := make(map[rune]uint64)
	for i := range latin {
		for _, r := range latin[i].letters {
			table[r] |= 1 << i
		}
	}
	return table
}

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

func languagesWhere(holds func(*profile) bool) (languages uint64) {
	for i := range latin {
		if holds(&latin[i]) {
			languages |= 1 << i
		}
	}
	return languages
}

// pairTable maps pairs of letters that are rare in English to the languages that use them.
type pairTable [26 * 26]uint64

func makePairs() *pairTable {
	var table pairTable
	for i := range latin {
		for pair := range strings.FieldsSeq(latin[i].pairs) {
			table[pairIndex(pair[0], pair[1])] |= 1 << i
		}
	}
	return &table
}

func pairIndex(a, b byte) int { return int(a-'a')*26 + int(b-'a') }

// of returns the languages of a pair of bytes, 0 unless both are from a to z.
func (t *pairTable) of(a, b byte) uint64 {
	if !isSmall(a) || !isSmall(b) {
		return 0
	}
	return t[pairIndex(a, b)]
}
