package rest

import (
	"fmt"

	"mneme/embed/choice"
	"mneme/memory"
)

// reasons are the sentences that explain why certain models embed the entries of a store.
var reasons = map[choice.Reason]string{
	choice.Nothing:            "Nothing in it has needed the multilingual model yet.",
	choice.ChosenEnglish:      "English was chosen: the English model reads every entry.",
	choice.ChosenMultilingual: "Multilingual was chosen: the multilingual model reads every entry.",
	choice.WasAsked:           "It was asked in another language than English: the multilingual model reads every entry, too.",
	choice.IsMixed:            "One in twenty of its entries or more were, or a question above PUBLIC was, in other languages than English: the multilingual model reads the others, too.",
	choice.HasForeign:         "Its entries in other languages than English are read by the multilingual model.",
}

// whyModels explains why certain models embed the entries of a store and, while the
// multilingual one has not embedded all of them, how far it is.
func whyModels(info memory.StoreInfo) string {
	if info.EveryLanguage {
		return "One embedder reads every language."
	}
	why := reasons[info.Reading.Why()]
	if p := info.Progress; p != nil {
		why += fmt.Sprintf(" It has read %d of %d.", p.Done, p.Total)
	}
	return why
}
