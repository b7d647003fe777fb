package e5

import (
	"sync"

	"mneme/embed/e5/weightfile"
)

// FitTokens returns the number of tokens that a text has in the English model, whatever model
// is in use, and the length of the text in bytes. If the text has more than most tokens,
// FitTokens returns both numbers for the longest prefix of whole words with at most most
// tokens. It does not run the model, and reads no further than that.
func FitTokens(text string, most int) (tokens, end int) {
	t := builtInTokenizer()
	s := scanner{t: t, limit: max(0, most) + 1}
	s.scan(text, func(_, wordEnd int) {
		if len(s.ids) <= most {
			tokens, end = len(s.ids), wordEnd
		}
	})
	if len(s.ids) <= most {
		return len(s.ids), len(text)
	}
	return tokens, end
}

// builtInTokenizer returns the tokenizer of the English model. It does not verify the weights,
// since they are part of the program.
var builtInTokenizer = sync.OnceValue(func() *wordPiece {
	vocabulary, err := weightfile.Vocabulary(english.file())
	if err != nil {
		panic(err)
	}
	t, err := newWordPiece(vocabulary)
	if err != nil {
		panic(err)
	}
	return t
})
