package lexical

import (
	"strings"
	"testing"
)

func TestTextOfIsTheStringsOfAValue(t *testing.T) {
	deep := strings.Repeat(`[`, 5000) + `"x"` + strings.Repeat(`]`, 5000)
	for _, c := range []struct{ value, want string }{
		{`"a \"quoted\" word\nand é"`, "a \"quoted\" word\nand é"},
		{`  "blank around"  `, "blank around"},
		{`{"b":"one","a":["two",{"c":"three"}],"d":4,"e":null,"f":true,"g":""}`, "one\ntwo\nthree"},
		{`{"k":{"k":{"k":"inner"}},"l":"outer"}`, "inner\nouter"},
		{`[["a"],[],{},"b",1e400]`, "a\nb"},
		{`{"a":[],"b":"x"}`, "x"},
		{`{"a":{},"b":"x"}`, "x"},
		{`42`, ""}, {`true`, ""}, {`null`, ""}, {``, ""}, {`{"a":`, ""}, {`"open`, ""}, {`nonsense`, ""},
		{deep, "x"},
	} {
		if got := TextOf([]byte(c.value)); got != c.want {
			t.Errorf("%.60s gives %q, want %q", c.value, got, c.want)
		}
	}
}

func TestKeyWords(t *testing.T) {
	for _, c := range []struct{ key, want string }{
		{"user/preferred-language_v2", "user preferred language v2"},
		{"projects/buildStatus", "projects build Status"},
		{"HTTPServer.configURL", "HTTP Server config URL"},
		{"conv-26:D1:3", "conv 26 D1 3"},
		{"naïve/Ägypten", "naïve Ägypten"},
		{"日本/東京", "日本 東京"},
		{"a", "a"}, {"--", ""}, {"", ""}, {"/x//", "x"},
		{"bad\xffbyte", "bad byte"},
	} {
		if got := KeyWords(c.key); got != c.want {
			t.Errorf("%q gives %q, want %q", c.key, got, c.want)
		}
	}
}

func FuzzTextOf(f *testing.F) {
	for _, seed := range []string{`"a"`, `{"a":["b",1]}`, `[[`, `{"a"`, `}`, `{}[]`, `["a"]]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, value []byte) {
		TextOf(value)
		KeyWords(string(value))
	})
}
