package lexical

import "bytes"

// stemEnglish reduces a lower-case ASCII word, in place, to the stem of
// Porter's second English stemmer (snowballstem.org/algorithms/english). It is
// written here because stemming is most of the work of analysis, and the
// library's stemmer, which TestStemEnglishIsSnowballs compares it with, is
// several times as slow.
func stemEnglish(word []byte) []byte {
	if len(word) <= 2 {
		return word
	}
	if stem, ok := porterExceptions[string(word)]; ok {
		return append(word[:0], stem...)
	}
	s := stemmer{word: word}
	s.markConsonantY()
	s.findRegions()
	s.step1a()
	if porterStops[string(s.word)] {
		return s.word
	}
	s.step1b()
	s.step1c()
	s.step2()
	s.step3()
	s.step4()
	s.step5()
	for i, c := range s.word {
		if c == 'Y' {
			s.word[i] = 'y'
		}
	}
	return s.word
}

// porterExceptions are stemmed as they stand.
var porterExceptions = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
	"idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl",
	"sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}

// porterStops are not stemmed any further after step 1a.
var porterStops = map[string]bool{
	"inning": true, "outing": true, "canning": true, "herring": true, "earring": true,
	"proceed": true, "exceed": true, "succeed": true,
}

// stemmer is a word on its way. 'Y' stands for a y that is a consonant.
type stemmer struct {
	word   []byte
	r1, r2 int // where the regions R1 and R2 begin
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

func (s *stemmer) markConsonantY() {
	for i, c := range s.word {
		if c == 'y' && (i == 0 || isVowel(s.word[i-1])) {
			s.word[i] = 'Y'
		}
	}
}

func (s *stemmer) findRegions() {
	s.r1 = 0
	for _, prefix := range []string{"gener", "commun", "arsen"} {
		if bytes.HasPrefix(s.word, []byte(prefix)) {
			s.r1 = len(prefix)
		}
	}
	if s.r1 == 0 {
		s.r1 = s.region(0)
	}
	s.r2 = s.region(s.r1)
}

// region is the place after the first consonant that follows a vowel, from a
// place on.
func (s *stemmer) region(from int) int {
	for i := from + 1; i < len(s.word); i++ {
		if !isVowel(s.word[i]) && isVowel(s.word[i-1]) {
			return i + 1
		}
	}
	return len(s.word)
}

func (s *stemmer) ends(suffix string) bool {
	n := len(s.word) - len(suffix)
	return n >= 0 && string(s.word[n:]) == suffix
}

// replace puts an ending in the place of the last n bytes.
func (s *stemmer) replace(n int, ending string) {
	s.word = append(s.word[:len(s.word)-n], ending...)
}

// hasVowel tells whether there is a vowel before a place.
func (s *stemmer) hasVowel(before int) bool {
	for _, c := range s.word[:before] {
		if isVowel(c) {
			return true
		}
	}
	return false
}

// endsShort tells whether the word's first n bytes end with a short syllable.
func (s *stemmer) endsShort(n int) bool {
	w := s.word
	if n == 2 {
		return isVowel(w[0]) && !isVowel(w[1])
	}
	if n < 3 {
		return false
	}
	last := w[n-1]
	return !isVowel(w[n-3]) && isVowel(w[n-2]) && !isVowel(last) && last != 'w' && last != 'x' && last != 'Y'
}

// step1a: plurals.
func (s *stemmer) step1a() {
	n := len(s.word)
	switch {
	case s.ends("sses"):
		s.replace(2, "")
	case s.ends("ied"), s.ends("ies"):
		if n > 4 {
			s.replace(2, "")
		} else {
			s.replace(1, "")
		}
	case s.ends("us"), s.ends("ss"):
	case s.ends("s"):
		if s.hasVowel(n - 2) {
			s.replace(1, "")
		}
	}
}

// step1b: pasts and participles.
func (s *stemmer) step1b() {
	n := len(s.word)
	var suffix int
	switch {
	case s.ends("eedly"):
		if n-5 >= s.r1 {
			s.replace(3, "")
		}
		return
	case s.ends("eed"):
		if n-3 >= s.r1 {
			s.replace(1, "")
		}
		return
	case s.ends("ingly"):
		suffix = 5
	case s.ends("edly"):
		suffix = 4
	case s.ends("ing"):
		suffix = 3
	case s.ends("ed"):
		suffix = 2
	default:
		return
	}
	if !s.hasVowel(n - suffix) {
		return
	}
	s.replace(suffix, "")
	n = len(s.word)
	switch {
	case s.ends("at"), s.ends("bl"), s.ends("iz"):
		s.replace(0, "e")
	case n >= 2 && s.word[n-1] == s.word[n-2] && bytes.IndexByte([]byte("bdfgmnprt"), s.word[n-1]) >= 0:
		s.replace(1, "")
	case n <= s.r1 && s.endsShort(n):
		s.replace(0, "e")
	}
}

// step1c: a y after a consonant.
func (s *stemmer) step1c() {
	n := len(s.word)
	if n > 2 && (s.word[n-1] == 'y' || s.word[n-1] == 'Y') && !isVowel(s.word[n-2]) {
		s.word[n-1] = 'i'
	}
}

// rule replaces a suffix within a region.
type rule struct {
	suffix, ending string
}

// The rules of the steps by the byte before the suffix's last, longer
// suffixes first where one ends with another.
var (
	porterStep2 = byByte([]rule{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"abli", "able"}, {"entli", "ent"},
		{"izer", "ize"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"}, {"aliti", "al"},
		{"alli", "al"}, {"fulness", "ful"}, {"ousli", "ous"}, {"ousness", "ous"}, {"iveness", "ive"}, {"iviti", "ive"},
		{"biliti", "ble"}, {"bli", "ble"}, {"ogi", "og"}, {"fulli", "ful"}, {"lessli", "less"}, {"li", ""},
	})
	porterStep3 = byByte([]rule{
		{"ational", "ate"}, {"tional", "tion"}, {"alize", "al"}, {"icate", "ic"}, {"iciti", "ic"}, {"ical", "ic"},
		{"ful", ""}, {"ness", ""}, {"ative", ""},
	})
	porterStep4 = byByte([]rule{
		{"ance", ""}, {"ence", ""}, {"able", ""}, {"ible", ""}, {"ement", ""}, {"ment", ""}, {"ent", ""}, {"ant", ""},
		{"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""}, {"ion", ""}, {"al", ""}, {"er", ""}, {"ic", ""},
	})
)

// byByte sorts rules by the byte before their suffix's last.
func byByte(rules []rule) *[128][]rule {
	var table [128][]rule
	for _, r := range rules {
		c := r.suffix[len(r.suffix)-2]
		table[c] = append(table[c], r)
	}
	return &table
}

// find is the rule with the longest suffix that the word ends with.
func (s *stemmer) find(rules *[128][]rule) (rule, bool) {
	if len(s.word) < 3 {
		return rule{}, false
	}
	for _, r := range rules[s.word[len(s.word)-2]&127] {
		if s.ends(r.suffix) {
			return r, true
		}
	}
	return rule{}, false
}

func (s *stemmer) step2() {
	r, ok := s.find(porterStep2)
	start := len(s.word) - len(r.suffix)
	if !ok || start < s.r1 {
		return
	}
	switch r.suffix {
	case "ogi":
		if start == 0 || s.word[start-1] != 'l' {
			return
		}
	case "li":
		if start == 0 || bytes.IndexByte([]byte("cdeghkmnrt"), s.word[start-1]) < 0 {
			return
		}
	}
	s.replace(len(r.suffix), r.ending)
}

func (s *stemmer) step3() {
	r, ok := s.find(porterStep3)
	start := len(s.word) - len(r.suffix)
	if !ok || start < s.r1 || r.suffix == "ative" && start < s.r2 {
		return
	}
	s.replace(len(r.suffix), r.ending)
}

func (s *stemmer) step4() {
	r, ok := s.find(porterStep4)
	start := len(s.word) - len(r.suffix)
	if !ok || start < s.r2 {
		return
	}
	if r.suffix == "ion" && (start == 0 || s.word[start-1] != 's' && s.word[start-1] != 't') {
		return
	}
	s.replace(len(r.suffix), "")
}

// step5: a last e or l.
func (s *stemmer) step5() {
	n := len(s.word)
	if n == 0 {
		return
	}
	switch s.word[n-1] {
	case 'e':
		if n-1 >= s.r2 || n-1 >= s.r1 && !s.endsShort(n-1) {
			s.replace(1, "")
		}
	case 'l':
		if n-1 >= s.r2 && n >= 2 && s.word[n-2] == 'l' {
			s.replace(1, "")
		}
	}
}
