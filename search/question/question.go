// Package question classifies a search's words as a question to an entry. Words and an entry in
// different languages are compared on another scale than in one language, so the same words are
// a different kind of question to each of these entries.
package question

import (
	"mneme/embed/choice"
	"mneme/lexical/language"
)

// The questions. Main is a question to an entry that the main model of a search reads; the
// others are to entries that the multilingual model reads. Main and Multilingual are also the
// numbers of these models.
const (
	Main          = choice.Main
	Multilingual  = choice.Multilingual // the entry is in the language of the words
	Across        = choice.Count        // in another language of the same script
	AcrossScripts = Across + 1          // in another script
	Count         = AcrossScripts + 1   // number of questions
)

// Of returns the question that words are to an entry read by a model, Main or Multilingual.
// The arguments words and entry are the ISO 639-1 codes of their languages; "": unknown. Text
// of an unknown language, such as names, numbers and code, matches every language.
//
// The languages depend only on the two texts, and so does the relevance, whatever the owner
// of the store chose.
func Of(judgedBy int, words, entry string) int {
	switch {
	case judgedBy != Multilingual || words == "" || entry == "" || words == entry:
		return judgedBy
	case language.SameScript(words, entry):
		return Across
	}
	return AcrossScripts
}
