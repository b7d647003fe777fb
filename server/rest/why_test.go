package rest

import (
	"testing"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
)

func TestTheModelsOfAStoreHaveAReason(t *testing.T) {
	for want, info := range map[string]memory.StoreInfo{
		"One embedder reads every language.":                                                     {EveryLanguage: true, Reading: choice.Reading{Asked: true}},
		"Nothing in it has needed the multilingual model yet.":                                   {},
		"English was chosen: the English model reads every entry.":                               {Reading: choice.Reading{Language: choice.LanguageEnglish, Asked: true}},
		"Multilingual was chosen: the multilingual model reads every entry. It has read 2 of 5.": {Reading: choice.Reading{Language: choice.LanguageMultilingual}, Progress: &memory.ReadingProgress{Done: 2, Total: 5}},
		"Its entries in other languages than English are read by the multilingual model.":        {Reading: choice.Reading{Multilingual: acl.Internal}},
	} {
		if got := whyModels(info); got != want {
			t.Errorf("%+v: %q, want %q", info, got, want)
		}
	}
	for why := choice.Nothing; why <= choice.HasForeign; why++ {
		if reasons[why] == "" {
			t.Errorf("reason %d has no sentence", why)
		}
	}
}
