package e5

import "strings"

const (
	// headerTokens bounds what a header takes of every piece's window.
	headerTokens = 64
	// openingTokens is how long a text's first line may be to stand before
	// every piece, as a title or a heading does.
	openingTokens = 64
	// overlapTokens is what a piece repeats of the one before, so that a
	// sentence cut in two still stands whole in one of them.
	overlapTokens = 64
	// sentenceReach is how far, in tokens, a cut is moved to the end of a
	// sentence or line.
	sentenceReach = 48
)

// word is a word of a text to be split: where its bytes end, the tokens up to
// its end, and whether a sentence or a line ends with it.
type word struct {
	start, end, tokens int
	stop               bool
}

// Split cuts text into pieces that fit the model's window as passages that
// begin with header and a line break. A text that fits is one piece. Else the
// pieces are about equally long, since a short rest is found by questions that
// it has little to say to; consecutive ones overlap by about 64 tokens, and
// cuts lie between words, at the end of a sentence where one is near. A short
// first line, such as a title, stands before the later pieces too: it says
// what they are about. A header of more than 64 tokens is cut off.
//
// Measured: docs/decisions/0016-pieces.md.
func (e *Encoder) Split(header, text string) []string {
	header = e.clipHeader(header)
	words := e.words(text)
	budget := maxTokens - len(e.tokenizer.encode(passagePrefix, header))
	opening := ""
	if !fits(words, 0, budget) {
		var tokens int
		opening, tokens = openingOf(text, words)
		budget -= tokens
	}
	var pieces []string
	for i, c := range cuts(text, words, budget) {
		piece := text[c.from:c.to]
		if i > 0 {
			piece = join(opening, piece)
		}
		pieces = append(pieces, join(header, piece))
	}
	return pieces
}

// openingOf is the first line of a text that has more, if it is short, with
// its tokens.
func openingOf(text string, words []word) (opening string, tokens int) {
	line, _, more := strings.Cut(text, "\n")
	if !more {
		return "", 0
	}
	for _, w := range words {
		if w.end > len(line) {
			break
		}
		tokens = w.tokens
	}
	if tokens > openingTokens {
		return "", 0
	}
	return strings.TrimSpace(line), tokens
}

// cut is the byte range of a piece.
type cut struct{ from, to int }

// cuts gives the pieces of a text of at most budget tokens each.
func cuts(text string, words []word, budget int) []cut {
	if fits(words, 0, budget) {
		return []cut{{0, len(text)}}
	}
	var cuts []cut
	for first := 0; ; {
		c := cut{words[first].start, len(text)}
		if first == 0 {
			c.from = 0
		}
		if fits(words, first, budget) {
			return append(cuts, c)
		}
		last := end(words, first, budget)
		c.to = words[last+1].start
		cuts = append(cuts, c)
		first = overlap(words, first, last)
	}
}

// before counts the tokens before word first.
func before(words []word, first int) int {
	if first == 0 {
		return 0
	}
	return words[first-1].tokens
}

// fits tells whether what begins with word first has at most budget tokens.
func fits(words []word, first, budget int) bool {
	return len(words) == 0 || words[len(words)-1].tokens-before(words, first) <= budget
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

// end gives the last word of the piece that begins with word first, where what
// is left does not fit into one: it is cut into as few as can be, equally long,
// and the end of a sentence is taken that is nearest to that length.
func end(words []word, first, budget int) int {
	start := before(words, first)
	rest := words[len(words)-1].tokens - start
	pieces := ceil(rest-overlapTokens, budget-overlapTokens)
	size := overlapTokens + ceil(rest-overlapTokens, pieces) // at most budget
	last := first
	for last+1 < len(words) && words[last+1].tokens-start <= size {
		last++
	}
	nearest, distance := last, sentenceReach
	try := func(i int) bool {
		d := max(words[last].tokens-words[i].tokens, words[i].tokens-words[last].tokens)
		if d < distance && words[i].stop {
			nearest, distance = i, d
		}
		return d < distance
	}
	for i := last; i > first && try(i); i-- {
	}
	for i := last + 1; i < len(words) && words[i].tokens-start <= budget && try(i); i++ {
	}
	return nearest
}

// ceil divides and rounds up; b is above 0.
func ceil(a, b int) int { return (a + b - 1) / b }

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
