package lexical

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stemEnglish reduces a lower-case ASCII word, in place where it can, to its
// stem: that of its irregular group, else that of Porter's second English
// stemmer (snowballstem.org/algorithms/english).
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

// fixedStems maps words to stems without a run of the stemmer, which is most
// of the work of analysis. It holds the irregular forms, whose stem is that of
// their group's first word, and the stop words of English, half of any running
// text, whose stem is the stemmer's.
var fixedStems = makeFixedStems()

// longestFixed is the length of the longest word in fixedStems, which spares
// longer ones the look-up.
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
