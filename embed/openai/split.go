package openai

import (
	"unicode"
	"unicode/utf8"
)

// Costs are counted in quarters of a token. The model's tokenizer is on the
// server, so they are estimates for any of the usual kinds (WordPiece,
// SentencePiece, byte-level BPE), high enough to be safe. Measured with E5's
// WordPiece over 102 texts from prose to code, emoji and rows of one letter:
// .56 of the estimate on average, 1.00 at most.
const (
	costUnit     = 4 // one token
	costSpace    = 1
	costLetter   = 2 // a–z: the longest pieces of every vocabulary
	costOther    = 4 // capitals, digits, signs: random strings break into these
	costBadByte  = 8 // sent as U+FFFD
	reserved     = 4 // tokens for [CLS], [SEP] and the like
	overlapShare = 8 // pieces overlap by an eighth
)

// window is what a text may cost, prefix included.
func window(tokens int) int { return (tokens - reserved) * costUnit }

// runeCost depends on the character alone, so costs of parts add up to that of
// the whole. Beyond ASCII it is one token less than the bytes: byte-level
// vocabularies have merges for all but the rarest scripts and emoji.
func runeCost(r rune, size int) int {
	switch {
	case r == ' ':
		return costSpace
	case 'a' <= r && r <= 'z':
		return costLetter
	case r < utf8.RuneSelf:
		return costOther
	case r == utf8.RuneError && size == 1:
		return costBadByte
	default:
		return (size - 1) * costUnit
	}
}

func cost(text string) int {
	total := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		total += runeCost(r, size)
		i += size
	}
	return total
}

// Split cuts text into pieces that fit the window as passages, at ends of
// words where there are any near, each after an eighth of the one before it.
// Of a header that takes up more than half of the window, the first half
// window stays.
func (e *Embedder) Split(header, text string) []string {
	room := e.window - cost(e.passagePrefix)
	header = header[:fit(header, room/2)]
	room -= cost(header)
	var pieces []string
	for _, piece := range spans(text, room) {
		pieces = append(pieces, header+text[piece.start:piece.end])
	}
	return pieces
}

// span is text[start:end], in bytes.
type span struct{ start, end int }

// spans cuts text into pieces that cost at most room each. Every one reaches
// further than the one before it, and begins within it or where it ends.
func spans(text string, room int) []span {
	pieces := []span{{0, fit(text, room)}}
	for {
		last := pieces[len(pieces)-1]
		if last.end == len(text) {
			return pieces
		}
		next := span{start: overlap(text, last.start, last.end, room/overlapShare)}
		next.end = next.start + fit(text[next.start:], room)
		// With the overlap, a long character after it may not fit.
		if next.end <= last.end {
			next = span{last.end, last.end + fit(text[last.end:], room)}
		}
		pieces = append(pieces, next)
	}
}

// fit is the length in bytes of the longest beginning of text that costs at
// most room, cut at the end of a word unless that would leave out more than a
// quarter of the room. It is above 0 for a text that is not empty, given room
// for one character.
func fit(text string, room int) int {
	spent, word := 0, 0 // word: where the last word ended late enough
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		spent += runeCost(r, size)
		if spent > room {
			if word > 0 {
				return word
			}
			return wholeCharacter(text, i)
		}
		i += size
		if spent >= room/4*3 && endsWord(r) {
			word = i
		}
	}
	return len(text)
}

// overlap is where the piece after text[start:end] begins: at a word at most
// room before end, else at a character.
func overlap(text string, start, end, room int) int {
	from := end
	for from > start {
		r, size := utf8.DecodeLastRuneInString(text[start:from])
		if room -= runeCost(r, size); room < 0 {
			break
		}
		from -= size
	}
	if from == start { // the piece is no longer than the overlap
		return end
	}
	for i := from; i < end; {
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		r, size := utf8.DecodeRuneInString(text[i:])
		if endsWord(before) && !unicode.IsSpace(r) {
			return i
		}
		i += size
	}
	if whole := wholeCharacter(text, from); whole > start {
		return whole
	}
	return end
}

// endsWord reports whether a text may be cut after r: white space, or the
// punctuation of scripts that write no spaces.
func endsWord(r rune) bool {
	switch r {
	case '。', '、', '，', '！', '？', '；', '：', '．', '」', '』', '）', '।', '။', '\u200b':
		return true
	}
	return unicode.IsSpace(r)
}

// wholeCharacter moves a cut at i back so that it does not part a letter from
// its marks or an emoji from its joiners, 32 bytes at most.
func wholeCharacter(text string, i int) int {
	for at := i; at > 0 && i-at <= 32; {
		next, _ := utf8.DecodeRuneInString(text[at:])
		last, size := utf8.DecodeLastRuneInString(text[:at])
		if !joins(next) && last != zeroWidthJoiner {
			return at
		}
		at -= size
	}
	return i
}

const zeroWidthJoiner = '\u200d'

func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || r == zeroWidthJoiner || 0x1F3FB <= r && r <= 0x1F3FF // skin tones
}
