// Package choice determines which of two models, an English and a multilingual one, make the
// vectors of a store's entries. In this package, a model reads an entry if it makes vectors of
// it. It depends on what the store's owner chose, and on the texts and the questions of the
// store.
package choice

// The models, as indexes of lists that have one element per model.
const (
	Main         = iota // reads English, or everything if it is the only one
	Multilingual        // reads what an English one cannot
	Count               // of models
)

// Name returns the name of a model if there are two: english or multilingual.
func Name(model int) string {
	if model == Multilingual {
		return LanguageMultilingual.String()
	}
	return LanguageEnglish.String()
}
