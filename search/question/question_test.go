package question_test

import (
	"testing"

	"mneme/acl"
	"mneme/search/question"
)

func TestTwoLanguagesAreThoseOfWhichTheMainModelReadsOne(t *testing.T) {
	for name, c := range map[string]struct {
		prefers, readBy int
		native          bool
		chosen          acl.Language
		want            int
	}{
		"English, of an English entry":                {question.Main, question.Main, true, acl.LanguageAuto, question.Main},
		"English, of a German entry":                  {question.Main, question.Multilingual, false, acl.LanguageAuto, question.LeftToOther},
		"German, of a German entry":                   {question.Multilingual, question.Multilingual, false, acl.LanguageAuto, question.Multilingual},
		"German, of an English entry":                 {question.Multilingual, question.Multilingual, true, acl.LanguageAuto, question.Native},
		"German, of an entry that waits":              {question.Multilingual, question.Main, true, acl.LanguageAuto, question.Main},
		"English, where everything is multilingual":   {question.Main, question.Multilingual, false, acl.LanguageMultilingual, question.Multilingual},
		"German, where everything is multilingual":    {question.Multilingual, question.Multilingual, false, acl.LanguageMultilingual, question.Multilingual},
		"German, where everything is read as English": {question.Multilingual, question.Main, true, acl.LanguageEnglish, question.Main},
	} {
		if got := question.Of(c.prefers, c.readBy, c.native, c.chosen); got != c.want {
			t.Errorf("%s: question %d, want %d", name, got, c.want)
		}
	}
}
