// Package question says which question the words of a search are to an entry: across
// languages the same words are another question, whose scores have another scale.
package question

import (
	"mneme/embed/choice"
	"mneme/lexical/language"
)

// The questions: to what the main model of a search reads, and to what the multilingual one
// reads, in the language of the words, in another language of the same script, and in
// another script. The first two are the models, too.
const (
	Main          = choice.Main
	Multilingual  = choice.Multilingual
	Across        = choice.Count
	AcrossScripts = Across + 1
	Count         = AcrossScripts + 1 // of questions
)

// Of returns which question words are to an entry that is judged by a model, Main or
// Multilingual. The languages of both are codes of ISO 639-1; "": not known. Words or an
// entry of an unknown language, such as names, numbers and code, are in any language.
//
// It depends on the two texts alone, so that their relevance does, whatever their store's
// owner chose.
func Of(judgedBy int, words, entry string) int {
	switch {
	case judgedBy != Multilingual || words == "" || entry == "" || words == entry:
		return judgedBy
	case language.SameScript(words, entry):
		return Across
	}
	return AcrossScripts
}
