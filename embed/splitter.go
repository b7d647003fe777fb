package embed

import (
	"unicode"
	"unicode/utf8"
)

// Splitter splits texts for a model whose tokenizer is not available in this process, because
// the model runs on a server. A type that implements Embedder may embed a Splitter: it has the
// methods Split, Spans and CodeSpans, and Input returns the text that Passages and Query must
// send.
//
// The number of tokens is estimated, conservatively for the common kinds of tokenizers
// (WordPiece, SentencePiece, byte-level BPE): 512 tokens hold 140 (science) to 190
// (conversation) words of English. Unusual text may still exceed the window, so let the
// server truncate it.
type Splitter struct {
	// Prefix is prepended to every text, but not to the chunks of Split: "passage: " for
	// E5 models. PrefixFits should hold.
	Prefix string
	// MaxTokens is the model's window in its own tokens, at least MinTokens.
	MaxTokens int
}

// MinTokens is the smallest window of a Splitter.
const MinTokens = 32

// PrefixFits reports whether the prefix takes up at most half of the window.
func (s Splitter) PrefixFits() bool { return cost(s.Prefix) <= s.window()/2 }

// Input returns the text to send: the prefix and text, cut off at the window. A chunk that
// Split returned fits and is not cut.
func (s Splitter) Input(text string) string {
	return s.Prefix + text[:fit(text, s.window()-cost(s.Prefix))]
}

// Split splits text into overlapping chunks that fit the window after the prefix, each
// beginning with header. Cuts are at word boundaries if one is near, and consecutive
// chunks overlap by an eighth. A header is cut off at half of the window.
func (s Splitter) Split(header, text string) []string {
	header, spans := s.plan(header, text)
	var chunks []string
	for _, at := range spans {
		chunks = append(chunks, header+text[at[0]:at[1]])
	}
	return chunks
}

// Spans returns the byte range of text in each chunk of Split.
func (s Splitter) Spans(header, text string) [][2]int {
	_, spans := s.plan(header, text)
	return spans
}

// CodeSpans returns no ranges: a server makes no codes.
func (s Splitter) CodeSpans(_, _ string, chunks []int) [][][2]int {
	return make([][][2]int, len(chunks))
}

// plan returns the header as far as it fits, and the byte range of text in each chunk.
func (s Splitter) plan(header, text string) (clipped string, _ [][2]int) {
	room := s.window() - cost(s.Prefix)
	clipped = header[:fit(header, room/2)]
	return clipped, spans(text, room-cost(clipped))
}

// window returns the largest cost that a text may have, including its prefix.
func (s Splitter) window() int { return (s.MaxTokens - reserved) * costUnit }

// Costs are in quarters of a token. Measured with E5's WordPiece over 102 texts, from prose to
// code, emoji and repeated letters, the true number of tokens was .56 of the estimate on
// average, and never more than the estimate.
const (
	costUnit     = 4 // one token
	costSpace    = 1
	costLetter   = 2 // a–z: every vocabulary has long tokens of them
	costOther    = 4 // capitals, digits, punctuation: up to a token each in random strings
	costBadByte  = 8 // sent as U+FFFD
	reserved     = 4 // tokens for [CLS], [SEP] and the like
	overlapShare = 8 // chunks overlap by an eighth
)

// runeCost returns the cost of a character of size bytes. It does not depend on the characters
// around it, so the costs of parts add up to the cost of the whole. Beyond ASCII it is one
// token less than the number of bytes: byte-level vocabularies have tokens of several bytes for
// all but the rarest scripts and emoji.
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

// spans returns the byte ranges of the chunks of text, each with a cost of at most room. Every
// range ends after the previous one. It begins within the previous one, or at its end.
func spans(text string, room int) [][2]int {
	spans := [][2]int{{0, fit(text, room)}}
	for {
		start, end := spans[len(spans)-1][0], spans[len(spans)-1][1]
		if end == len(text) {
			return spans
		}
		next := overlap(text, start, end, room/overlapShare)
		nextEnd := next + fit(text[next:], room)
		// A character after the overlap may be too long to fit: begin without an overlap.
		if nextEnd <= end {
			next, nextEnd = end, end+fit(text[end:], room)
		}
		spans = append(spans, [2]int{next, nextEnd})
	}
}

// fit returns the length in bytes of the longest prefix of text that costs at most room.
// The prefix ends at a word boundary unless that would waste more than a quarter of the
// room. The result is positive if text is not empty, even if room does not suffice for one
// character.
func fit(text string, room int) int {
	spent, word := 0, 0 // word is the last boundary beyond three quarters of the room
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		spent += runeCost(r, size)
		if spent > room {
			switch {
			case word > 0:
				return word
			case i == 0:
				return size
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

// overlap returns the start of the chunk that follows text[start:end]. It is at most a cost of
// room before end: at the first word that begins there or, if none does, at a character.
func overlap(text string, start, end, room int) int {
	from := end
	for from > start {
		r, size := utf8.DecodeLastRuneInString(text[start:from])
		if room -= runeCost(r, size); room < 0 {
			break
		}
		from -= size
	}
	if from == start { // the overlap would be the whole chunk
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

// endsWord reports whether a text may be cut after r: whether r is white space, or a
// punctuation mark of a script without spaces.
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
