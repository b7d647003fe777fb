package lexical

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// hanVariants are classes of interchangeable characters, one on each line: traditional and
// simplified Chinese and old and new Japanese characters, by the tables TSCharacters and
// JPVariants of OpenCC (https://github.com/BYVoid/OpenCC, Apache-2.0), and variants in
// Japanese family names. Each class is indexed as its first character. 弁, which replaces
// three others in Japanese, is not among them.
//
//go:embed han.txt
var hanVariants string

var hanFolds = sync.OnceValue(func() map[rune]rune {
	folds := make(map[rune]rune, 5000)
	for class := range strings.Lines(hanVariants) {
		class = strings.TrimSpace(class)
		first, width := utf8.DecodeRuneInString(class)
		for _, r := range class[width:] {
			folds[r] = first
		}
	}
	return folds
})

// foldCJK returns the form of a Chinese, Japanese or Korean character in a token: the
// first of its variants, and hiragana for katakana.
func foldCJK(r rune) rune {
	if r >= 'ァ' && r <= 'ヶ' {
		return r - ('ァ' - 'ぁ')
	}
	if r < 0x3400 { // no ideograph of a class is below
		return r
	}
	if to, ok := hanFolds()[r]; ok {
		return to
	}
	return r
}

// foldCJKs returns foldCJK of each character of a run.
func foldCJKs(run string) string { return strings.Map(foldCJK, run) }

// cjkRun returns the run of Chinese, Japanese or Korean characters that text begins with.
func cjkRun(text string) string {
	for i, r := range text {
		if kindOf(r) != cjk {
			return text[:i]
		}
	}
	return text
}
