package lexical

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stemEnglish returns the stem of a lower-case ASCII word, and may overwrite word.
// Irregular forms have the stem of their group; other words are stemmed by Porter2
// (snowballstem.org/algorithms/english).
func stemEnglish(word []byte) []byte {
	if len(word) <= longestFixed {
		if stem, ok := fixedStems[string(word)]; ok {
			return append(word[:0], stem...)
		}
	}
	return append(word[:0], snowballEnglish(string(word))...)
}

func snowballEnglish(word string) string {
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// fixedStems maps words to stems, to avoid running the stemmer, which is most of the work
// of analysis. It contains the irregular forms, each with the stem of its group's first
// word, and the English stop words, about half of the words of a text.
var fixedStems = makeFixedStems()

// longestFixed is the length of the longest word in fixedStems. Longer words need
// no lookup.
const longestFixed = 10

func makeFixedStems() map[string]string {
	table := make(map[string]string)
	for word := range strings.FieldsSeq(stopWords[0]) {
		table[word] = snowballEnglish(word)
	}
	for group := range strings.Lines(strings.TrimSpace(irregularForms)) {
		forms := strings.Fields(group)
		stem := snowballEnglish(forms[0])
		for _, form := range forms {
			table[form] = stem
		}
	}
	return table
}
