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

// Of returns which question the words of a search are to an entry: words that prefer one of
// the models, and an entry that one of them has read, of a store in a language. The two are
// in different languages if the words are in the main model's and the entry is left to the
// other model, or if only the entry is in the main model's: isNative. This is not known of
// an entry of names or numbers in a store in another language.
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
