package e5

import "strings"

const (
	// headerTokens bounds what a header takes of every piece's window.
	headerTokens = 64
	// overlapTokens is what a piece repeats of the one before, so that a
	// sentence cut in two still stands whole in one of them.
	overlapTokens = 64
	// sentenceReach is how far before the window's end, in tokens, the end of a
	// sentence or line is preferred to a cut between words.
	sentenceReach = 96
)

// word is a word of a text to be split: where its bytes end, the tokens up to
// its end, and whether a sentence or a line ends with it.
type word struct {
	start, end, tokens int
	stop               bool
}

// Split cuts text into pieces that fit the model's window as passages that
// begin with header and a line break. Consecutive pieces overlap by about
// 64 tokens; cuts lie between words, at the end of a sentence where one is
// near. A header of more than 64 tokens is cut off. A text that fits is one
// piece.
func (e *Encoder) Split(header, text string) []string {
	header = e.clipHeader(header)
	budget := maxTokens - len(e.tokenizer.encode(passagePrefix, header))
	var pieces []string
	for _, c := range e.cuts(text, budget) {
		pieces = append(pieces, join(header, text[c.from:c.to]))
	}
	return pieces
}

// cut is the byte range of a piece.
type cut struct{ from, to int }

// cuts gives the pieces of text of at most budget tokens each.
func (e *Encoder) cuts(text string, budget int) []cut {
	words := e.words(text)
	if len(words) == 0 || words[len(words)-1].tokens <= budget {
		return []cut{{0, len(text)}}
	}
	var cuts []cut
	for first := 0; ; {
		last := fit(words, first, budget)
		c := cut{words[first].start, len(text)}
		if first == 0 {
			c.from = 0
		}
		if last+1 < len(words) {
			c.to = words[last+1].start
		}
		cuts = append(cuts, c)
		if last+1 == len(words) {
			return cuts
		}
		first = overlap(words, first, last)
	}
}

// words scans text once. A word of more tokens than a piece can hold does not
// exist: words longer than maxWordRunes are one token.
func (e *Encoder) words(text string) []word {
	s := scanner{t: e.tokenizer, limit: len(text) + 1}
	words := make([]word, 0, len(text)/5+1)
	tokens := 0
	s.scan(text, func(start, end int) {
		tokens += len(s.ids)
		s.ids = s.ids[:0]
		if n := len(words); n > 0 && strings.IndexByte(text[words[n-1].end:start], '\n') >= 0 {
			words[n-1].stop = true
		}
		words = append(words, word{start: start, end: end, tokens: tokens, stop: endsSentence(text, start, end)})
	})
	return words
}

// fit gives the last word of the piece that begins with word first: as many
// as the budget holds, or, if the end of a sentence lies within the last
// sentenceReach tokens, up to there.
func fit(words []word, first, budget int) int {
	before := 0
	if first > 0 {
		before = words[first-1].tokens
	}
	last := first
	for last+1 < len(words) && words[last+1].tokens-before <= budget {
		last++
	}
	if last+1 == len(words) {
		return last
	}
	for i := last; i > first && words[last].tokens-words[i].tokens < sentenceReach; i-- {
		if words[i].stop {
			return i
		}
	}
	return last
}

// overlap gives the first word of the next piece: overlapTokens before the cut
// after last, or the sentence that begins next after that; in any case beyond
// first, so that splitting ends.
func overlap(words []word, first, last int) int {
	next := last + 1
	for next > first+1 && words[last].tokens-words[next-1].tokens < overlapTokens {
		next--
	}
	for i := next; i < last; i++ {
		if words[i].stop {
			return i + 1
		}
		if words[i].tokens-words[next].tokens > overlapTokens/2 {
			break
		}
	}
	return next
}

// endsSentence tells whether the word text[start:end] is a full stop that
// white space follows, or one of scripts that write none after it.
func endsSentence(text string, start, end int) bool {
	switch text[start:end] {
	case ".", "!", "?", "…":
		return end == len(text) || strings.IndexByte(" \n\r\t\"')", text[end]) >= 0
	case "。", "！", "？", "।", "؟":
		return true
	}
	return false
}

// clipHeader cuts header off after headerTokens tokens.
func (e *Encoder) clipHeader(header string) string {
	s := scanner{t: e.tokenizer, limit: len(header) + 1}
	cut := -1
	s.scan(header, func(start, _ int) {
		if cut < 0 && len(s.ids) > headerTokens {
			cut = start
		}
	})
	if cut < 0 {
		return header
	}
	return strings.TrimRight(header[:cut], " \t\r\n")
}

func join(header, piece string) string {
	if header == "" {
		return piece
	}
	return header + "\n" + piece
}
