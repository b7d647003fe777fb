package e5

import (
	"fmt"
	"math"

	"mneme/embed/e5/unigram"
	"mneme/embed/e5/weightfile"
)

// The names by which fingerprints distinguish the kinds of models: English ones have a
// WordPiece tokenizer, multilingual ones a unigram tokenizer.
const (
	wordPieceModel = "e5-small-v2"
	unigramModel   = "e5-unigram"
)

// newTokenizer returns the tokenizer of a weights file, and the name of its kind of model
// in fingerprints.
func newTokenizer(w *weightfile.Weights) (tokenizer, string, error) {
	if len(w.Tokenizer) == 0 {
		t, err := newWordPiece(w.Vocabulary)
		return t, wordPieceModel, err
	}
	t, err := newUnigram(w)
	if err == nil && t.Pieces() != w.Shape.Vocabulary {
		err = fmt.Errorf("tokenizer of %d pieces for %d word embeddings", t.Pieces(), w.Shape.Vocabulary)
	}
	return unigramTokenizer{t}, unigramModel, err
}

func newUnigram(w *weightfile.Weights) (*unigram.Tokenizer, error) {
	if unigram.Loadable(w.Tokenizer) {
		return unigram.Load(w.Tokenizer)
	}
	config, err := unigram.Unmarshal(w.Tokenizer, w.Vocabulary)
	if err != nil {
		return nil, err
	}
	return unigram.New(config)
}

// unigramTokenizer is the tokenizer of multilingual models.
type unigramTokenizer struct{ *unigram.Tokenizer }

// encode implements tokenizer.
func (t unigramTokenizer) encode(prefix, text string) []int32 {
	ids, _ := t.encodeSpans(prefix, text)
	return ids
}

// encodeSpans implements tokenizer.
func (t unigramTokenizer) encodeSpans(prefix, text string) ([]int32, []span) {
	tokens := t.Tokens(prefix+text, maxTokens-2)
	ids, spans := make([]int32, 0, len(tokens)+2), make([]span, 1, len(tokens)+2)
	ids = append(ids, t.Start())
	for _, token := range tokens {
		ids = append(ids, token.ID)
		if token.End <= len(prefix) {
			spans = append(spans, span{})
			continue
		}
		spans = append(spans, span{max(token.Start-len(prefix), 0), token.End - len(prefix)})
	}
	return append(ids, t.End()), append(spans, span{})
}

// words implements tokenizer.
func (t unigramTokenizer) words(text string) []word {
	tokens := t.Tokens(text, math.MaxInt)
	words := make([]word, 0, len(tokens))
	for i, token := range tokens {
		if i+1 == len(tokens) || token.Start != tokens[i+1].Start || token.End != tokens[i+1].End {
			words = appendWord(words, text, word{start: token.Start, end: token.End, tokens: i + 1})
		}
	}
	return words
}

// unknown implements tokenizer.
func (t unigramTokenizer) unknown() int32 { return t.Unknown() }

// count implements tokenizer. It must tokenize the whole text: if there is no space between two
// words, the tokens of one depend on the other.
func (t unigramTokenizer) count(prefix, text string) int {
	return 2 + len(t.Tokens(prefix+text, 2*maxTokens))
}
