package choice_test

import (
	"slices"
	"testing"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/embed/choice"
)

func TestTheModelsOfAStoreFollowFromWhatWasChosenAskedAndWritten(t *testing.T) {
	english, multilingual := []string{"english"}, []string{"multilingual"}
	both := []string{"english", "multilingual"}
	for _, c := range []struct {
		reading choice.Reading
		models  []string
		why     choice.Reason
	}{
		{choice.Reading{}, english, choice.Nothing},
		{choice.Reading{Multilingual: acl.Internal}, both, choice.HasForeign},
		{choice.Reading{Multilingual: acl.Internal, Mixed: acl.Internal}, both, choice.IsMixed},
		{choice.Reading{Mixed: acl.Internal}, both, choice.IsMixed},
		{choice.Reading{Asked: true, Mixed: acl.Internal}, both, choice.WasAsked},
		{choice.Reading{Language: choice.LanguageEnglish, Mixed: acl.Internal}, english, choice.ChosenEnglish},
		{choice.Reading{Asked: true}, both, choice.WasAsked},
		{choice.Reading{Asked: true, Multilingual: acl.Internal}, both, choice.WasAsked},
		{choice.Reading{Language: choice.LanguageEnglish}, english, choice.ChosenEnglish},
		{choice.Reading{Language: choice.LanguageEnglish, Asked: true, Multilingual: acl.Internal}, english, choice.ChosenEnglish},
		{choice.Reading{Language: choice.LanguageMultilingual}, multilingual, choice.ChosenMultilingual},
		{choice.Reading{Language: choice.LanguageMultilingual, Asked: true, Multilingual: acl.Internal}, multilingual, choice.ChosenMultilingual},
	} {
		if got := c.reading.Models(); !slices.Equal(got, c.models) {
			t.Errorf("%+v: models %v, want %v", c.reading, got, c.models)
		}
		if got := c.reading.Why(); got != c.why {
			t.Errorf("%+v: why %d, want %d", c.reading, got, c.why)
		}
	}
}

func TestALanguageIsWrittenAsItIsParsed(t *testing.T) {
	for _, name := range []string{"auto", "english", "multilingual"} {
		if l, err := choice.ParseLanguage(name); err != nil || l.String() != name {
			t.Errorf("%s is read as %v, %v", name, l, err)
		}
	}
	for _, name := range []string{"", "German", "AUTO", "Language(3)"} {
		if l, err := choice.ParseLanguage(name); err == nil {
			t.Errorf("%q is read as %v", name, l)
		}
	}
}

// Only callers that may read an entry in another language are told that the store has such
// entries.
func TestHiddenEntriesDoNotTellTheModelsOfAStore(t *testing.T) {
	facts := &acltest.Facts{
		Numbers: map[string]int64{"a": 1},
		Details: map[string]acl.Detail{"a": choice.Reading{Multilingual: acl.Confidential, Mixed: acl.Confidential, Unread: acl.Confidential}},
	}
	for taint, want := range map[acl.Label]acl.Label{acl.Public: 0, acl.Internal: 0, acl.Confidential: acl.Confidential, acl.Restricted: acl.Confidential} {
		p := acl.Principal{Agent: "a", Taint: taint}
		access, err := acl.Decide(t.Context(), facts, p, "a", acltest.Now)
		if err != nil || choice.Of(access.Detail) != (choice.Reading{Multilingual: want, Mixed: want, Unread: want}) || choice.Of(access.Detail).Whole() != (want == 0) {
			t.Errorf("%s: %+v, %v", taint, access.Detail, err)
		}
		if scope := facts.Scope(t, p, acl.ScopeRequest{}); scope.Stores()[0].Detail != access.Detail {
			t.Errorf("%s: a scope has %+v", taint, scope.Stores()[0].Detail)
		}
	}
}

func TestTheMultilingualModelReadsEveryEntryFromALabelOn(t *testing.T) {
	for _, c := range []struct {
		reading            choice.Reading
		both, multilingual acl.Label
	}{
		{choice.Reading{}, 0, 0},
		{choice.Reading{Multilingual: acl.Public}, 0, 0},
		{choice.Reading{Multilingual: acl.Public, Mixed: acl.Internal}, acl.Internal, acl.Internal},
		{choice.Reading{Asked: true, Mixed: acl.Internal}, acl.Public, acl.Public},
		{choice.Reading{Language: choice.LanguageMultilingual, Mixed: acl.Internal}, 0, acl.Public},
		{choice.Reading{Language: choice.LanguageEnglish, Asked: true, Mixed: acl.Internal}, 0, 0},
	} {
		if both, multilingual := c.reading.BothFrom(), c.reading.MultilingualFrom(); both != c.both || multilingual != c.multilingual {
			t.Errorf("%+v: both from %q, the multilingual one from %q", c.reading, both, multilingual)
		}
	}
}
