package lexical

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func mustMatch(t *testing.T, all, any, none []string) *Match {
	t.Helper()
	m, err := ParseMatch(all, any, none)
	if err != nil {
		t.Fatalf("%q %q %q: %v", all, any, none, err)
	}
	return m
}

func TestMatchItems(t *testing.T) {
	for _, rule := range []struct {
		text      string
		yes, none []string
	}{
		{"The adrenaline pens are in the red bag.", []string{"pen", "PENS", "adrenaline pen", "in the red bag", "the", "pen*", "adrenal*", "Adrenaline*", "pens*", "  bag  "},
			[]string{"pen adrenaline", "adrenaline bag", "penn", "penss*", "dren*", "in red"}},
		{"To be, or not to be: that is the question", []string{"to be or not to be", "be that", "not"}, []string{"be or to"}},
		{"She went home", []string{"go", "going home", "go*", "wen*"}, []string{"goes*", "home she"}},
		{"happy days", []string{"happi*", "happy*", "happi"}, []string{"happyd*"}},
		{"send an e-mail now", []string{"e-mail", "email", "mail", "e mail", "an email now", "an e-mail now", "an e mail now", "emai*", "mail now"},
			[]string{"an mail", "e now", "email mail"}},
		{"send an email now", []string{"e-mail", "an e-mail now"}, []string{"mail", "e mail"}},
		{"the build_status was red", []string{"build_status", "buildStatus", "build status", "status was", "the build", "the buildstatus was", "buildst*"}, []string{"the status", "build was"}},
		{"call getUserName twice", []string{"getUserName", "user name twice", "call get user", "call getusername twice", "get_user_name"}, []string{"call user", "get name"}},
		{"my iPhone case", []string{"iphone case", "phone case", "my iPhone case"}, []string{"my phone"}},
		{"Caroline's don't 3.14 C++ v1.2.3 U.S. law", []string{"caroline", "Caroline’s dont", "3.14 c++", "c++ 1.2.3", "us law", "u.s. law", "1.2*"}, []string{"pi", "c", "3"}},
		{"新しい東京都の天気", []string{"東京", "東京都", "京", "新しい東京都の天気", "東京*", "天気"}, []string{"東都", "京東", "都天"}},
		{"東 京 tower", []string{"東 京", "京 tower", "東 京 tower"}, []string{"東京", "東京 tower"}},
		{"한국어를 배우다", []string{"한국어", "한국어를 배우다", "국"}, []string{"한어", "어배"}},
		{"ภาษาไทยง่าย", []string{"ภาษา", "ไทย", "ภาษาไทย", "ไทย*"}, []string{"ภาไทย"}},
		{"Привет, ёлки в лесу", []string{"елка", "ёлки в лесу", "прив*"}, []string{"елки лес"}},
		{"Café Straße ﬁle", []string{"cafe", "CAFÉ STRASSE", "strass*", "file"}, []string{"cafe file"}},
		{"party 🎉🎉 in 🇩🇪", []string{"🎉", "party 🎉", "🎉 🎉 in", "in 🇩🇪"}, []string{"🎉 🎉 🎉"}},
		{strings.Repeat("x", 100) + " end", []string{strings.Repeat("x", 90) + " end", strings.Repeat("x", 99) + "*"}, []string{strings.Repeat("x", 63)}},
	} {
		for _, item := range rule.yes {
			agree(t, mustMatch(t, []string{item}, nil, nil), true, rule.text)
			agree(t, mustMatch(t, nil, nil, []string{item}), false, rule.text)
		}
		for _, item := range rule.none {
			agree(t, mustMatch(t, nil, []string{item}, nil), false, rule.text)
			agree(t, mustMatch(t, nil, nil, []string{item}), true, rule.text)
		}
	}
}

// agree checks a match, and its query against the document's forms.
func agree(t *testing.T, m *Match, want bool, fields ...string) {
	t.Helper()
	if got := m.Matches(fields...); got != want {
		t.Errorf("all %q any %q none %q of %q: %v", m.All, m.Any, m.None, fields, got)
	}
	q := m.Query()
	if fulfilled := fulfils(q, Analyze(fields...).Forms); want && !fulfilled || q.Exact && fulfilled != want {
		t.Errorf("all %q any %q none %q of %q: fulfils %+v: %v", m.All, m.Any, m.None, fields, q, fulfilled)
	}
}

func fulfils(q FormQuery, forms []string) bool {
	has := func(form string, prefix bool) bool {
		i, found := slices.BinarySearch(forms, form)
		return found || prefix && i < len(forms) && strings.HasPrefix(forms[i], form)
	}
	return q.Some.Holds(has) && !slices.ContainsFunc(q.None, func(e FormExpr) bool { return e.Holds(has) })
}

func TestMatchLists(t *testing.T) {
	fields := []string{"red apple pie", "green pear", "fruit"}
	for _, c := range []struct {
		all, any, none []string
		want           bool
	}{
		{[]string{"red", "pear"}, nil, nil, true},
		{[]string{"red", "plum"}, nil, nil, false},
		{nil, []string{"plum", "pear"}, nil, true},
		{nil, []string{"plum", "fig"}, nil, false},
		{nil, nil, []string{"plum"}, true},
		{nil, nil, []string{"plum", "pear"}, false},
		{[]string{"red"}, []string{"pear", "fig"}, []string{"plum"}, true},
		{[]string{"red"}, []string{"pear"}, []string{"green pear"}, false},
		{[]string{"red"}, []string{"pear"}, []string{"pear green"}, true},
		{[]string{"pie green"}, nil, nil, false}, // no phrase spans two fields
		{[]string{"pear fruit"}, nil, nil, false},
	} {
		agree(t, mustMatch(t, c.all, c.any, c.none), c.want, fields...)
	}
}

func TestParseMatchRefuses(t *testing.T) {
	many := slices.Repeat([]string{"a"}, MaxMatchItems+1)
	for name, c := range map[string]struct {
		all, any, none []string
		field, rule    string
	}{
		"nothing":            {field: "", rule: "must have all, any or none"},
		"an empty list":      {all: []string{}, field: "all", rule: "must not be empty"},
		"an empty item":      {all: []string{"a", " "}, field: "all[1]", rule: "must have a word"},
		"punctuation":        {any: []string{"a", "b", "?!"}, field: "any[2]", rule: "must have a word"},
		"a star alone":       {none: []string{"*"}, field: "none[0]", rule: "must have a word"},
		"stars":              {none: []string{"***"}, field: "none[0]", rule: "may have one star, at the end of its only word"},
		"a star within":      {all: []string{"a*b"}, field: "all[0]", rule: "may have one star, at the end of its only word"},
		"a star in front":    {all: []string{"*able"}, field: "all[0]", rule: "may have one star, at the end of its only word"},
		"a star at a phrase": {all: []string{"red app*"}, field: "all[0]", rule: "may have a star only at the end of its only word"},
		"one letter":         {all: []string{"a*"}, field: "all[0]", rule: "must have at least 2 letters before the star"},
		"one character":      {all: []string{"東*"}, field: "all[0]", rule: "must have at least 2 letters before the star"},
		"one letter, a sign": {all: []string{"c#*"}, field: "all[0]", rule: "must have at least 2 letters before the star"},
		"NUL":                {all: []string{"a\x00b"}, field: "all[0]", rule: "must be text without NUL"},
		"invalid UTF-8":      {all: []string{"a\xff"}, field: "all[0]", rule: "must be text without NUL"},
		"a long item":        {all: []string{strings.Repeat("a", MaxItemBytes+1)}, field: "all[0]", rule: "must have at most 256 bytes"},
		"many items":         {all: many[:20], none: many[:13], field: "", rule: "must have at most 32 items"},
	} {
		_, err := ParseMatch(c.all, c.any, c.none)
		var broken *MatchError
		if !errors.As(err, &broken) || broken.Field != c.field || broken.Rule != c.rule {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ParseMatch(many[:10], many[:11], many[:11]); err != nil {
		t.Error(err)
	}
}

func FuzzParseMatch(f *testing.F) {
	for _, seed := range [][2]string{
		{"adrenaline pen", "The adrenaline pens"}, {"pea*", "peas"}, {"e-mail", "an email, e-mail"}, {"東京都", "東京都庁"},
		{"ภาษา*", "ภาษาไทย"}, {"getUserName_x-y", "get user name x y"}, {"a\u00adb ـ", "ab"}, {"\u0e31\u0e31", "\u0e31"}, {"l'homme don't", "homme dont"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, item, text string) {
		m, err := ParseMatch([]string{item}, nil, nil)
		if err != nil {
			var broken *MatchError
			if !errors.As(err, &broken) || broken.Rule == "" {
				t.Fatalf("%q: %v", item, err)
			}
			return
		}
		for _, field := range []string{text, item, text + " " + item + " " + text, text + item} {
			q, matches := m.Query(), m.Matches(field)
			if fulfilled := fulfils(q, Analyze(field).Forms); matches && !fulfilled || q.Exact && matches != fulfilled {
				t.Errorf("%q of %q: matches %v, fulfils %+v: %v", item, field, matches, q, fulfilled)
			}
		}
	})
}
