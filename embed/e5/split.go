package e5

import (
	"strings"
	"unicode/utf8"
)

const (
	// headerTokens is the number of tokens at which a header is cut off.
	headerTokens = 64
	// titleTokens is the length up to which the first line of a text counts as its title
	// and is repeated in every chunk.
	titleTokens = 64
	// overlapTokens is the number of tokens that consecutive chunks share. A sentence that is
	// cut at the end of one chunk is then whole in the next.
	overlapTokens = 64
	// sentenceReach is the maximum distance, in tokens, by which a cut is moved so that it is
	// at the end of a sentence or line.
	sentenceReach = 48
)

// word is a word of a text being split.
type word struct {
	start, end int  // its byte range
	tokens     int  // number of tokens from the start of the text to the word's end
	stop       bool // whether a sentence or line ends with the word
}

// Split splits text into overlapping chunks that fit the model's window as
// passages, each beginning with header and a line break. A text that fits is
// one chunk. Otherwise the chunks have about the same length, since a short
// remainder would match queries that it does not answer. Consecutive chunks
// overlap by about 64 tokens, and cuts are between words, at the end of a
// sentence if one is near. A short first line, such as a title, is repeated in
// every chunk, because it says what the chunk is about. A header is cut off at
// 64 tokens.
//
// The rules were measured: see docs/decisions/0016-chunks.md.
func (e *Encoder) Split(header, text string) []string {
	header, title, spans := e.plan(header, text)
	var chunks []string
	for i, s := range spans {
		chunk := text[s.start:s.end]
		if i > 0 {
			chunk = join(title, chunk)
		}
		chunks = append(chunks, join(header, chunk))
	}
	return chunks
}

// Spans returns the byte range of text in each chunk of Split. The title, which every
// chunk repeats, is only in the range of the first chunk.
func (e *Encoder) Spans(header, text string) [][2]int {
	_, _, spans := e.plan(header, text)
	ranges := make([][2]int, len(spans))
	for i, s := range spans {
		ranges[i] = [2]int{s.start, s.end}
	}
	return ranges
}

// plan returns the parts of the chunks of a text: the header as far as it fits; the title,
// which all chunks but the first repeat, or "" if there is none; and the byte range of text in
// each chunk.
func (e *Encoder) plan(header, text string) (clipped, title string, _ []span) {
	e.Load()
	clipped = e.clipHeader(header)
	words := e.tokenizer.words(text)
	budget := maxTokens - len(e.tokenizer.encode(passagePrefix, clipped))
	if !fits(words, 0, budget) {
		var tokens int
		title, tokens = titleOf(text, words)
		budget -= tokens
	}
	return clipped, title, spans(text, words, budget, func(from, to int) bool {
		chunk := text[from:to]
		if from > 0 {
			chunk = join(title, chunk)
		}
		return e.tokenizer.count(passagePrefix, join(clipped, chunk)) <= maxTokens
	})
}

// titleOf returns the first line of a text and its number of tokens, if the line
// is short and not the only one.
func titleOf(text string, words []word) (title string, tokens int) {
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
	if tokens > titleTokens {
		return "", 0
	}
	return strings.TrimSpace(line), tokens
}

// span is text[start:end], in bytes.
type span struct{ start, end int }

// spans returns the byte ranges of the chunks of a text, each of at most budget tokens. words
// has the numbers of tokens of the whole text. A chunk that begins within a word of the
// tokenizer may have other tokens: holds checks whether a range really fits.
func spans(text string, words []word, budget int, holds func(from, to int) bool) []span {
	if fits(words, 0, budget) && (len(words) < 2 || holds(0, len(text))) {
		return []span{{0, len(text)}}
	}
	var spans []span
	for first := 0; ; {
		s := span{words[first].start, len(text)}
		if first == 0 {
			s.start = 0
		}
		if first == len(words)-1 || fits(words, first, budget) && holds(s.start, s.end) {
			return append(spans, s)
		}
		last := min(lastWord(words, first, budget), len(words)-2)
		for last > first && !holds(s.start, words[last+1].start) {
			last -= 1 + (last-first)/32
		}
		s.end = words[last+1].start
		spans = append(spans, s)
		first = overlap(words, first, last)
	}
}

// before returns the number of tokens before the word with index first.
func before(words []word, first int) int {
	if first == 0 {
		return 0
	}
	return words[first-1].tokens
}

// fits reports whether the words from index first to the end have at most budget tokens.
func fits(words []word, first, budget int) bool {
	return len(words) == 0 || words[len(words)-1].tokens-before(words, first) <= budget
}

// appendWord appends w, the next word of text, to words. It sets stop of the word that ends a
// sentence or line.
func appendWord(words []word, text string, w word) []word {
	if n := len(words); n > 0 && strings.IndexByte(text[words[n-1].end:w.start], '\n') >= 0 {
		words[n-1].stop = true
	}
	w.stop = endsSentence(text, w.start, w.end)
	return append(words, w)
}

// lastWord returns the index of the last word of the chunk that begins with word first. It is
// called if the rest of the text does not fit into one chunk. It divides the rest into the
// smallest number of chunks, of equal length, and moves the cut to the nearest end of a
// sentence.
func lastWord(words []word, first, budget int) int {
	start := before(words, first)
	rest := words[len(words)-1].tokens - start
	chunks := ceil(rest-overlapTokens, budget-overlapTokens)
	size := overlapTokens + ceil(rest-overlapTokens, chunks) // at most budget
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

// ceil returns a/b, rounded up, for positive b.
func ceil(a, b int) int { return (a + b - 1) / b }

// overlap returns the index of the first word of the next chunk, if last is the last word of
// this one: overlapTokens before the cut, or the beginning of the next sentence after that. It
// is always greater than first, so that splitting terminates.
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

// endsSentence reports whether the word text[start:end] ends with a full stop followed by
// white space, or a full stop of a script without spaces.
func endsSentence(text string, start, end int) bool {
	switch r, _ := utf8.DecodeLastRuneInString(text[start:end]); r {
	case '.', '!', '?', '…':
		return end == len(text) || strings.IndexByte(" \n\r\t\"')", text[end]) >= 0
	case '。', '！', '？', '।', '؟':
		return true
	}
	return false
}

// clipHeader truncates header to headerTokens tokens.
func (e *Encoder) clipHeader(header string) string {
	for _, w := range e.tokenizer.words(header) {
		if w.tokens > headerTokens {
			return strings.TrimRight(header[:w.start], " \t\r\n")
		}
	}
	return header
}

// join puts a header, if there is one, on a line before text.
func join(header, text string) string {
	if header == "" {
		return text
	}
	return header + "\n" + text
}
