package lexical

import (
	"testing"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// snowball is the reference: the stemmer that Snowball's own compiler makes.
func snowball(word string) string {
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

func checkStem(t *testing.T, word string) {
	t.Helper()
	if got, want := string(stemEnglish([]byte(word))), snowball(word); got != want {
		t.Errorf("%s gives %s, want %s", word, got, want)
	}
}

func TestStemEnglishIsSnowballs(t *testing.T) {
	for word := range porterExceptions {
		checkStem(t, word)
	}
	roots := []string{
		"", "a", "b", "ab", "ba", "bab", "abb", "by", "yb", "ay", "aya", "sky", "happ", "hop", "hopp", "hoop", "box", "tow", "play",
		"gener", "communi", "arsen", "relat", "condit", "ration", "val", "hesit", "digit", "conform", "radic", "differ",
		"vile", "analog", "vietnam", "predic", "oper", "feud", "decis", "hope", "call", "form", "sensit", "triplic",
		"electr", "good", "reviv", "allow", "infer", "airlin", "gyroscop", "adjust", "defens", "irrit", "replac", "depend",
		"adopt", "homolog", "angular", "effect", "bowdler", "rate", "ceas", "control", "roll", "proce", "exce", "succe",
		"inn", "out", "cann", "herr", "earr", "y", "yy", "ey", "tr", "agr", "f", "kn", "1", "b12",
	}
	endings := []string{
		"", "s", "es", "sses", "ies", "ied", "us", "ss", "eed", "eedly", "ed", "edly", "ing", "ingly", "y", "ly", "li",
		"tional", "ational", "enci", "anci", "abli", "entli", "izer", "ization", "ation", "ator", "alism", "aliti", "alli",
		"fulness", "ousli", "ousness", "iveness", "iviti", "biliti", "bli", "ogi", "logi", "fulli", "lessli", "alize",
		"icate", "iciti", "ical", "ful", "ness", "ative", "al", "ance", "ence", "er", "ic", "able", "ible", "ant",
		"ement", "ment", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "sion", "tion", "e", "l", "ll", "le",
	}
	for _, root := range roots {
		for _, first := range endings {
			for _, second := range endings {
				checkStem(t, root+first+second)
			}
		}
	}
}

func FuzzStemEnglish(f *testing.F) {
	f.Add("generalizations")
	f.Fuzz(func(t *testing.T, text string) {
		word := []byte(text)
		for i, c := range word {
			word[i] = 'a' + c%26
		}
		checkStem(t, string(word))
	})
}

func BenchmarkStemEnglish(b *testing.B) {
	words := []string{"generalization", "caroline", "running", "support", "group", "yesterday", "communities", "have"}
	buffer := make([]byte, 0, MaxTermBytes)
	b.Run("ours", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			stemEnglish(append(buffer, words[i%len(words)]...))
		}
	})
	b.Run("snowball", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			snowball(words[i%len(words)])
		}
	})
}
