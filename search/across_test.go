package search

import (
	"testing"

	"mneme/acl"
)

func TestTwoLanguagesAreThoseOfWhichTheMainModelReadsOne(t *testing.T) {
	for name, c := range map[string]struct {
		prefers, k int
		native     bool
		chosen     acl.Language
		want       int
	}{
		"English, of an English entry":                {mainModel, mainModel, true, acl.LanguageAuto, mainModel},
		"English, of a German entry":                  {mainModel, multilingualModel, false, acl.LanguageAuto, leftToOther},
		"German, of a German entry":                   {multilingualModel, multilingualModel, false, acl.LanguageAuto, multilingualModel},
		"German, of an English entry":                 {multilingualModel, multilingualModel, true, acl.LanguageAuto, native},
		"German, of an entry that waits":              {multilingualModel, mainModel, true, acl.LanguageAuto, mainModel},
		"English, where everything is multilingual":   {mainModel, multilingualModel, false, acl.LanguageMultilingual, multilingualModel},
		"German, where everything is multilingual":    {multilingualModel, multilingualModel, false, acl.LanguageMultilingual, multilingualModel},
		"German, where everything is read as English": {multilingualModel, mainModel, true, acl.LanguageEnglish, mainModel},
	} {
		w := wording{prefers: c.prefers}
		if got := w.questionFor(c.k, c.native, acl.Reading{Language: c.chosen}); got != c.want {
			t.Errorf("%s: question %d, want %d", name, got, c.want)
		}
	}
}
