package unigram

import (
	"math"
	"unicode"
	"unicode/utf8"
)

const (
	// space replaces, in pieces, the space before a word.
	space = "▁"
	// maxWordBytes is the length from which a word is split into parts.
	maxWordBytes = 1 << 16
	// maxWordTokens is the maximum number of tokens of one word. Each token of a longer
	// word, such as a line of base64, counts as a word of its own.
	maxWordTokens = 16
)

// Token is a token of a text.
type Token struct {
	ID int32
	// Start and End are the byte range of the word to which the token belongs; tokens of one
	// word have the same range. In scripts without spaces, each token counts as a word. Words
	// are in the order of the text and do not overlap.
	Start, End int
}

// Tokens returns the first limit tokens of text, without the start and end tokens of a
// sequence.
func (t *Tokenizer) Tokens(text string, limit int) []Token {
	s := scanner{t: t, limit: limit}
	t.charsmap.normalize(text, func(part string, start, end int) bool {
		for _, r := range part {
			s.add(r, start, end)
		}
		return len(s.tokens) < limit
	})
	s.finish()
	return s.tokens[:min(len(s.tokens), limit)]
}

// scanner tokenizes one text.
type scanner struct {
	t       *Tokenizer
	tokens  []Token
	limit   int
	started bool     // whether a character other than white space was read
	blank   []rune   // pending white space
	blanks  []source // ranges of the text that blank comes from

	inWord   bool
	unspaced bool   // whether the current word has characters of a script without spaces
	word     []byte // normalized
	from     []source
	path     []step
	ids      []span
}

// source is a byte range of the text.
type source struct{ start, end int }

// span is a token of a word: word[start:end].
type span struct {
	id         int32
	start, end int
}

// add processes one character of the normalized text.
func (s *scanner) add(r rune, start, end int) {
	at := source{start, end}
	switch white := r == ' ' || unicode.IsSpace(r); {
	case white && s.t.spaces.Split:
		s.flush()
		s.inWord = false
	case white:
		if !s.started && s.t.spaces.TrimLeft || r == ' ' && s.t.spaces.Collapse && len(s.blank) > 0 && s.blank[len(s.blank)-1] == ' ' {
			return
		}
		s.blank, s.blanks = append(s.blank, r), append(s.blanks, at)
	default:
		s.takeBlanks()
		s.started = true
		s.put(r, at)
	}
}

// takeBlanks appends the white space that was read but not used yet.
func (s *scanner) takeBlanks() {
	for i, r := range s.blank {
		if at := s.blanks[i]; r == ' ' {
			s.begin(source{at.start, at.start})
		} else {
			s.put(r, at)
		}
	}
	s.blank, s.blanks = s.blank[:0], s.blanks[:0]
}

// begin begins a word.
func (s *scanner) begin(at source) {
	s.flush()
	s.inWord = true
	s.append(space, at)
}

// put adds a character to the word.
func (s *scanner) put(r rune, at source) {
	if r == '▁' { // treated as a space
		s.begin(at)
		return
	}
	if !s.inWord {
		s.begin(source{at.start, at.start})
	}
	if len(s.word) >= maxWordBytes {
		s.flush()
	}
	if r >= '\u0e00' && !s.unspaced { // this range of scripts without spaces begins with Thai
		s.unspaced = unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	}
	var buf [utf8.UTFMax]byte
	s.append(string(buf[:utf8.EncodeRune(buf[:], r)]), at)
}

func (s *scanner) append(part string, at source) {
	s.word = append(s.word, part...)
	for range len(part) {
		s.from = append(s.from, at)
	}
}

func (s *scanner) finish() {
	if len(s.tokens) < s.limit {
		if !s.t.spaces.TrimRight {
			s.takeBlanks()
		}
		s.flush()
	}
}

// flush appends the tokens of the word.
func (s *scanner) flush() {
	if len(s.word) == 0 {
		return
	}
	s.divide()
	if s.unspaced || len(s.ids) > maxWordTokens {
		// A token that is only the space before a word gets the range of the next token.
		first := 0
		for i := range s.ids {
			if at := s.source(s.ids[i].start, s.ids[i].end); at.start < at.end || i == len(s.ids)-1 {
				s.emit(s.ids[first:i+1], at)
				first = i + 1
			}
		}
	} else {
		s.emit(s.ids, s.source(0, len(s.word)))
	}
	s.word, s.from, s.unspaced = s.word[:0], s.from[:0], false
}

// source returns the range of the text from which a range of the word was made.
func (s *scanner) source(start, end int) source {
	at := s.from[end-1]
	for _, from := range s.from[start:end] {
		if from.start < from.end {
			at.start = min(at.start, from.start)
			at.end = max(at.end, from.end)
		}
	}
	return at
}

// emit appends tokens that share one range. If one character was replaced by several words, its
// range goes to the first of them.
func (s *scanner) emit(ids []span, at source) {
	if n := len(s.tokens); n > 0 && at.start < s.tokens[n-1].End {
		if last := s.tokens[n-1]; at.end > last.End {
			at.start = last.End
		} else {
			at = source{last.Start, last.End}
		}
	}
	for _, id := range ids {
		s.tokens = append(s.tokens, Token{ID: id.id, Start: at.start, End: at.end})
	}
}

// step is the best path to a position of a word: its score, the start of its last piece, and
// that piece's ID. The start is none if there is no path.
type step struct {
	score     float64
	start, id int32
}

// divide sets ids to the pieces of the word with the largest sum of scores (Viterbi); if
// several divisions have this sum, to the one found first. A character that no piece covers is
// unknown. Adjacent unknown characters are one token.
func (s *scanner) divide() {
	t, word := s.t, s.word
	if cap(s.path) <= len(word) {
		s.path = make([]step, len(word)+1, 2*len(word)+64)
	}
	path := s.path[:len(word)+1]
	for i := range path {
		path[i] = step{score: math.Inf(-1), start: none}
	}
	path[0].score = 0
	for start := 0; start < len(word); {
		_, size := utf8.DecodeRune(word[start:])
		so, single, node := path[start].score, false, int32(0)
		for end := start; end < len(word); {
			if node = t.trie.child(node, word[end]); node == 0 {
				break
			}
			end++
			id := t.trie.piece(node)
			if id == none {
				continue
			}
			path[end].improve(so+t.scores.at(id), start, id)
			single = single || end == start+size
		}
		if !single {
			path[start+size].improve(so+t.unknownScore, start, t.unknown)
		}
		start += size
	}
	s.ids = s.ids[:0]
	for end := len(word); end > 0; {
		p := path[end]
		start := int(p.start)
		if n := len(s.ids); n > 0 && p.id == t.unknown && s.ids[n-1].id == t.unknown {
			s.ids[n-1].start = start
		} else {
			s.ids = append(s.ids, span{p.id, start, end})
		}
		end = start
	}
	for i, j := 0, len(s.ids)-1; i < j; i, j = i+1, j-1 {
		s.ids[i], s.ids[j] = s.ids[j], s.ids[i]
	}
}

func (p *step) improve(score float64, start int, id int32) {
	if p.start == none || score > p.score {
		*p = step{score, int32(start), id}
	}
}
