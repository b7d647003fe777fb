package e5

import (
	"errors"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxTokens is the model's window, with the marks at both ends.
	maxTokens = 512
	// maxWordRunes is the longest word that is looked up; a longer one is one
	// unknown token (max_input_chars_per_word of tokenizer.json).
	maxWordRunes = 100
	// continuation marks, in the vocabulary, a piece that does not begin a word.
	continuation = "##"
)

// tokenizer turns text into WordPiece ids as the model's tokenizer.json says:
// BertNormalizer (clean text, CJK apart, lower case, accents stripped),
// BertPreTokenizer (whitespace and punctuation), WordPiece (longest match
// first). It is safe for concurrent use.
type tokenizer struct {
	// first holds the pieces that begin a word, rest those that continue one,
	// without their mark.
	first, rest   map[string]int32
	longest       int // bytes of the longest piece
	unk, cls, sep int32
}

func newTokenizer(vocabulary []string) (*tokenizer, error) {
	t := &tokenizer{
		first: make(map[string]int32, len(vocabulary)),
		rest:  make(map[string]int32, len(vocabulary)/4),
		unk:   -1, cls: -1, sep: -1,
	}
	for i, piece := range vocabulary {
		id := int32(i)
		switch piece {
		case "[UNK]":
			t.unk = id
		case "[CLS]":
			t.cls = id
		case "[SEP]":
			t.sep = id
		}
		t.longest = max(t.longest, len(piece))
		if len(piece) > len(continuation) && piece[:len(continuation)] == continuation {
			t.rest[piece[len(continuation):]] = id
			continue
		}
		t.first[piece] = id
	}
	if t.unk < 0 || t.cls < 0 || t.sep < 0 {
		return nil, errors.New("vocabulary lacks [UNK], [CLS] or [SEP]")
	}
	return t, nil
}

// encode gives the ids of prefix and text as one sequence between [CLS] and
// [SEP], cut off at maxTokens. Marks such as "[SEP]" within the text are
// ordinary text: brackets are punctuation.
func (t *tokenizer) encode(prefix, text string) []int32 {
	s := scanner{t: t, ids: make([]int32, 1, min(maxTokens, 8+len(prefix)+len(text)/3)), limit: maxTokens - 1}
	s.ids[0] = t.cls
	// The prefix ends with a space, so that its words end there too.
	s.scan(prefix, nil)
	s.scan(text, nil)
	return append(s.ids, t.sep)
}

// scanner walks over a text and appends the ids of its words. It is the state
// of one call.
type scanner struct {
	t     *tokenizer
	ids   []int32
	limit int    // scanning stops once ids has as many
	plain bool   // the word so far is lower-case ASCII as it stands
	word  []byte // the word so far, cleaned, not yet normalised
	buf   []byte // scratch for the normalised word
}

// scan appends the ids of text. each, if not nil, is called after every word
// with the byte range of text that it came from; ids has its pieces by then.
func (s *scanner) scan(text string, each func(start, end int)) {
	start := 0 // of the word so far
	s.word, s.plain = s.word[:0], true
	flush := func(end int) {
		if len(s.word) > 0 {
			s.flush()
			if each != nil {
				each(start, end)
			}
		}
		s.word, s.plain = s.word[:0], true
	}
	for i := 0; i < len(text) && len(s.ids) < s.limit; {
		if c := text[i]; c < utf8.RuneSelf && asciiClass[c] == letter {
			if len(s.word) == 0 {
				start = i
			}
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			s.word = append(s.word, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch k := classOf(r); k {
		case removed:
		case space:
			flush(i)
		case punctuation, ideograph:
			flush(i)
			start = i
			s.word = append(s.word, text[i:i+size]...)
			s.plain = r < utf8.RuneSelf
			flush(i + size)
		default:
			if len(s.word) == 0 {
				start = i
			}
			s.word = append(s.word, text[i:i+size]...)
			s.plain = false
		}
		i += size
	}
	if len(s.ids) < s.limit {
		flush(len(text))
	}
	s.ids = s.ids[:min(len(s.ids), s.limit)]
}

// flush appends the ids of the word so far.
func (s *scanner) flush() {
	if s.plain {
		s.pieces(s.word, len(s.word))
		return
	}
	decomposed := norm.NFD.Append(s.buf[:0], s.word...)
	s.buf = decomposed
	word, runes := s.word[:0], 0
	for len(decomposed) > 0 {
		r, size := utf8.DecodeRune(decomposed)
		decomposed = decomposed[size:]
		if r >= utf8.RuneSelf && isIn(removedRunes[:], r) {
			continue
		}
		word = utf8.AppendRune(word, lower(r))
		runes++
	}
	s.word = word
	if runes > 0 {
		s.pieces(word, runes)
	}
}

// pieces appends the ids of one normalised word: from the left, each time the
// longest piece of the vocabulary; if a rest has none, the whole word is
// unknown.
func (s *scanner) pieces(word []byte, runes int) {
	if runes > maxWordRunes {
		s.ids = append(s.ids, s.t.unk)
		return
	}
	before, table := len(s.ids), s.t.first
	for len(word) > 0 {
		n := min(len(word), s.t.longest)
		id, ok := int32(0), false
		for ; n > 0; n-- {
			if id, ok = table[string(word[:n])]; ok {
				break
			}
		}
		if !ok {
			s.ids = append(s.ids[:before], s.t.unk)
			return
		}
		s.ids = append(s.ids, id)
		word, table = word[n:], s.t.rest
	}
}
