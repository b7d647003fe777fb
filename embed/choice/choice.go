// Package choice says which models there are for the entries of stores, and which of them
// read a store: what its owner chose, and what was written there and asked.
package choice

// The models, in the order of lists of both.
const (
	Main         = iota // reads English, or everything if it is the only one
	Multilingual        // reads what an English one cannot
	Count               // of models
)

// Name returns the name of a model beside another one: english or multilingual.
func Name(model int) string {
	if model == Multilingual {
		return LanguageMultilingual.String()
	}
	return LanguageEnglish.String()
}
