package lexical

import (
	"strings"
	"time"
	"unicode/utf8"
)

// pastWords are folded words of questions about an earlier state that need not hold now,
// in the languages of the stop words.
const pastWords = `
before previously previous formerly former originally original earlier initially initial old older ago once
fruher fruhere fruheren fruheres vorher vorherige vorherigen damals ehemals ehemalige ehemaligen ursprunglich ursprungliche einst alte alten alter altes
avant autrefois auparavant ancien ancienne anciennement jadis initialement
antes anteriormente anterior antiguamente antiguo antigua originalmente
prima precedentemente precedente vecchio vecchia originariamente
anteriormente antigamente antigo antiga originalmente
vroeger voorheen eerder oude oorspronkelijk destijds
tidigare forut forr gamla gammal ursprungligen tidligere forhen gamle gammel opprinnelig oprindelig
aiemmin ennen aikaisemmin vanha entinen
раньше прежде ранее прежний бывший старый первоначально
eskiden once onceki eski
wczesniej dawniej poprzednio stary dawny drive predtim stary puvodne korabban regen anterior vechi inainte
قبل سابقا قديما לפני בעבר הישן पहले पुराना
以前 之前 过去 原来 原先 从前 以前の 前は かつて 이전 예전 전에 원래`

// pastPhrases are pairs of words with the same meaning.
const pastPhrases = `used to|use to|back then|at first|last year|last month|last week|last winter|last summer|last spring|last autumn|last season|no longer`

var (
	pastWord   = pastForms(strings.Fields(pastWords))
	pastPhrase = pastForms(strings.Split(pastPhrases, "|"))
	pastSigns  = cjkOf(strings.Fields(pastWords))
	// germanMonths are the words before which "vor" means "before".
	germanMonths = pastForms(strings.Fields("januar februar marz april mai juni juli august september oktober november dezember"))
)

func pastForms(list []string) map[string]bool {
	forms := make(map[string]bool, len(list))
	for _, text := range list {
		forms[text] = true
	}
	return forms
}

// cjkOf returns the words that are written without spaces.
func cjkOf(words []string) (signs []string) {
	for _, word := range words {
		first, _ := utf8.DecodeRuneInString(word)
		if k := kindOf(first); k == cjk || k == unspaced {
			signs = append(signs, word)
		}
	}
	return signs
}

// Past is the earlier time, if any, that a question asks about: see Before.
type Past struct {
	asked bool // whether a word asks for an earlier state
	year  int  // the latest year that it names; 0: none
}

// PastOf returns whether a question asks for an earlier state, and the latest year that it
// names.
func PastOf(question string) (p Past) {
	words := strings.Fields(chatterForm(question))
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		isYear := len(next) == 4 && yearOf(next) > 0
		switch {
		case word == "old" && i > 0 && words[i-1] == "how":
		case pastWord[word], pastPhrase[word+" "+next], word == "vor" && (germanMonths[next] || isYear):
			p.asked = true
		}
		p.year = max(p.year, yearOf(word))
	}
	for _, sign := range pastSigns {
		p.asked = p.asked || strings.Contains(question, sign)
	}
	return p
}

// yearOf returns the year from 1900 to 2099 that a word is; 0 if it is none.
func yearOf(word string) (year int) {
	if len(word) != 4 || !strings.HasPrefix(word, "19") && !strings.HasPrefix(word, "20") {
		return 0
	}
	for i := range len(word) {
		if word[i] < '0' || word[i] > '9' {
			return 0
		}
		year = 10*year + int(word[i]-'0')
	}
	return year
}

// Before reports whether the question asks for the state before a statement made at this
// time: the question says so, or names an earlier year and no later one.
func (p Past) Before(statement time.Time) bool {
	return p.asked || p.year > 0 && p.year < statement.Year()
}
