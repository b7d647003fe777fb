// Package question says which question the words of a search are to an entry: across
// languages the same words are another question, whose scores have another scale.
package question

import "mneme/acl"

// The questions: to what the main model of a search read, to what the multilingual one
// read in the language of the question, and two across languages: one in the main model's
// to what that model left to the other, and one in another to what is in the main model's.
// The first two are the models, too.
const (
	Main = iota
	Multilingual
	LeftToOther
	Native
	Count // of questions
)

// Of returns which question words, which prefer one of the models, are to an entry that
// one has read, of a store in a language. They are in two languages if the words are in the
// main model's and the entry is left to the other, or if the entry alone is in the main
// model's: isNative. Of an entry of names or numbers in a store in another language that is
// not known.
func Of(prefers, readBy int, isNative bool, language acl.Language) int {
	switch {
	case readBy != Multilingual || language != acl.LanguageAuto:
		return readBy
	case prefers == Main:
		return LeftToOther
	case isNative:
		return Native
	}
	return readBy
}
