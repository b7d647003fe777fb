// Package passage chooses the passage of a long text that answers a question best. Split
// cuts a text into segments, mostly sentences and lines; Choose picks runs of segments by
// their evidence for the question. Both are pure functions of their arguments.
package passage

import (
	"unicode"
	"unicode/utf8"
)

// Span is the byte range [Start, End) of a text.
type Span struct{ Start, End int }

// Len is the length of the span in bytes.
func (s Span) Len() int { return s.End - s.Start }

// MaxSegment bounds a segment, in bytes. A longer sentence or line is cut
// between words, or between characters if it has no spaces.
const MaxSegment = 240

// Split returns the segments of a text: sentences, lines, or parts of long ones. They
// begin and end between characters, do not overlap, and have no white space around them;
// only white space is between two segments. A text of only white space has none.
func Split(text string) []Span {
	var segments []Span
	add := func(start, end int) {
		if s := trim(text, Span{start, end}); s.Len() > 0 {
			segments = appendParts(segments, text, s)
		}
	}
	start := 0
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		i += width
		switch {
		case isLineBreak(r):
			add(start, i)
			start = i
		case isStop(r) || isFullStop(r):
			var ends bool
			if i, ends = endsSentence(text, start, i, r); !ends {
				continue
			}
			for i < len(text) { // closing punctuation belongs to the sentence
				r, width := utf8.DecodeRuneInString(text[i:])
				if !isStop(r) && !isFullStop(r) && !isClosing(r) {
					break
				}
				i += width
			}
			add(start, i)
			start = i
		}
	}
	add(start, len(text))
	return segments
}

// isLineBreak reports whether r ends a line.
func isLineBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// isStop reports whether r ends a sentence before white space.
func isStop(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '…' }

// isFullStop reports whether r ends a sentence without white space after it: the full
// stops of scripts without spaces.
func isFullStop(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '．', '।', '॥', '؟', '۔', '։', '።', '၊', '။', '។', '๛':
		return true
	}
	return false
}

// isClosing reports whether r may be between a stop and the white space after it.
func isClosing(r rune) bool {
	return r == '"' || r == '\'' || unicode.In(r, unicode.Pe, unicode.Pf)
}

// endsSentence reports whether a sentence that began at start ends with r, a stop that
// ends at text[end]. next is the offset to continue from: if no white space follows a run
// of stops, none of them ends the sentence, so a long run is read only once.
func endsSentence(text string, start, end int, r rune) (next int, ends bool) {
	if isFullStop(r) {
		return end, true
	}
	at := end
	for at < len(text) {
		mark, width := utf8.DecodeRuneInString(text[at:])
		if !isStop(mark) && !isClosing(mark) {
			break
		}
		at += width
	}
	if at < len(text) {
		if after, _ := utf8.DecodeRuneInString(text[at:]); !unicode.IsSpace(after) {
			return at, false
		}
	}
	return end, r != '.' || !isAbbreviation(text[start:end-1])
}

// isAbbreviation reports whether the last word of a sentence so far has a full stop that
// does not end the sentence: an initial, a number of a list, or a title.
func isAbbreviation(sentence string) bool {
	start := len(sentence)
	letters := 0
	for start > 0 {
		r, width := utf8.DecodeLastRuneInString(sentence[:start])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' {
			break
		}
		start -= width
		letters++
	}
	word := sentence[start:]
	if letters == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsUpper(r) || start == 0 || unicode.IsDigit(r) && trim(sentence, Span{0, start}).Len() == 0
	}
	switch word {
	case "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Jr", "Sr", "No", "vs", "e.g", "i.e", "etc", "cf", "Fig", "approx", "U.S":
		return true
	}
	return false
}

// trim returns the span without the white space around it.
func trim(text string, s Span) Span {
	for s.Start < s.End {
		r, width := utf8.DecodeRuneInString(text[s.Start:s.End])
		if !unicode.IsSpace(r) {
			break
		}
		s.Start += width
	}
	for s.Start < s.End {
		r, width := utf8.DecodeLastRuneInString(text[s.Start:s.End])
		if !unicode.IsSpace(r) {
			break
		}
		s.End -= width
	}
	return s
}

// appendParts appends a sentence or line, in parts of at most MaxSegment bytes.
func appendParts(segments []Span, text string, s Span) []Span {
	for s.Len() > MaxSegment {
		cut := cutBefore(text, s.Start, s.Start+MaxSegment)
		segments = append(segments, trim(text, Span{s.Start, cut}))
		s = trim(text, Span{cut, s.End})
	}
	if s.Len() == 0 {
		return segments
	}
	return append(segments, s)
}

// cutBefore returns the best cut of text[start:] such that the first part ends at or
// before limit: after a clause or at a space in its second half, or else before a
// character that is no combining mark.
func cutBefore(text string, start, limit int) int {
	space, clause := 0, 0
	for at := start; at < limit; {
		r, width := utf8.DecodeRuneInString(text[at:])
		if at += width; at > limit {
			break
		}
		if at-start < MaxSegment/2 {
			continue
		}
		switch r {
		case ' ', '\t', '\u3000', '\u200b':
			space = at
		case ',', ';', ':', '，', '、', '；', '：', '،', '؛':
			clause = at
		}
	}
	switch {
	case space > 0:
		return space
	case clause > 0:
		return clause
	}
	return characterStart(text, start, limit)
}

// characterStart returns the last start of a character after start and not after at, where
// marks, joiners and variation selectors belong to the character before them.
func characterStart(text string, start, at int) int {
	limit := at
	for at > start && !utf8.RuneStart(text[at]) {
		at--
	}
	if at == start { // no characters at all
		return limit
	}
	for cut := at; cut > start+MaxSegment/2; {
		r, _ := utf8.DecodeRuneInString(text[cut:])
		before, width := utf8.DecodeLastRuneInString(text[:cut])
		if !unicode.IsMark(r) && r != '\u200d' && before != '\u200d' {
			return cut
		}
		cut -= width
	}
	return at
}
