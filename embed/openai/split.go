package openai

import (
	"unicode"
	"unicode/utf8"
)

// The model's tokenizer runs on the server, so the tokens of a text are estimated,
// conservatively for the common kinds (WordPiece, SentencePiece, byte-level BPE). Costs
// are in quarters of a token. Measured with E5's WordPiece over 102 texts, from prose to
// code, emoji and repeated letters, the true count is .56 of the estimate on average and
// 1.00 at most.
const (
	costUnit     = 4 // one token
	costSpace    = 1
	costLetter   = 2 // a–z: every vocabulary has long tokens of them
	costOther    = 4 // capitals, digits, punctuation: up to a token each in random strings
	costBadByte  = 8 // sent as U+FFFD
	reserved     = 4 // tokens for [CLS], [SEP] and the like
	overlapShare = 8 // chunks overlap by an eighth
)

// window returns the largest cost of a text, including its prefix.
func window(tokens int) int { return (tokens - reserved) * costUnit }

// runeCost returns the cost of a character of size bytes. It is independent of the
// context, so the costs of parts add up to the cost of the whole. Beyond ASCII it is one
// token less than the number of bytes: byte-level vocabularies have merges for all but the
// rarest scripts and emoji.
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

// cost returns the sum of the costs of all characters.
func cost(text string) int {
	total := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		total += runeCost(r, size)
		i += size
	}
	return total
}

// Split splits text into overlapping chunks that fit the window as passages, each
// beginning with header. Cuts are at word boundaries if one is near, and consecutive
// chunks overlap by an eighth. A header is cut off at half of the window.
func (e *Embedder) Split(header, text string) []string {
	header, spans := e.plan(header, text)
	var chunks []string
	for _, s := range spans {
		chunks = append(chunks, header+text[s.start:s.end])
	}
	return chunks
}

// Spans returns the byte range of text in each chunk of Split.
func (e *Embedder) Spans(header, text string) [][2]int {
	_, spans := e.plan(header, text)
	ranges := make([][2]int, len(spans))
	for i, s := range spans {
		ranges[i] = [2]int{s.start, s.end}
	}
	return ranges
}

// CodeSpans implements embed.Embedder: the server makes no codes.
func (e *Embedder) CodeSpans(_, _ string, chunks []int) [][][2]int {
	return make([][][2]int, len(chunks))
}

// plan returns the parts of the chunks of a text: the header that fits, and their spans.
func (e *Embedder) plan(header, text string) (clipped string, _ []span) {
	room := e.window - cost(e.config.PassagePrefix)
	clipped = header[:fit(header, room/2)]
	return clipped, spans(text, room-cost(clipped))
}

// span is text[start:end], in bytes.
type span struct{ start, end int }

// spans returns the chunks of text, each with a cost of at most room. Every span ends
// after the previous one, and begins within it or at its end.
func spans(text string, room int) []span {
	spans := []span{{0, fit(text, room)}}
	for {
		last := spans[len(spans)-1]
		if last.end == len(text) {
			return spans
		}
		next := span{start: overlap(text, last.start, last.end, room/overlapShare)}
		next.end = next.start + fit(text[next.start:], room)
		// With the overlap, a long character after it may not fit.
		if next.end <= last.end {
			next = span{last.end, last.end + fit(text[last.end:], room)}
		}
		spans = append(spans, next)
	}
}

// fit returns the length in bytes of the longest prefix of text that costs at most room.
// The prefix ends at a word boundary unless that would waste more than a quarter of the
// room. The result is positive if text is not empty and room suffices for one character.
func fit(text string, room int) int {
	spent, word := 0, 0 // word is the last boundary beyond three quarters of the room
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

// overlap returns the start of the chunk after text[start:end]: the first word that begins
// within the cost room before end, otherwise a character.
func overlap(text string, start, end, room int) int {
	from := end
	for from > start {
		r, size := utf8.DecodeLastRuneInString(text[start:from])
		if room -= runeCost(r, size); room < 0 {
			break
		}
		from -= size
	}
	if from == start { // the chunk is no longer than the overlap
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

// endsWord reports whether a text may be cut after r: white space, or punctuation of
// scripts without spaces.
func endsWord(r rune) bool {
	switch r {
	case '。', '、', '，', '！', '？', '；', '：', '．', '」', '』', '）', '।', '။', '\u200b':
		return true
	}
	return unicode.IsSpace(r)
}

// wholeCharacter moves a cut at i back, by at most 32 bytes, so that it does not
// separate a letter from its combining marks or split a joined emoji.
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

// joins reports whether r belongs to the character before it.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || r == zeroWidthJoiner || 0x1F3FB <= r && r <= 0x1F3FF // skin tones
}
