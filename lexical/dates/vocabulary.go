package dates

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// kind is the meaning of a word in a date.
type kind uint8

const (
	kindMonth      kind = iota
	kindWeakMonth       // a month whose name is another word, too
	kindShortMonth      // a month only next to a number
	kindWeekday         // from 0, Monday
	kindWeakWeekday
	kindShortWeekday
	kindDay      // days from today
	kindUnit     // the constants below
	kindAgoUnit  // a unit that includes "ago"
	kindFixed    // years from this year
	kindNumber   // 1 to 12, or few
	kindSeason   // from 0, spring
	kindInSeason // a season that includes "in"
	kindLast
	kindPast
	kindThis
	kindNext
	kindEvery
	kindAgoBefore
	kindAgoAfter
	kindInBefore
	kindInAfter
	kindIn
	kindWeakIn
	kindFollow
	kindOf
	kindFrom
	kindTo
	kindBetween
	kindBetweenAfter
	kindAnd
	kindSince
	kindBefore
	kindAfter
	kindYearMark // 年 after a number
	kindMonthMark
	kindDayMark
)

// The values of units.
const (
	unitDay = iota
	unitWeek
	unitMonth
	unitYear
	unitWeekend
	unitQuarter
)

// languages is a set of languages, a bit each.
type languages uint32

// few is the value of words for an unknown number, such as "some".
const few = 100

const anyLanguage = ^languages(0)

// sense is a meaning of a word in some languages.
type sense struct {
	kind  kind
	value int8
	in    languages
	hint  bool // only where the text may be in one of the languages
}

// entry holds the senses of a word.
type entry struct {
	senses []sense
	longer int // number of words of the longest form of several words that begins with this one
}

// vocabulary holds the words of all languages.
type vocabulary struct {
	words   map[string]entry
	anchors map[string]struct{} // every date in words contains one of them
	// firstRunes are the first runes of the anchors that are words of ideographs.
	firstRunes map[rune]struct{}
	bits       map[string]languages
}

// load returns the vocabulary.
var load = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{make(map[string]entry), make(map[string]struct{}), make(map[rune]struct{}), make(map[string]languages)}
	for i, w := range allWords {
		v.addAll(w, 1<<i)
	}
	return v
})

var allWords = [...]*words{
	&english, &german, &dutch, &swedish, &danish, &norwegian, &french, &spanish, &portuguese, &italian, &romanian,
	&finnish, &hungarian, &turkish, &russian, &chinese, &japanese, &korean,
}

// hintOf returns the languages with these codes and those that a text in them may be taken
// for; all if there are no codes.
func hintOf(codes []string) (hint languages) {
	if len(codes) == 0 {
		return anyLanguage
	}
	bits := load().bits
	for _, code := range codes {
		hint |= bits[code]
		switch code {
		case "da", "no", "sv", "nb", "nn":
			hint |= bits["da"] | bits["no"] | bits["sv"]
		case "es", "pt", "gl", "ca":
			hint |= bits["es"] | bits["pt"]
		case "af":
			hint |= bits["nl"]
		case "uk":
			hint |= bits["ru"]
		}
	}
	return hint
}

func (v *vocabulary) addAll(w *words, in languages) {
	v.bits[w.language] = in
	v.addMonths(w, in)
	v.addGroups(w.weekdays, in, kindWeekday, 0, w.dayEndings)
	v.addGroups(w.shortDays, in, kindShortWeekday, 0, "")
	v.addGroups(w.days, in, kindDay, -2, "")
	v.addGroups(w.units, in, kindUnit, 0, "")
	v.addGroups(w.agoUnits, in, kindAgoUnit, 0, "")
	v.addGroups(w.fixed, in, kindFixed, -1, "")
	v.addGroups(w.numbers, in, kindNumber, 1, "")
	v.addGroups(w.few, in, kindNumber, few, "")
	v.addGroups(w.seasons, in, kindSeason, 0, "")
	v.addGroups(w.inSeasons, in, kindInSeason, 0, "")
	v.addGroups(w.marks, in, kindYearMark, 0, "")
	for k, forms := range map[kind]string{
		kindLast: w.last, kindPast: w.past, kindThis: w.this, kindNext: w.next, kindEvery: w.every,
		kindAgoBefore: w.agoBefore, kindAgoAfter: w.agoAfter, kindInBefore: w.inBefore, kindInAfter: w.inAfter,
		kindIn: w.in, kindWeakIn: cmp.Or(w.weakIn, w.in), kindFollow: w.follow, kindOf: w.of, kindFrom: w.from, kindTo: w.to, kindBetween: w.between, kindAnd: w.and,
		kindBetweenAfter: w.betweenAfter, kindSince: w.since, kindBefore: w.before, kindAfter: w.after,
	} {
		for form := range strings.SplitSeq(forms, "/") {
			v.add(form, sense{kind: k, in: in})
		}
	}
}

func (v *vocabulary) addMonths(w *words, in languages) {
	v.addGroups(w.months, in, kindMonth, 1, w.monthEndings)
	v.addGroups(w.shortMonths, in, kindShortMonth, 1, "")
}

// addGroups adds the forms of a list of groups (see words) with kind k. The first group has the
// value first, each further group the next value.
func (v *vocabulary) addGroups(groups string, in languages, k kind, first int, endings string) {
	value := first
	for group := range strings.SplitSeq(groups, ",") {
		s := sense{kind: k, value: int8(value), in: in}
		if k == kindYearMark {
			s.kind, s.value = k+kind(value), 0
		}
		for form := range strings.SplitSeq(group, "/") {
			stem, softened, _ := strings.Cut(form, "<")
			v.add(stem, s)
			if endings == "" || form == "" {
				continue
			}
			stem = strings.TrimPrefix(stem, "~") // with an ending, the word is surely a date
			for ending := range strings.SplitSeq(endings, "/") {
				v.add(stem+ending, s)
				if softened != "" {
					cut := strings.TrimSuffix(stem, lastLetter(stem))
					v.add(cut+softened+ending, s)
				}
			}
		}
		value++
	}
}

// lastLetter returns the last letter of a word.
func lastLetter(word string) string {
	letters := []rune(word)
	return string(letters[len(letters)-1])
}

// add adds a form, of one or several words, with a sense.
func (v *vocabulary) add(form string, s sense) {
	if form == "" {
		return
	}
	switch form[0] {
	case '~':
		form = form[1:]
		switch s.kind {
		case kindMonth:
			s.kind = kindWeakMonth
		case kindWeekday:
			s.kind = kindWeakWeekday
		default: // seasons, all of which are weak
		}
	case '?':
		form, s.hint = form[1:], true
	}
	parts := strings.Fields(form)
	for i, part := range parts {
		parts[i] = foldWord(part)
	}
	key := strings.Join(parts, " ")
	if key == "" {
		return
	}
	found := v.words[key]
	if i := slices.IndexFunc(found.senses, func(o sense) bool { return o.kind == s.kind && o.value == s.value && o.hint == s.hint }); i >= 0 {
		found.senses[i].in |= s.in
	} else {
		found.senses = append(found.senses, s)
	}
	v.words[key] = found
	if len(parts) > 1 {
		first := v.words[parts[0]]
		first.longer = max(first.longer, len(parts))
		v.words[parts[0]] = first
	}
	short := s.kind == kindShortMonth || s.kind == kindShortWeekday
	if s.kind <= kindInSeason && s.kind != kindNumber && !(short && (len(key) < 3 || s.hint)) { // "do" and "out" occur in many texts
		longest := slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) })
		v.anchors[longest] = struct{}{}
		if r, _ := utf8.DecodeRuneInString(longest); isIdeograph(r) {
			v.firstRunes[r] = struct{}{}
		}
	}
}

// foldWord returns a word in the vocabulary's form.
func foldWord(word string) string {
	var key []byte
	for _, r := range word {
		if letter := foldRune(r); letter != 0 {
			key = append(key, string(letter)...)
		}
	}
	return string(key)
}
