package dates

import (
	"slices"
	"time"
)

// parser reads the dates of one text.
type parser struct {
	text   string
	tokens []token
	now    time.Time // the midnight before the request
	order  order
	// connected is the token after the dash of a range: digits before the dash do not
	// belong to it.
	connected int
	hint      languages // the languages that the text may be in
	sure      bool      // whether it is surely in one of the languages of hint
}

// spans returns the spans of the text.
func (p *parser) spans() (found []Span) {
	for i := 0; i < len(p.tokens) && len(found) < maxSpans; {
		readings, first, next := p.rangeAt(i)
		if next == 0 {
			i++
			continue
		}
		for _, s := range readings {
			s.Start, s.End, s.Ambiguous = p.tokens[first].start, p.tokens[next-1].end, len(readings) > 1
			if len(found) < maxSpans && s.From.Before(s.Until) && !contains(found, s) {
				found = append(found, s)
			}
		}
		i = next
	}
	return found
}

// contains reports whether found has a span of the same time as s.
func contains(found []Span, s Span) bool {
	return slices.ContainsFunc(found, func(o Span) bool { return o.From.Equal(s.From) && o.Until.Equal(s.Until) })
}

// find returns the value of the token i in its sense of kind k in one of the languages,
// and the languages that share this sense.
func (p *parser) find(i int, k kind, in languages) (value int, shared languages) {
	if i < 0 || i >= len(p.tokens) {
		return 0, 0
	}
	for _, s := range p.tokens[i].senses {
		if s.kind == k && s.in&in != 0 {
			return int(s.value), s.in & in
		}
	}
	return 0, 0
}

// is reports whether the token i has a sense of kind k in one of the languages.
func (p *parser) is(i int, k kind, in languages) bool {
	_, shared := p.find(i, k, in)
	return shared != 0
}

// isMark reports whether the token i is one of these characters.
func (p *parser) isMark(i int, chars string) bool {
	if i < 0 || i >= len(p.tokens) || p.tokens[i].shape != mark {
		return false
	}
	for _, c := range []byte(chars) {
		if c == p.tokens[i].char {
			return true
		}
	}
	return false
}

// isJoined reports whether the token i exists and directly follows the previous one.
func (p *parser) isJoined(i int) bool { return i < len(p.tokens) && p.tokens[i].joined }

// skip returns the token after at most two words such as "of" or "the", which may occur within a
// date.
func (p *parser) skip(i int, in languages) int {
	for end := i + 2; i < end && p.is(i, kindOf, in); {
		if i++; p.isMark(i, "'") { // l'été
			i++
		}
	}
	return i
}

// preposed reports whether a word such as "in", and at most an article, precedes the token
// i.
func (p *parser) preposed(i int, k kind, in languages) bool {
	for begin := i - 3; i > 0 && i > begin; {
		if i--; p.isMark(i, "'") && i > 0 { // pendant l'hiver
			i--
		}
		if p.is(i, k, in) {
			return true
		}
		if !p.is(i, kindOf, in) {
			return false
		}
	}
	return false
}

// isRecurring reports whether a word such as "every" precedes the token i.
func (p *parser) isRecurring(i int, in languages) bool { return p.is(i-1, kindEvery, in) }

// endsAt reports whether a clause ends before the token i, so that no noun follows that
// the preceding words would modify.
func (p *parser) endsAt(i int) bool {
	if i >= len(p.tokens) {
		return true
	}
	t := p.tokens[i]
	if t.shape == mark {
		return !(t.joined && p.isJoined(i+1)) || t.char == '\''
	}
	return p.is(i, kindFollow, anyLanguage)
}

// isForeign reports whether the word i, which is a date in some languages, is likely
// another word or a name in the text's own language, as "mais" and "Avril Lavigne" are.
func (p *parser) isForeign(i int, in languages) bool {
	return in&p.hint == 0 && (p.sure || p.tokens[i].upper && (p.isName(i+1) || p.isName(i-1)))
}

// isName reports whether the token i is a capitalized word, as the second part of a name
// is.
func (p *parser) isName(i int) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].shape == word && p.tokens[i].upper && !p.is(i, kindFollow, anyLanguage)
}

// clearBefore reports whether nothing before the token i makes its digits part of a longer
// number, a code, a price or a path.
func (p *parser) clearBefore(i int) bool {
	if i == p.connected && i > 0 {
		return true
	}
	if i == 0 || !p.tokens[i].joined {
		return !p.isMark(i-1, "$#+*=")
	}
	before := p.tokens[i-1]
	if before.shape != mark {
		return isIdeographic(p.text[before.start:])
	}
	switch before.char {
	case '$', '#', '+', '@', '_', '=', '\\', '%', '&', '*', '^', '~', '<', '>':
		return false
	case '.', '/', ':', ',', '-':
		return !before.joined || i < 2 || p.tokens[i-2].shape == word && before.char != '/' && before.char != '.'
	}
	return true
}

// clearAfter reports whether nothing at the token i makes the digits before it part of a
// longer number, a quantity or a code.
func (p *parser) clearAfter(i int) bool {
	if i >= len(p.tokens) {
		return true
	}
	t := p.tokens[i]
	if t.shape == mark {
		switch t.char {
		case '%', '$':
			return false
		case '.', ',', '/', ':', '-', '_', '+', '*', '=', '@':
			if t.joined && p.isJoined(i+1) {
				return p.tokens[i+1].shape == word && t.char != '/' && t.char != '_' && t.char != '@'
			}
		}
		return true
	}
	return !t.joined || t.shape == word && isIdeographic(p.text[t.start:])
}

// isIdeographic reports whether text begins with an ideograph.
func isIdeographic(text string) bool {
	for _, r := range text {
		return isIdeograph(r)
	}
	return false
}
