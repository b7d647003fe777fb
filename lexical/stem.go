package lexical

import (
	"bytes"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/russian"
)

// stem returns the stem of a folded word, which its inflections share, and may overwrite
// word. The script decides which stemmer is used, not a guess at the language: a query of
// three words does not reveal its language and must match the documents' stems.
func stem(word []byte) []byte {
	if len(word) <= 2 || len(word) > MaxTermBytes {
		return word
	}
	for _, c := range word {
		if c >= utf8.RuneSelf {
			return stemBeyondASCII(word)
		}
	}
	return stemEnglish(word)
}

// stem returns the stem of a folded word, which is valid until the next word is stemmed.
func (a *analysis) stem(folded []byte) []byte {
	if len(a.word) == 0 || !bytes.Equal(a.word, folded) {
		a.word = append(a.word[:0], folded...)
		a.stemming = append(a.stemming[:0], folded...)
		a.stemmed = stem(a.stemming)
	}
	return a.stemmed
}

func stemBeyondASCII(word []byte) []byte {
	first, _ := utf8.DecodeRune(word)
	switch {
	case first >= 0x0400 && first <= 0x052F: // Cyrillic
		env := snowballstem.NewEnv(string(word))
		russian.Stem(env)
		return append(word[:0], env.Current()...)
	case first >= 0x0600 && first <= 0x06FF: // Arabic
		return stemArabic(word)
	case first >= 0x0900 && first <= 0x097F: // Devanagari
		return stemDevanagari(word)
	}
	return word
}

// stemArabic strips the article and the most common suffixes. It is the light10 stemmer of
// Larkey, Ballesteros and Connell, "Light Stemming for Arabic Information Retrieval"
// (2007), for folded letters.
func stemArabic(word []byte) []byte {
	letters := utf8.RuneCount(word)
	for _, prefix := range arabicPrefixes {
		n := utf8.RuneCountInString(prefix)
		if letters-n >= 2 && (n > 1 || letters > 3) && bytes.HasPrefix(word, []byte(prefix)) {
			word = word[len(prefix):]
			letters -= n
			break
		}
	}
	for _, suffix := range arabicSuffixes {
		n := utf8.RuneCountInString(suffix)
		if letters-n >= 2 && bytes.HasSuffix(word, []byte(suffix)) {
			word = word[:len(word)-len(suffix)]
			letters -= n
		}
	}
	return word
}

var (
	arabicPrefixes = []string{"وال", "بال", "كال", "فال", "لل", "ال", "و"}
	arabicSuffixes = []string{"ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"}
)

// stemDevanagari strips the longest inflectional suffix that leaves at least two
// letters: Ramanathan and Rao, "A Lightweight Stemmer for Hindi" (2003).
func stemDevanagari(word []byte) []byte {
	for _, suffix := range devanagariSuffixes {
		if len(word) >= len(suffix)+6 && bytes.HasSuffix(word, []byte(suffix)) {
			return word[:len(word)-len(suffix)]
		}
	}
	return word
}

// devanagariSuffixes are ordered by length, longest first.
var devanagariSuffixes = []string{
	"ाएंगी", "ाएंगे", "ाऊंगी", "ाऊंगा", "ाइयाँ", "ाइयों", "ाइयां",
	"ाएगी", "ाएगा", "ाओगी", "ाओगे", "एंगी", "ेंगी", "एंगे", "ेंगे", "ूंगी", "ूंगा", "ातीं", "नाओं", "नाएं", "ताओं", "ताएं", "ियाँ", "ियों", "ियां",
	"ाकर", "ाइए", "ाईं", "ाया", "ेगी", "ेगा", "ोगी", "ोगे", "ाने", "ाना", "ाते", "ाती", "ाता", "तीं", "ाओं", "ाएं", "ुओं", "ुएं", "ुआं",
	"कर", "ाओ", "िए", "ाई", "ाए", "ने", "नी", "ना", "ते", "ीं", "ती", "ता", "ाँ", "ां", "ों", "ें",
	"ो", "े", "ू", "ु", "ी", "ि", "ा",
}
