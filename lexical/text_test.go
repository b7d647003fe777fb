package lexical

import (
	"strings"
	"testing"
)

func TestTextOfIsAllOfAValue(t *testing.T) {
	deep := strings.Repeat(`[`, 5000) + `"x"` + strings.Repeat(`]`, 5000)
	for _, c := range []struct{ value, want string }{
		{`"a \"quoted\" word\nand é"`, "a \"quoted\" word\nand é"},
		{`  "blank around"  `, "blank around"},
		{`{"b":"one","a":["two",{"c":"three"}],"d":4,"e":null,"f":true,"g":""}`, "b: one\na\ntwo\nc: three\nd: 4\ne\nf\ng"},
		{`{"k":{"k":{"k":"inner"}},"l":"outer"}`, "k\nk\nk: inner\nl: outer"},
		{`[["a"],[],{},"b",1e400]`, "a\nb\n1e400"},
		{`{"a":[],"b":"x"}`, "a\nb: x"},
		{`{"a":{},"b":"x"}`, "a\nb: x"},
		{`{"wifiPassword":"p","listen_port":9443,"":"y","guest-network":[1,"z"]}`, "wifi Password: p\nlisten port: 9443\ny\nguest-network\n1\nz"},
		{`42`, "42"}, {`-1.50E+2`, "-150"}, {`4 2`, ""}, {`-`, ""}, {`true`, ""}, {`null`, ""}, {``, ""}, {`{"a":`, ""}, {`"open`, ""}, {`nonsense`, ""},
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

func TestPlainNumber(t *testing.T) {
	for _, c := range []struct{ number, want string }{
		{"0", "0"}, {"-0", "0"}, {"0.0", "0"}, {"31.50", "31.5"}, {"1.25e6", "1250000"}, {"1250e-2", "12.5"}, {"5e-3", "0.005"},
		{"-0.5", "-0.5"}, {"12345678901234567890", "12345678901234567890"}, {"1e41", "1e41"}, {"1e99999999999999999999", "1e99999999999999999999"},
		{"1e40", "1" + strings.Repeat("0", 40)},
	} {
		if got := PlainNumber(c.number); got != c.want {
			t.Errorf("%s is %s, want %s", c.number, got, c.want)
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
