package e5

import (
	"errors"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxTokens is the model's window, including [CLS] and [SEP].
	maxTokens = 512
	// maxWordRunes is the length up to which a word is looked up. A longer word is one unknown
	// token (max_input_chars_per_word of tokenizer.json).
	maxWordRunes = 100
	// fractionSlash separates the digits of ½ in NFKD.
	fractionSlash = '\u2044'
	// continuation is the vocabulary's prefix of pieces that do not begin a word.
	continuation = "##"
)

// tokenizer splits texts into the tokens of a model. It is safe for concurrent use.
type tokenizer interface {
	// encode returns the IDs of prefix and text as one sequence, between the start and end
	// tokens, truncated to maxTokens. The name of a special token within the text, such as
	// [SEP], is ordinary text.
	encode(prefix, text string) []int32
	// encodeSpans is encode, but also returns, for each ID, the range in text of the word to
	// which the token belongs. The ranges of the start token, of the prefix and of the end
	// token are empty.
	encodeSpans(prefix, text string) ([]int32, []span)
	// words returns the words of text; Split may cut between them.
	words(text string) []word
	// count returns the number of tokens that encode would return if there were no limit. It
	// returns 0 if this number always equals the sum over the words.
	count(prefix, text string) int
	// unknown returns the ID of a word or character without a piece.
	unknown() int32
}

// wordPiece turns text into WordPiece IDs as specified by the tokenizer.json of
// uncased BERT models: BertNormalizer (clean text, separate CJK characters, lower
// case, strip accents), BertPreTokenizer (split at white space and
// punctuation), WordPiece (longest match first).
type wordPiece struct {
	// first has the pieces that begin a word; rest has the pieces that continue a word,
	// without their prefix.
	first, rest   map[string]int32
	longest       int       // length in bytes of the longest piece
	form          norm.Form // normal form of words: NFKD; NFD in the reference
	unk, cls, sep int32
}

func newWordPiece(vocabulary []string) (*wordPiece, error) {
	t := &wordPiece{
		first: make(map[string]int32, len(vocabulary)),
		rest:  make(map[string]int32, len(vocabulary)/4),
		unk:   -1, cls: -1, sep: -1,
		form: norm.NFKD,
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

// encode implements tokenizer. A "[SEP]" within the text is ordinary text, since
// brackets are punctuation.
func (t *wordPiece) encode(prefix, text string) []int32 {
	s := t.begin(prefix, text)
	s.scan(text, nil)
	return append(s.ids, t.sep)
}

// encodeSpans implements tokenizer.
func (t *wordPiece) encodeSpans(prefix, text string) ([]int32, []span) {
	s := t.begin(prefix, text)
	spans := make([]span, len(s.ids), cap(s.ids)+1)
	s.scan(text, func(start, end int) {
		for len(spans) < len(s.ids) {
			spans = append(spans, span{start, end})
		}
	})
	return append(s.ids, t.sep), append(spans[:len(s.ids)], span{})
}

// begin returns a scanner for text that has scanned [CLS] and the prefix. The prefix ends with
// a space, so text begins a new word.
func (t *wordPiece) begin(prefix, text string) *scanner {
	s := &scanner{t: t, ids: make([]int32, 1, min(maxTokens, 8+len(prefix)+len(text)/3)), limit: maxTokens - 1}
	s.ids[0] = t.cls
	s.scan(prefix, nil)
	return s
}

// words implements tokenizer. No word has more tokens than fit into a chunk, since a word of
// more than maxWordRunes is one token.
func (t *wordPiece) words(text string) []word {
	s := scanner{t: t, limit: len(text) + 1}
	words := make([]word, 0, len(text)/5+1)
	tokens := 0
	s.scan(text, func(start, end int) {
		tokens += len(s.ids)
		s.ids = s.ids[:0]
		words = appendWord(words, text, word{start: start, end: end, tokens: tokens})
	})
	return words
}

// unknown implements tokenizer.
func (t *wordPiece) unknown() int32 { return t.unk }

// count implements tokenizer: a word's tokens do not depend on its neighbours.
func (t *wordPiece) count(string, string) int { return 0 }

// scanner tokenizes one text, appending the IDs of its words.
type scanner struct {
	t     *wordPiece
	ids   []int32
	limit int    // scanning stops when ids has this length
	plain bool   // whether the current word is lower-case ASCII
	word  []byte // the current word, cleaned but not normalized
	buf   []byte // scratch for the normalized word
}

// scan appends the IDs of text. Unless each is nil, scan calls it for every word, with the
// word's byte range in text, once the word's IDs are appended.
func (s *scanner) scan(text string, each func(start, end int)) {
	start := 0 // of the current word
	s.word, s.plain = s.word[:0], true
	flush := func(end int, single bool) {
		if len(s.word) > 0 {
			s.flush(single)
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
			flush(i, false)
		case punctuation, ideograph:
			flush(i, false)
			start = i
			s.word = append(s.word, text[i:i+size]...)
			s.plain = r < utf8.RuneSelf
			flush(i+size, true)
		default:
			several := s.t.form == norm.NFKD && standsForWords(text[i:i+size])
			if several && r != 'ŀ' && r != 'Ŀ' { // the l of Catalan's l· belongs to the preceding letters
				flush(i, false)
			}
			if len(s.word) == 0 {
				start = i
			}
			s.word = append(s.word, text[i:i+size]...)
			s.plain = false
			if several {
				flush(i+size, false)
			}
		}
		i += size
	}
	if len(s.ids) < s.limit {
		flush(len(text), false)
	}
	s.ids = s.ids[:min(len(s.ids), s.limit)]
}

// standsForWords reports whether NFKD replaces a character by several words or symbols, as it
// does for fractions, circled ideographs and some Arabic phrases. Such a character must be a
// word of its own: otherwise 3½ would become 31/2, and many such characters could make one word
// that is longer than the window.
func standsForWords(char string) bool {
	for _, r := range string(norm.NFKD.PropertiesString(char).Decomposition()) {
		if r == fractionSlash || classOf(r) != letter && !isIn(removedRunes[:], r) {
			return true
		}
	}
	return false
}

// flush appends the IDs of the current word. It normalizes the word's letters to NFKC, as the
// lexical leg of a search does: full-width, half-width, bold and circled letters and ligatures
// become plain letters. Uncased BERT itself leaves them unchanged, and has no pieces for them.
// single reports whether the word is one character that is always a word of its own; such a
// word is not normalized.
func (s *scanner) flush(single bool) {
	if s.plain {
		s.pieces(s.word, len(s.word))
		return
	}
	form := s.t.form
	if single {
		form = norm.NFD
	}
	decomposed := form.Append(s.buf[:0], s.word...)
	s.buf = decomposed
	word, runes := s.word[:0], 0
	for len(decomposed) > 0 {
		r, size := utf8.DecodeRune(decomposed)
		decomposed = decomposed[size:]
		if r >= utf8.RuneSelf && isIn(removedRunes[:], r) {
			continue
		}
		if k := classOf(r); form == norm.NFKD && k != letter { // such as the brackets of a parenthesized letter
			s.pieces(word, runes)
			word, runes = word[:0], 0
			if k == punctuation || k == ideograph {
				s.pieces(utf8.AppendRune(nil, r), 1)
			}
			continue
		}
		word = utf8.AppendRune(word, lower(r))
		runes++
	}
	s.word = word
	s.pieces(word, runes)
}

// pieces appends the IDs of one normalized word: again and again, the longest piece of the
// vocabulary that the rest of the word begins with. If there is none, the whole word is
// unknown.
func (s *scanner) pieces(word []byte, runes int) {
	if runes == 0 {
		return
	}
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
