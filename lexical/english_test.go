package lexical

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

func TestEnglishStems(t *testing.T) {
	for word, want := range map[string]string{
		"generalizations": "general", "communities": "communiti", "hopping": "hop", "hoping": "hope",
		"relational": "relat", "sky": "sky", "skies": "sky", "inning": "inning", "exceed": "exceed",
		"went": "go", "gone": "go", "children": "child", "colour": "color", "themselves": "themselv", "b12": "b12",
	} {
		if got := string(stemEnglish([]byte(word))); got != want {
			t.Errorf("%s gives %s, want %s", word, got, want)
		}
	}
}

// Stored terms are stems: a stemmer with other stems needs another
// AnalysisVersion. The hash covers 420,000 words, which exercise every rule of
// the algorithm, with their stems in version "1".
func TestEnglishStemsMatchTheAnalysisVersion(t *testing.T) {
	hash := sha256.New()
	check := func(word string) { fmt.Fprintf(hash, "%s %s\n", word, snowballEnglish(word)) }
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
				check(root + first + second)
			}
		}
	}
	for _, word := range []string{ // the algorithm's exceptions
		"skis", "skies", "dying", "lying", "tying", "idly", "gently", "ugly", "early", "only", "singly",
		"sky", "news", "howe", "atlas", "cosmos", "bias", "andes",
		"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed",
	} {
		check(word)
	}
	const want = "09f3672fcf606a2cfc48b3d6b9dadf2b995dbbdbe321a85d8af825481c76d7f3"
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want {
		t.Errorf("the stems have hash %s, want %s", got, want)
	}
}

func TestLongestFixedIsTheLengthOfTheLongestFixedStem(t *testing.T) {
	longest := 0
	for word := range fixedStems {
		longest = max(longest, len(word))
	}
	if longest != longestFixed {
		t.Errorf("the longest word has %d bytes, want %d", longest, longestFixed)
	}
}

func FuzzStemEnglish(f *testing.F) {
	f.Add("generalizations")
	f.Add("aaed")
	f.Fuzz(func(t *testing.T, text string) {
		word := []byte(text)
		for i, c := range word {
			word[i] = 'a' + c%26
		}
		full := string(word)
		if stem := snowballEnglish(full); len(stem) > len(full) || len(stem) == 0 && len(full) > 0 {
			t.Errorf("%s gives %q", full, stem)
		}
		if got, again := string(stemEnglish([]byte(full))), string(stemEnglish([]byte(full))); got != again {
			t.Errorf("%s gives %q and %q", full, got, again)
		}
	})
}

func BenchmarkStemEnglish(b *testing.B) {
	words := []string{"generalization", "caroline", "running", "support", "group", "yesterday", "communities", "have"}
	buffer := make([]byte, 0, MaxTermBytes)
	for i := 0; b.Loop(); i++ {
		stemEnglish(append(buffer, words[i%len(words)]...))
	}
}
