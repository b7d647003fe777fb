package acl_test

import (
	"slices"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/acl/acltest"
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
		{acl.Reading{Multilingual: acl.Internal}, both, "entries in other languages"},
		{acl.Reading{Multilingual: acl.Internal, Mixed: acl.Internal}, both, "One in twenty"},
		{acl.Reading{Mixed: acl.Internal}, both, "One in twenty"},
		{acl.Reading{Asked: true, Mixed: acl.Internal}, both, "was asked"},
		{acl.Reading{Language: acl.LanguageEnglish, Mixed: acl.Internal}, english, "English was chosen"},
		{acl.Reading{Asked: true}, both, "was asked"},
		{acl.Reading{Asked: true, Multilingual: acl.Internal}, both, "was asked"},
		{acl.Reading{Language: acl.LanguageEnglish}, english, "English was chosen"},
		{acl.Reading{Language: acl.LanguageEnglish, Asked: true, Multilingual: acl.Internal}, english, "English was chosen"},
		{acl.Reading{Language: acl.LanguageMultilingual}, multilingual, "Multilingual was chosen"},
		{acl.Reading{Language: acl.LanguageMultilingual, Asked: true, Multilingual: acl.Internal}, multilingual, "Multilingual was chosen"},
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

// That a store has entries in other languages is told to those alone who may read one.
func TestHiddenEntriesDoNotTellTheModelsOfAStore(t *testing.T) {
	facts := &acltest.Facts{
		Numbers:  map[string]int64{"a": 1},
		Readings: map[string]acl.Reading{"a": {Multilingual: acl.Confidential, Mixed: acl.Confidential, Unread: acl.Confidential}},
	}
	for taint, want := range map[acl.Label]acl.Label{acl.Public: 0, acl.Internal: 0, acl.Confidential: acl.Confidential, acl.Restricted: acl.Confidential} {
		p := acl.Principal{Agent: "a", Taint: taint}
		access, err := acl.Decide(t.Context(), facts, p, "a", acltest.Now)
		if err != nil || access.Reading != (acl.Reading{Multilingual: want, Mixed: want, Unread: want}) || access.Reading.Whole() != (want == 0) {
			t.Errorf("%s: %+v, %v", taint, access.Reading, err)
		}
		if scope := facts.Scope(t, p, acl.ScopeRequest{}); scope.Stores()[0].Reading != access.Reading {
			t.Errorf("%s: a scope has %+v", taint, scope.Stores()[0].Reading)
		}
	}
}

func TestTheMultilingualModelReadsEveryEntryFromALabelOn(t *testing.T) {
	for _, c := range []struct {
		reading            acl.Reading
		both, multilingual acl.Label
	}{
		{acl.Reading{}, 0, 0},
		{acl.Reading{Multilingual: acl.Public}, 0, 0},
		{acl.Reading{Multilingual: acl.Public, Mixed: acl.Internal}, acl.Internal, acl.Internal},
		{acl.Reading{Asked: true, Mixed: acl.Internal}, acl.Public, acl.Public},
		{acl.Reading{Language: acl.LanguageMultilingual, Mixed: acl.Internal}, 0, acl.Public},
		{acl.Reading{Language: acl.LanguageEnglish, Asked: true, Mixed: acl.Internal}, 0, 0},
	} {
		if both, multilingual := c.reading.BothFrom(), c.reading.MultilingualFrom(); both != c.both || multilingual != c.multilingual {
			t.Errorf("%+v: both from %q, the multilingual one from %q", c.reading, both, multilingual)
		}
	}
}
