package question_test

import (
	"testing"

	"mneme/search/question"
)

func TestWordsInAnotherLanguageAreAnotherQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		judgedBy     int
		words, entry string
		want         int
	}{
		"English, of an English entry":                     {question.Main, "en", "en", question.Main},
		"English, of a German entry":                       {question.Multilingual, "en", "de", question.Across},
		"German, of a German entry":                        {question.Multilingual, "de", "de", question.Multilingual},
		"German, of an English entry":                      {question.Multilingual, "de", "en", question.Across},
		"German, of a French entry":                        {question.Multilingual, "de", "fr", question.Across},
		"German, of an entry without multilingual vectors": {question.Main, "de", "en", question.Main},
		"English, of a Chinese entry":                      {question.Multilingual, "en", "zh", question.AcrossScripts},
		"Arabic, of a Spanish entry":                       {question.Multilingual, "ar", "es", question.AcrossScripts},
		"Ukrainian, of a Russian entry":                    {question.Multilingual, "uk", "ru", question.Across},
		"words of no language, of a German entry":          {question.Multilingual, "", "de", question.Multilingual},
		"German, of an entry of names":                     {question.Multilingual, "de", "", question.Multilingual},
	} {
		if got := question.Of(c.judgedBy, c.words, c.entry); got != c.want {
			t.Errorf("%s: question %d, want %d", name, got, c.want)
		}
	}
}
