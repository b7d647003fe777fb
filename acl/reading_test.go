package acl_test

import (
	"slices"
	"strings"
	"testing"

	"mneme/acl"
)

func TestTheModelsOfAStoreFollowFromWhatWasChosenAskedAndWritten(t *testing.T) {
	english, multilingual := []string{"english"}, []string{"multilingual"}
	both := []string{"english", "multilingual"}
	for _, c := range []struct {
		reading acl.Reading
		models  []string
		why     string // a part of the sentence
	}{
		{acl.Reading{}, english, "Nothing in it"},
		{acl.Reading{Multilingual: true}, both, "entries in other languages"},
		{acl.Reading{Asked: true}, both, "was asked"},
		{acl.Reading{Asked: true, Multilingual: true}, both, "was asked"},
		{acl.Reading{Language: acl.LanguageEnglish}, english, "English was chosen"},
		{acl.Reading{Language: acl.LanguageEnglish, Asked: true, Multilingual: true}, english, "English was chosen"},
		{acl.Reading{Language: acl.LanguageMultilingual}, multilingual, "Multilingual was chosen"},
		{acl.Reading{Language: acl.LanguageMultilingual, Asked: true, Multilingual: true}, multilingual, "Multilingual was chosen"},
	} {
		if got := c.reading.Models(); !slices.Equal(got, c.models) {
			t.Errorf("%+v: models %v, want %v", c.reading, got, c.models)
		}
		if got := c.reading.Why(); !strings.Contains(got, c.why) || !strings.HasSuffix(got, ".") {
			t.Errorf("%+v: why %q, want %q in it", c.reading, got, c.why)
		}
	}
}

func TestALanguageIsWrittenAsItIsParsed(t *testing.T) {
	for _, name := range []string{"auto", "english", "multilingual"} {
		if l, err := acl.ParseLanguage(name); err != nil || l.String() != name {
			t.Errorf("%s is read as %v, %v", name, l, err)
		}
	}
	for _, name := range []string{"", "German", "AUTO", "Language(3)"} {
		if l, err := acl.ParseLanguage(name); err == nil {
			t.Errorf("%q is read as %v", name, l)
		}
	}
}
